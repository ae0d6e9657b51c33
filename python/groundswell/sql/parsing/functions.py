"""Reads ``CREATE FUNCTION`` and ``CREATE AGGREGATE``. Pure."""

from __future__ import annotations

from itertools import pairwise

from groundswell.sql.parsing import statements as s
from groundswell.sql.parsing.cursor import Cursor
from groundswell.sql.parsing.tokens import DOLLARS, STRING, WORD, syntax_error, tokens
from groundswell.sql.parsing.types import read_type

_BODY = "the body, as AS $$ ... $$"
_AFTER_TYPE = ("LANGUAGE", "PARAMETER", "DETERMINISTIC", "NOT", "COMMENT", "AS", "RETURN")
_STYLES = (s.ROWS, s.PANDAS, s.ARROW)


def read_function(
    c: Cursor, name: s.Name, aggregate: bool, replace: bool, exists: bool
) -> s.CreateFunction:
    """After ``CREATE FUNCTION name`` or ``CREATE AGGREGATE name``."""
    parameters = _parameters(c)
    c.need("RETURNS")
    returns = read_type(c, f"the type that function {name[-1]} returns", _AFTER_TYPE)
    language, style, start = "", s.ROWS, c.next.start
    while not (c.sees("AS") or c.sees("RETURN")):
        if c.take("LANGUAGE"):
            language = c.name("PYTHON or SQL").lower()
        elif c.take("PARAMETER", "STYLE"):
            style = c.name("ROWS, PANDAS or ARROW").lower()
            if style not in _STYLES:
                c.at -= 1
                c.fail("ROWS, PANDAS or ARROW")
        elif c.take("COMMENT"):
            c.string("a comment")
        elif not c.take("DETERMINISTIC"):
            if c.sees("NOT", "DETERMINISTIC"):
                c.fail(
                    "a function that gives the same value for the same arguments: views call it "
                    "again when rows change"
                )
            c.fail(f"LANGUAGE python and {_BODY}; or RETURN and an expression")
    if c.take("RETURN"):
        if language not in ("", "sql") or aggregate or style != s.ROWS:
            raise syntax_error(
                c.text, start, "RETURN is of functions in SQL, which are not aggregates"
            )
        body, style = c.rest("an expression"), s.SQL
        return s.CreateFunction(name, parameters, returns, body, style, False, replace, exists)
    if language != "python":
        told = f"{language!r}" if language else "none"
        raise syntax_error(c.text, start, f"expected LANGUAGE python, not {told}")
    c.need("AS")
    if c.next.kind not in (STRING, DOLLARS):
        c.fail(_BODY)
    body = c.next.value
    c.at += 1
    return s.CreateFunction(name, parameters, returns, body, style, aggregate, replace, exists)


def _parameters(c: Cursor) -> tuple[s.Column, ...]:
    found: list[s.Column] = []
    c.need("(")
    while not c.take(")"):
        start = c.next.start
        name = c.name("a parameter, as (name type, ...)")
        if name.lower() in {known.name.lower() for known in found}:
            raise syntax_error(c.text, start, f"two parameters are named {name}")
        found.append(s.Column(name, read_type(c, f"the type of parameter {name}", ("DEFAULT",))))
        if not c.sees(")"):
            c.need(",")
            if c.sees(")"):
                c.fail("a parameter, as (name type, ...)")
    return tuple(found)


def calls(query: str) -> frozenset[str]:
    """The last parts of all names that a query calls as functions, in lower case."""
    found = tokens(query)
    return frozenset(
        each.value.lower()
        for each, after in pairwise(found)
        if after.text == "(" and (each.kind == WORD or each.text.startswith("`"))
    )
