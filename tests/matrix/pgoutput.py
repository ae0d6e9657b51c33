"""Values as PostgreSQL writes them, and messages of logical decoding that hold them."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

from matrix.kinds import KINDS, Kind
from matrix.values import single

OIDS = {
    "boolean": (16, "boolean"),
    "smallint": (21, "smallint"),
    "int": (23, "int"),
    "bigint": (20, "bigint"),
    "float": (700, "real"),
    "double": (701, "double precision"),
    "decimal(9,2)": (1700, "numeric(9,2)"),
    "decimal(38,0)": (1700, "numeric(38,0)"),
    "decimal(38,38)": (1700, "numeric(38,38)"),
    "string": (25, "text"),
    "string of 1 MB": (25, "text"),
    "char(4)": (1042, "char(4)"),
    "varchar(4)": (1043, "varchar(4)"),
    "binary": (17, "bytea"),
    "date": (1082, "date"),
    "timestamp": (1184, "timestamptz"),
    "timestamp_ntz": (1114, "timestamp"),
    "array": (1022, "double precision[]"),
}
"""By the name of a kind, the type of PostgreSQL with its values: its oid, and its name."""


def written() -> list[Kind]:
    """The kinds that PostgreSQL has a type for; it has other types, which come as texts."""
    return [kind for kind in KINDS if kind.name in OIDS]


def comparable() -> list[Kind]:
    """Those that may be a primary key."""
    return [kind for kind in written() if "MB" not in kind.name]


def text(value: Any, kind: Kind) -> str | None:
    """One value, as a server with ``timezone = UTC`` writes it."""
    match value:
        case None:
            return None
        case bool():
            return "t" if value else "f"
        case float() if kind.type == "float":
            return _shortest(value)
        case float():
            return {"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}.get(
                repr(value), repr(value).removesuffix(".0")
            )
        case Decimal():
            return f"{value:f}"
        case bytes():
            return rf"\x{value.hex()}"
        case datetime():
            at = value.astimezone(UTC) if value.tzinfo else value
            shown = at.replace(tzinfo=None).isoformat(" ")
            shown = shown.rstrip("0").removesuffix(":") if "." in shown else shown
            return f"{shown}+00" if value.tzinfo else shown
        case date():
            return value.isoformat()
        case list():
            inner = Kind("", "double", ())
            return "{" + ",".join(text(v, inner) or "NULL" for v in value) + "}"
        case str():
            width = int(kind.type[5:-1]) if kind.type.startswith("char") else 0
            return value.ljust(width)
        case _:
            return str(value)


def _shortest(value: float) -> str:
    """The fewest digits that give the same float of 32 bits."""
    if value != value or value in (float("inf"), float("-inf")):
        return text(value, Kind("", "double", ())) or ""
    bits = single(value)
    for digits in range(1, 9):
        shown = f"{value:.{digits}g}"
        if _bits(float(shown)) == bits:
            return shown
    return f"{value:.9g}"


def _bits(value: float) -> str:
    try:
        return single(value)
    except OverflowError:  # above the largest float
        return ""


def cells(values: Sequence[str | None]) -> bytes:
    """The columns of a row; ``UNCHANGED`` is one that an update leaves out."""
    sent = b""
    for value in values:
        if value is None:
            sent += b"n"
        elif value == "UNCHANGED":
            sent += b"u"
        else:
            data = value.encode()
            sent += b"t" + struct.pack(">I", len(data)) + data
    return struct.pack(">H", len(values)) + sent


def relation(table: int, name: str, columns: Sequence[tuple[str, int, int, bool]]) -> bytes:
    """What a table looks like: of each column the name, the oid, the modifier, whether a key."""
    sent = b"".join(
        b"%c%s\0" % (key, each.encode()) + struct.pack(">Ii", oid, modifier)
        for each, oid, modifier, key in columns
    )
    head = b"R" + struct.pack(">I", table) + b"public\0" + name.encode() + b"\0d"
    return head + struct.pack(">H", len(columns)) + sent


def begin(commit: int) -> bytes:
    """The first message of a transaction that ends there."""
    return b"B" + struct.pack(">QqI", commit, 0, 1)


def insert(table: int, values: Sequence[str | None]) -> bytes:
    """A new row."""
    return b"I" + struct.pack(">I", table) + b"N" + cells(values)


def delete(table: int, values: Sequence[str | None]) -> bytes:
    """A row that goes, of which only the key is known."""
    return b"D" + struct.pack(">I", table) + b"K" + cells(values)


def modifier(kind: Kind) -> int:
    """``atttypmod`` of the kind's type."""
    if kind.type.startswith("decimal"):
        precision, scale = map(int, kind.type[8:-1].split(","))
        return ((precision << 16) | scale) + 4
    return -1


def pairs_of(rows: Any) -> list[tuple[int, Any]]:
    """The ids and values of a table of Arrow."""
    return list(zip(rows["id"].to_pylist(), rows["v"].to_pylist(), strict=True))
