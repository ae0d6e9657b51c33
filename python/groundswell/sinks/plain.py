"""Values of Arrow as JSON has them, in the way of Spark's ``to_json``."""

from __future__ import annotations

import base64
import json
import math
from collections.abc import Iterator
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from groundswell.format.python_values import python_values

if TYPE_CHECKING:
    import pyarrow as pa


def plain(value: Any, kind: pa.DataType) -> Any:
    """The value as numbers, texts, lists and dictionaries.

    Times are ISO 8601, those with a zone in UTC; decimals and intervals are texts; bytes are
    base64; floats that JSON does not have are "NaN", "Infinity" and "-Infinity".
    """
    import pyarrow as pa

    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else _name(value)
    if isinstance(value, datetime):
        return value.astimezone(UTC).isoformat() if value.tzinfo else value.isoformat()
    if isinstance(value, date | time):
        return value.isoformat()
    if isinstance(value, Decimal):
        return format(value, "f")
    if isinstance(value, timedelta):
        return f"{value // timedelta(microseconds=1)} microseconds"
    if isinstance(value, bytes):
        return base64.b64encode(value).decode()
    if pa.types.is_map(kind):
        return {_key(plain(k, kind.key_type)): plain(v, kind.item_type) for k, v in value}
    if pa.types.is_struct(kind):
        return {f.name: plain(value[f.name], f.type) for f in kind}
    return [plain(v, kind.value_type) for v in value]


def rows_of(table: pa.Table) -> Iterator[dict[str, Any]]:
    """The rows as dictionaries of plain values."""
    names, kinds = table.column_names, [column.type for column in table.columns]
    simple = [_is_simple(kind) for kind in kinds]
    for batch in table.to_batches(max_chunksize=16_384):
        columns = [
            values if easy else [plain(v, kind) for v in values]
            for values, kind, easy in zip(
                map(python_values, batch.columns), kinds, simple, strict=True
            )
        ]
        for row in zip(*columns, strict=True):
            yield dict(zip(names, row, strict=True))


def as_json(row: dict[str, Any] | None) -> bytes | None:
    """A row of :func:`rows_of` as one line of JSON."""
    if row is None:
        return None
    return json.dumps(row, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode()


def _is_simple(kind: pa.DataType) -> bool:
    import pyarrow as pa

    types = pa.types
    return bool(
        types.is_integer(kind)
        or types.is_boolean(kind)
        or types.is_string(kind)
        or types.is_large_string(kind)
    )


def _name(value: float) -> str:
    return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"


def _key(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
