"""What the types of each system hold, in the terms of :mod:`holding`. A new sink adds its own."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from groundswell.sinks.holding import (
    ANY_NUMBER,
    DOUBLE,
    FLOAT,
    Clock,
    Day,
    Fields,
    Flags,
    Held,
    Instant,
    ListOf,
    MapOf,
    Numbers,
    Text,
    Unchecked,
    decimal,
    whole,
)

if TYPE_CHECKING:
    import pyarrow as pa

_CLICKHOUSE: dict[str, Held] = {
    **{f"Int{bits}": whole(bits) for bits in (8, 16, 32, 64, 128, 256)},
    **{f"UInt{bits}": whole(bits, signed=False) for bits in (8, 16, 32, 64, 128, 256)},
    "BFloat16": Numbers(bits=8),
    "Float32": FLOAT,
    "Float64": DOUBLE,
    "Bool": Flags(),
    "String": Text(),
    "FixedString": Text(fixed=True),
    "Date": Day(),
    "Date32": Day(),
    "DateTime": Instant(),
    "DateTime64": Instant(),
}
_POSTGRES: dict[str, Held] = {
    "real": FLOAT,
    "double precision": DOUBLE,
    "numeric": ANY_NUMBER,
    "money": Numbers(scale=2),
    "boolean": Flags(),
    "date": Day(),
    "timestamp with time zone": Instant(),
    "timestamp without time zone": Instant(),
    "time with time zone": Clock(),
    "time without time zone": Clock(),
    "text": Text(),
    "character varying": Text(),
    "character": Text(fixed=True),
}
_NAMED = re.compile(r"(\w+)(?:\((.*)\))?", re.DOTALL)
_TEMPORAL = (Day, Instant)


def of_clickhouse(kind: str, checked: bool = True) -> Held:
    """What a type of ClickHouse holds.

    Dates and times have no type that holds all of Spark's: the sink checks each value, but not
    those within maps and tuples.

    Args:
        kind: as ``DESCRIBE TABLE`` says it.
        checked: whether the sink checks dates and times where the type stands.
    """
    name, inner = named(kind)
    if name in ("Nullable", "LowCardinality"):
        return of_clickhouse(inner[0], checked)
    if name == "Array":
        return ListOf(of_clickhouse(inner[0], checked))
    if name == "Map":
        return MapOf(of_clickhouse(inner[0], False), of_clickhouse(inner[1], False))
    if name == "Tuple":
        pairs = [field_of(part, i) for i, part in enumerate(inner, 1)]
        return Fields(tuple((field, of_clickhouse(type_, False)) for field, type_ in pairs))
    if name == "Decimal":
        return decimal(int(inner[0]), int(inner[1]) if len(inner) > 1 else 0)
    held = _CLICKHOUSE.get(name)
    return Unchecked() if isinstance(held, _TEMPORAL) and not checked else held


def of_postgres(kind: str) -> Held:
    """What a type of PostgreSQL holds, as far as it changes a value without an error.

    Whole numbers, lengths of texts, and digits before the point raise errors of their own.

    Args:
        kind: as ``format_type`` says it.
    """
    if kind.endswith("[]"):
        return ListOf(of_postgres(kind.removesuffix("[]")))
    digits = [int(number) for number in re.findall(r"-?\d+", kind)]
    plain = re.sub(r"\(.*?\)", "", kind)
    if plain == "numeric" and digits:
        return Numbers(scale=digits[1] if len(digits) > 1 else 0)
    if plain.startswith("timestamp") and digits:
        return Instant(digits[0])
    if plain == "character varying" and digits:
        return Text(length=digits[0])
    if plain.startswith("interval") and kind != "interval":
        return Clock()
    return _POSTGRES.get(plain)


JDBC_BINARY = (-2, -3, -4, 2004)
"""Codes of ``java.sql.Types``: BINARY, VARBINARY, LONGVARBINARY, BLOB."""
_JDBC: dict[int, Held] = {
    -7: Flags(),
    16: Flags(),
    -6: whole(8),
    5: whole(16),
    4: whole(32),
    -5: whole(64),
    7: FLOAT,
    100: FLOAT,
    6: DOUBLE,
    8: DOUBLE,
    101: DOUBLE,
    91: Day(),
    92: Clock(),
    1: Text(fixed=True),
    -15: Text(fixed=True),
    **dict.fromkeys((-1, -16, 2005, 2011), Text()),
}


def of_jdbc(kind: str, code: int, size: int, digits: int) -> Held:
    """What a column holds, as a driver describes it; None: nobody knows.

    Args:
        kind: the type in the database's words.
        code: of ``java.sql.Types``.
        size: how many digits or letters.
        digits: after the point; of times, of a second.
    """
    name = kind.lower()
    if name in ("tinyint unsigned", "smallint unsigned", "int unsigned", "bigint unsigned"):
        bits = {"tinyint": 8, "smallint": 16, "int": 32, "bigint": 64}[name.split()[0]]
        return whole(bits, signed=False)
    if code in (93, 2014, -155, -101, -102):
        return Instant(min(digits, 6))
    if code in (12, -9):
        return Text(length=size if 0 < size < 1 << 16 else None)
    if code in (2, 3):
        unbounded = size <= 0 or size > 1000
        return ANY_NUMBER if unbounded else decimal(size, digits)
    return _JDBC.get(code)


def of_sqlite(kind: str) -> Held:
    """What a column of SQLite holds, by the affinity of its declared type."""
    name = kind.upper()
    if "INT" in name:
        return whole(64)
    if any(word in name for word in ("CHAR", "CLOB", "TEXT")):
        return Text()
    if any(word in name for word in ("REAL", "FLOA", "DOUB")):
        return DOUBLE
    return Flags() if name in ("BOOLEAN", "BOOL") else None


def of_arrow(kind: pa.DataType) -> Held:
    """What a type of Arrow holds: tables of lakes say theirs so."""
    import pyarrow as pa

    types = pa.types
    if types.is_boolean(kind):
        return Flags()
    if types.is_integer(kind):
        return whole(kind.bit_width, types.is_signed_integer(kind))
    if types.is_floating(kind):
        return FLOAT if kind.bit_width == 32 else DOUBLE
    if types.is_decimal(kind):
        return decimal(kind.precision, kind.scale)
    if types.is_string(kind) or types.is_large_string(kind) or types.is_string_view(kind):
        return Text()
    if types.is_date(kind):
        return Day()
    if types.is_timestamp(kind):
        return Instant({"s": 0, "ms": 3}.get(kind.unit, 6))
    if types.is_time(kind):
        return Clock()
    if types.is_map(kind):
        return MapOf(of_arrow(kind.key_type), of_arrow(kind.item_type))
    if types.is_list(kind) or types.is_large_list(kind) or types.is_list_view(kind):
        return ListOf(of_arrow(kind.value_type))
    if types.is_struct(kind):
        return Fields(tuple((f.name, of_arrow(f.type)) for f in kind))
    return None


def named(kind: str) -> tuple[str, list[str]]:
    """The name of a type and what stands in its brackets; "" and nothing: it is no such type."""
    found = _NAMED.fullmatch(kind.strip())
    return (found[1], parts_of(found[2] or "")) if found else ("", [])


def parts_of(inner: str) -> list[str]:
    """What commas separate, outside brackets and texts."""
    parts, depth, quoted = [""], 0, False
    for c in inner:
        quoted ^= c in "'`"
        depth += 0 if quoted else (c == "(") - (c == ")")
        if c == "," and depth == 0 and not quoted:
            parts.append("")
        else:
            parts[-1] += c
    return [part.strip() for part in parts]


def field_of(part: str, number: int) -> tuple[str, str]:
    """Name and type of a field of a tuple; fields without a name have a number."""
    found = re.fullmatch(r"(`[^`]+`|\w+) +(\w.*)", part, re.DOTALL)
    return (found[1].strip("`"), found[2]) if found else (str(number), part)
