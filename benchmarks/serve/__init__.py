"""What PostgreSQL's clients wait for: points, many connections, scans beside DuckDB on Parquet."""
