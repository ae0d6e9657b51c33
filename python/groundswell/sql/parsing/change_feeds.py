"""Reads the clauses of ``AUTO CDC``. Pure."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from groundswell.api.cdc_flow import ChangeFeed
from groundswell.sql.parsing.cursor import Cursor

_CLAUSES = (
    ("KEYS",),
    ("IGNORE", "NULL", "UPDATES"),
    ("APPLY", "AS", "DELETE", "WHEN"),
    ("APPLY", "AS", "TRUNCATE", "WHEN"),
    ("SEQUENCE", "BY"),
    ("COLUMNS", "("),
    ("COLUMNS", "*"),
    ("STORED", "AS"),
    ("TRACK", "HISTORY", "ON"),
    ("WITH", "("),
)


def read_feed(c: Cursor) -> tuple[str, ChangeFeed]:
    """After ``AUTO CDC [INTO target]``: the source, as a relation, and what is done with it.

    Raises:
        SqlSyntaxError: a clause that there is not, that is given twice, or that is missing.
    """
    c.need("FROM")
    source = _source(c)
    given: dict[str, Any] = {}
    while not (c.ended or c.sees("WITH", "(")):
        before = c.at
        for key, value in _clause(c).items():
            if key in given:
                c.at = before
                c.fail("a clause that was not given before")
            given[key] = value
    for name, words in (("keys", "KEYS (...)"), ("sequence_by", "SEQUENCE BY")):
        if name not in given:
            c.fail(words)
    return source, ChangeFeed(**given)


def _source(c: Cursor) -> str:
    """A relation: ``name``, ``STREAM name``, ``STREAM(name)`` or a query in brackets."""
    stream = c.take("STREAM")
    if c.take("("):
        inner = c.until(lambda: False, "a table, or a query")
        c.need(")")
        query = inner.split(None, 1)[0].upper() in ("SELECT", "WITH", "FROM", "VALUES")
        return f"({inner})" if query or not stream else inner
    first = c.at
    c.names("the source of the changes, as STREAM(name)")
    return c.text[c.tokens[first].start : c.tokens[c.at - 1].end]


def _clause(c: Cursor) -> dict[str, Any]:
    """One clause, as fields of :class:`~groundswell.api.cdc_flow.ChangeFeed`."""
    if c.take("KEYS"):
        return {"keys": c.listed()}
    if c.take("IGNORE", "NULL", "UPDATES"):
        if not c.take("ON"):
            return {"ignore_null_updates": True}
        return _columns(
            c, "ignore_null_updates_column_list", "ignore_null_updates_except_column_list"
        )
    if c.take("APPLY", "AS", "DELETE", "WHEN"):
        return {"apply_as_deletes": c.until(_next(c), "a condition")}
    if c.take("APPLY", "AS", "TRUNCATE", "WHEN"):
        return {"apply_as_truncates": c.until(_next(c), "a condition")}
    if c.take("SEQUENCE", "BY"):
        return {"sequence_by": c.until(_next(c), "an expression that orders the changes")}
    if c.take("COLUMNS"):
        return _columns(c, "column_list", "except_column_list")
    if c.take("STORED", "AS"):
        c.need("SCD", "TYPE")
        kind = c.number("1 or 2")
        if kind not in (1, 2):
            c.at -= 1
            c.fail("1 or 2")
        return {"stored_as_scd_type": kind}
    if c.take("TRACK", "HISTORY", "ON"):
        return _columns(c, "track_history_column_list", "track_history_except_column_list")
    return c.fail("KEYS, IGNORE NULL UPDATES, APPLY AS DELETE WHEN, APPLY AS TRUNCATE WHEN, "
                  "SEQUENCE BY, COLUMNS, STORED AS SCD TYPE or TRACK HISTORY ON")  # fmt: skip


def _columns(c: Cursor, only: str, but: str) -> dict[str, Any]:
    """``(a, b)``, ``a, b`` or ``* EXCEPT (a, b)``."""
    if c.take("*"):
        c.need("EXCEPT")
        return {but: c.listed()}
    if c.sees("("):
        return {only: c.listed()}
    found = [c.name("a column")]
    while c.take(","):
        found.append(c.name("a column"))
    return {only: tuple(found)}


def _next(c: Cursor) -> Callable[[], bool]:
    return lambda: any(c.sees(*words) for words in _CLAUSES)
