"""A long run on a standalone cluster whose executors die."""
