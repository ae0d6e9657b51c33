"""Incremental views and a state store for Apache Spark Structured Streaming."""

from groundswell.version import VERSION as __version__

__all__ = ["__version__"]
