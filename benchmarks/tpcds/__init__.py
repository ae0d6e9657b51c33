"""TPC-DS's 99 queries as views of changing tables, compared with batch Spark after every change."""
