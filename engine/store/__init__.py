"""Everything that is kept on disk: the only package with SQL and the only importer of ``duckdb``."""
