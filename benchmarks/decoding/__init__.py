"""Streams of text that are read into nothing."""
