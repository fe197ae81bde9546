"""Journey 3: the knowledge graph: parse, extract, resolve, assemble, ask, paths, evaluation. No SQL, no Qt."""
