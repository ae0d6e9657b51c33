"""Statements, read from their texts."""

from groundswell.sql.parsing import statements as s
from groundswell.sql.parsing.grammar import head


def read(text: str) -> s.Statement:
    """A statement of ours; fails if it is another one."""
    found = head(text)
    assert found is not None
    return found.read()
