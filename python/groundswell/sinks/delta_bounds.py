"""Which columns of a Delta table have bounds: the least and largest value of each file.

Readers skip a file whose bounds rule a filter out. Some that deltalake writes rule out values which
are in the file: a maximum leaves NaN out, an infinity becomes null, and a decimal is rounded to a
double. So a table that a sink makes lists the columns with exact bounds as its property, and the
sink's files have bounds of these columns only.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pyarrow as pa

LISTED = "delta.dataSkippingStatsColumns"
FIRST = "delta.dataSkippingNumIndexedCols"
COLUMNS = 32
"""How many columns have bounds at most; Delta's own default."""
EXACT_DIGITS = 15
"""Decimals of as many digits come out of a double as they went in."""
_PLAIN = re.compile(r"[A-Za-z0-9_]+")
_NAMES = re.compile(r"`((?:[^`]|``)+)`|([A-Za-z0-9_]+)")


def properties(schema: pa.Schema) -> dict[str, str]:
    """The properties of a new table by which only exact bounds are written."""
    names = [_quoted(field.name) for field in schema if _exact(field.type) and _named(field.name)]
    return {LISTED: ",".join(names[:COLUMNS])} if names else {FIRST: "0"}


def writer(lake: Any, configuration: Mapping[str, str]) -> Any:
    """How the files of a table are written.

    Args:
        lake: the package deltalake.
        configuration: the table's properties.

    Returns:
        Writer properties; None, deltalake's own, of a table that does not list its columns.
    """
    listed = configuration.get(LISTED)
    if listed is None:
        return None
    names = [quoted.replace("``", "`") or plain for quoted, plain in _NAMES.findall(listed)]
    bounds, none = (lake.ColumnProperties(statistics_enabled=v) for v in ("CHUNK", "NONE"))
    return lake.WriterProperties(
        compression="SNAPPY",  # deltalake's default, lost where properties are given
        default_column_properties=none,
        column_properties=dict.fromkeys(names, bounds),
    )


def _exact(kind: pa.DataType) -> bool:
    import pyarrow.types as of

    if of.is_decimal(kind):
        return bool(kind.precision <= EXACT_DIGITS)
    tests = (of.is_integer, of.is_string, of.is_large_string, of.is_date, of.is_timestamp)
    return any(test(kind) for test in tests)


def _named(name: str) -> bool:
    """Whether every reader of the list finds the name in it."""
    return "`" not in name and "," not in name


def _quoted(name: str) -> str:
    return name if _PLAIN.fullmatch(name) else f"`{name}`"
