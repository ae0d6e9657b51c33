"""Names of types: Postgres' beside Spark's. Pure."""

from __future__ import annotations

import re
from collections.abc import Collection

from groundswell.sql.parsing.cursor import Cursor
from groundswell.sql.parsing.tokens import syntax_error

_POSTGRES = {
    "varchar": "varchar",
    "character varying": "varchar",
    "char": "char",
    "character": "char",
    "text": "string",
    "uuid": "string",
    "json": "string",
    "jsonb": "string",
    "int2": "smallint",
    "int4": "int",
    "int8": "bigint",
    "real": "float",
    "float4": "float",
    "float8": "double",
    "double precision": "double",
    "numeric": "decimal",
    "bool": "boolean",
    "bytea": "binary",
    "timestamptz": "timestamp",
    "timestamp with time zone": "timestamp",
    "timestamp without time zone": "timestamp_ntz",
    "datetime": "timestamp",
}
_ARGUMENTS = re.compile(r"([\w ]+?)\s*\(([^()]*)\)")
_UNBOUNDED = "decimal(38,18)"


def spark_type(given: str) -> str:
    """A type as Spark's DDL has it.

    ``varchar`` without a length is a string, ``char`` is ``char(1)``. ``numeric`` without digits
    is ``decimal(38,18)``. ``timestamp`` and ``float`` are Spark's: with time zone, and of four
    bytes.

    Raises:
        ValueError: it is an array of Postgres with a size, or has no name.
    """
    text = " ".join(given.split())
    if text.endswith("]"):
        element, bracket, rest = text.rpartition("[")
        if not bracket or rest != "]":
            raise ValueError(f"type {given!r}: write an array as type[] or array<type>")
        return f"array<{spark_type(element)}>"
    whole = _ARGUMENTS.fullmatch(text)
    name = (whole[1] if whole else text).lower()
    known = _POSTGRES.get(name)
    if known is None:
        return text
    if known == "varchar":
        return f"varchar({whole[2]})" if whole else "string"
    if known == "char":
        return f"char({whole[2] if whole else 1})"
    if known == "decimal":
        return f"decimal({whole[2]})" if whole else _UNBOUNDED
    return known


def read_type(c: Cursor, what: str, after: Collection[str]) -> str:
    """Reads a type, as Spark's DDL has it; it may have commas in its brackets of every kind.

    Args:
        c: stands before the type.
        what: it is, for messages.
        after: words in capitals that may come after it, beside a comma.
    """
    start, depth = c.next.start, 0

    def ends() -> bool:
        nonlocal depth
        if depth == 0 and (c.sees(",") or c.next.upper in after):
            return True
        depth += {"<": 1, ">": -1}.get(c.next.text, 0)
        return False

    given = c.until(ends, what)
    try:
        return spark_type(given)
    except ValueError as e:
        raise syntax_error(c.text, start, str(e)) from None
