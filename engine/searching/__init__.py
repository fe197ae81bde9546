"""Journey 2: query text -> parsed query -> legs -> fusion -> hits with explanations. No SQL, no Qt."""
