"""The process that runs a pipeline, and those that ask it."""
