"""The optimizer of incremental plans over TPC-H's 22 questions."""
