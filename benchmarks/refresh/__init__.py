"""Refreshing views of Delta tables, beside computing them anew."""
