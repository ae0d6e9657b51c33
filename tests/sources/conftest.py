"""A session with our extension, and pipelines that end with their test."""

from sql.conftest import session

__all__ = ["session"]
