"""JSON that is read into nothing."""
