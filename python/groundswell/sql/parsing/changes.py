"""Reads the statements that write rows. Pure."""

from __future__ import annotations

from collections.abc import Callable

from groundswell.sql.parsing import statements as s
from groundswell.sql.parsing.cursor import Cursor
from groundswell.sql.parsing.tokens import NAME, WORD


def read_insert(c: Cursor, name: s.Name) -> s.Insert:
    """After ``INSERT INTO name``."""
    by_name = c.take("BY", "NAME")
    columns: tuple[str, ...] = ()
    if c.sees("(") and not _is_query(c):
        columns = c.listed()
    return s.Insert(name, c.rest("VALUES or a query"), columns, by_name)


def _is_query(c: Cursor) -> bool:
    """Whether a bracket holds a query, not columns."""
    inside = c.tokens[c.at + 1].upper if c.at + 1 < len(c.tokens) else ""
    return inside in ("SELECT", "WITH", "VALUES", "FROM", "TABLE")


def read_update(c: Cursor, name: s.Name) -> s.Update:
    """After ``UPDATE name``."""
    alias = _alias(c, "SET")
    c.need("SET")
    sets = _sets(c, lambda: c.sees("WHERE"))
    where = c.rest("a condition") if c.take("WHERE") else None
    return s.Update(name, alias, sets, where)


def read_delete(c: Cursor, name: s.Name) -> s.Delete:
    """After ``DELETE FROM name``."""
    alias = _alias(c, "WHERE")
    where = c.rest("a condition") if c.take("WHERE") else None
    return s.Delete(name, alias, where)


def read_merge(c: Cursor, name: s.Name) -> s.Merge:
    """After ``MERGE INTO name``."""
    alias = _alias(c, "USING")
    c.need("USING")
    if c.sees("("):
        start = c.next.start
        c.need("(")
        c.until(lambda: False, "a query")
        c.need(")")
        source = c.text[start : c.tokens[c.at - 1].end]
        as_alias = _alias(c, "ON")
        if as_alias is None:
            c.fail("a name for the query in brackets, as (SELECT ...) s")
    else:
        start = c.next.start
        parts = c.names("a table, view or query in brackets")
        source = c.text[start : c.tokens[c.at - 1].end]
        as_alias = _alias(c, "ON") or parts[-1]
    columns = c.listed() if c.sees("(") else ()
    c.need("ON")
    on = c.until(lambda: _begins_action(c), "a condition")
    actions = []
    while c.take("WHEN"):
        actions.append(_action(c))
    if not actions:
        c.fail("WHEN MATCHED or WHEN NOT MATCHED")
    return s.Merge(name, alias, source, as_alias, columns, on, tuple(actions))


def _action(c: Cursor) -> s.MergeAction:
    when = "matched"
    if c.take("NOT", "MATCHED"):
        when = "gone" if c.take("BY", "SOURCE") else "new"
        if when == "new":
            c.take("BY", "TARGET")
    else:
        c.need("MATCHED")
    condition = c.until(lambda: c.sees("THEN"), "a condition") if c.take("AND") else None
    c.need("THEN")
    if when == "new":
        c.need("INSERT")
        return s.MergeAction(when, condition, "insert", _inserted(c))
    if c.take("DELETE"):
        return s.MergeAction(when, condition, "delete")
    c.need("UPDATE", "SET")
    if c.take("*"):
        return s.MergeAction(when, condition, "update")
    return s.MergeAction(when, condition, "update", _sets(c, lambda: _begins_action(c)))


def _begins_action(c: Cursor) -> bool:
    """A WHEN alone may be that of a CASE."""
    return c.sees("WHEN", "MATCHED") or c.sees("WHEN", "NOT", "MATCHED")


def _inserted(c: Cursor) -> tuple[tuple[s.Name, str], ...]:
    if c.take("*"):
        return ()
    columns = c.listed()
    c.need("VALUES", "(")
    values = _expressions(c)
    c.need(")")
    if len(values) != len(columns):
        c.at -= 1
        c.fail(f"{len(columns)} values, one a column, got {len(values)}")
    return tuple(zip(((name,) for name in columns), values, strict=True))


def _expressions(c: Cursor) -> list[str]:
    found = [c.until(lambda: c.sees(","), "a value")]
    while c.take(","):
        found.append(c.until(lambda: c.sees(","), "a value"))
    return found


def _sets(c: Cursor, stop: Callable[[], bool]) -> tuple[tuple[s.Name, str], ...]:
    found: list[tuple[s.Name, str]] = []
    while True:
        column = c.names("a column")
        c.need("=")
        found.append((column, c.until(lambda: c.sees(",") or stop(), "a value")))
        if not c.take(","):
            return tuple(found)


def _alias(c: Cursor, before: str) -> str | None:
    """A name for the table, with or without AS."""
    if c.take("AS"):
        return c.name("a name")
    if c.next.kind in (WORD, NAME) and c.next.upper != before:
        return c.name("a name")
    return None
