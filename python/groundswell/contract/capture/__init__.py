"""Captured queries, as the JVM describes them: what Python plans with.

:mod:`expressions` has columns and expressions, :mod:`nodes` and :mod:`grouped` a class for each
kind of node, :mod:`plan` the document around them, :mod:`functions` Python's functions that are
wrapped before a query is captured.
"""
