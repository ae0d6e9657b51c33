"""``DEFAULT`` in the place of a value that is written."""

from __future__ import annotations

from collections.abc import Sequence

from groundswell.sql.parsing.tokens import tokens

_DEFAULT = "DEFAULT"


def is_default(text: str) -> bool:
    """Whether an expression is ``DEFAULT`` alone."""
    return text.strip().upper() == _DEFAULT


def value_of(text: str, default: str) -> str:
    """An expression; what a column has by itself for ``DEFAULT``."""
    return default if is_default(text) else text


def in_rows(query: str, defaults: Sequence[str]) -> str:
    """A query; if it is ``VALUES``, with what stands for each ``DEFAULT`` of its rows.

    Args:
        query: of an ``INSERT``.
        defaults: expressions, in the order of the columns that are written.
    """
    if _DEFAULT not in query.upper():
        return query
    found = tokens(query)
    if found[0].upper != "VALUES":
        return query
    pieces, end, depth, place = [], 0, 0, 0
    for before, token, after in zip(found, found[1:], found[2:], strict=False):
        if token.text in ("(", ")"):
            depth += 1 if token.text == "(" else -1
            if depth == 1 and token.text == "(":
                place = 0
        elif token.text == "," and depth == 1:
            place += 1
        elif (
            token.upper == _DEFAULT
            and depth == 1
            and before.text in ("(", ",")
            and after.text in (",", ")")
            and place < len(defaults)
        ):
            pieces += [query[end : token.start], defaults[place]]
            end = token.end
    return "".join([*pieces, query[end:]])
