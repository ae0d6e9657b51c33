"""Statements that are typed, and those of a file."""
