"""A pipeline that merges itself, and one for which another process does."""
