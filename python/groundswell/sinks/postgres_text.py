"""Arrow rows as the CSV that PostgreSQL's COPY reads: null is nothing, an empty text is ``""``."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import time, timedelta
from typing import TYPE_CHECKING, Any

from groundswell.sinks.plain import plain

if TYPE_CHECKING:
    import pyarrow as pa

ROWS = 16_384
"""Rows of one block that is sent."""


def as_csv(rows: pa.Table) -> Iterator[bytes]:
    """Blocks of lines."""
    import io

    import pyarrow as pa
    from pyarrow import csv

    texts = pa.table({str(i): _texts(column) for i, column in enumerate(rows.columns)})
    options = csv.WriteOptions(include_header=False)
    for batch in texts.to_batches(max_chunksize=ROWS):
        block = io.BytesIO()
        csv.write_csv(pa.Table.from_batches([batch]), block, options)
        yield block.getvalue()


def _texts(column: Any) -> Any:
    import pyarrow as pa
    import pyarrow.compute as pc

    kind = column.type
    types = pa.types
    if types.is_boolean(kind) or types.is_integer(kind) or types.is_date(kind):
        return column
    if types.is_string(kind) or types.is_large_string(kind) or types.is_floating(kind):
        return column
    if types.is_decimal(kind):
        return pc.cast(column, pa.string())
    if types.is_timestamp(kind):
        zone = "+00" if kind.tz else ""
        plain = pc.cast(pc.cast(column, pa.timestamp(kind.unit)), pa.string())
        return pc.binary_join_element_wise(plain, pa.scalar(zone), "")
    return pa.array(
        [None if v is None else _text(v, kind) for v in column.to_pylist()], pa.string()
    )


def _text(value: Any, kind: Any) -> str:
    import pyarrow as pa

    if isinstance(value, bytes):
        return "\\x" + value.hex()
    if isinstance(value, timedelta):
        return f"{value // timedelta(microseconds=1)} microseconds"
    if isinstance(value, time):
        return value.isoformat()
    if pa.types.is_list(kind) and not _nested(kind.value_type):
        return "{" + ",".join(_element(v) for v in value) + "}"
    return json.dumps(plain(value, kind), ensure_ascii=False)


def _nested(kind: Any) -> bool:
    import pyarrow as pa

    return bool(pa.types.is_nested(kind) or pa.types.is_binary(kind))


def _element(value: Any) -> str:
    if value is None:
        return "NULL"
    if isinstance(value, timedelta):
        return f'"{value // timedelta(microseconds=1)} microseconds"'
    escaped = str(value).replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
