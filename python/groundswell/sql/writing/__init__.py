"""What statements write: rows of queries, values of columns, and transactions."""
