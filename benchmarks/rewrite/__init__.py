"""Batch queries answered from views, beside the same queries without."""
