"""First fills of views over Delta tables, in a heap of fixed size."""
