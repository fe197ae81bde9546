"""The only place with SQL and the only place that imports duckdb."""
