"""TPC-H-like tables, changes to them, and the 22 questions of the benchmark."""
