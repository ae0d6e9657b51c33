"""Every type through `python -m groundswell serve`, as psycopg reads it, beside Arrow."""

from __future__ import annotations

import json
import math
import re
import struct
from datetime import date, time, timedelta
from typing import Any

import psycopg
import pyarrow as pa
import pytest

import groundswell as gs
from groundswell.serve.server import Options, Server
from matrix import cells
from matrix.kinds import Kind
from matrix.values import column, shown, single

JSON = ("nested array", "map", "struct")
_INTERVAL = re.compile(r"(?:(-?\d+) years?)? ?(?:(-?\d+) mons?)?")


def read_by_postgres(location: str, view: str, taken: list[Kind]) -> None:
    """Reads a view by both forms of the protocol, and notes the verdicts."""

    class Text(psycopg.adapt.Loader):
        def load(self, data: Any) -> str:
            return bytes(data).decode()

    class Months(psycopg.adapt.Loader):
        format = psycopg.pq.Format.BINARY

        def load(self, data: Any) -> str:
            micros, days, months = struct.unpack(">qii", bytes(data))
            return f"{months // 12} years {months % 12} mons" if months else micros or days

    server = Server(location, Options(port=0)).start()
    found: cells.Verdicts = {}
    dsn = f"host=127.0.0.1 port={server.port} user=test dbname=groundswell"
    try:
        with psycopg.connect(dsn, autocommit=True) as connection:
            for kind in taken:
                found[kind.name] = verdict(connection, location, view, kind, Text, Months)
    finally:
        server.stop()
    cells.check("reader serve", "value", found)


def verdict(connection: Any, location: str, view: str, kind: Kind, text: Any, months: Any) -> str:
    name = kind.column
    query = f'SELECT id, "{name}" FROM {view} ORDER BY id'
    try:
        want = gs.view_to_arrow(location, view, columns=["id", name]).sort_by("id")
    except gs.InvalidArgument:
        with pytest.raises(psycopg.errors.UndefinedColumn) as refused:
            connection.execute(query)
        return f"{cells.REFUSED}: {str(refused.value).splitlines()[0]}"
    for binary in (False, True):
        cursor = connection.cursor(binary=binary)
        if kind.name == "interval year to month":
            cursor.adapters.register_loader("interval", months if binary else text)
        got = cursor.execute(query).fetchall()
        assert [row[0] for row in got] == want["id"].to_pylist()
        values = [read(row[1], kind) for row in got]
        expected = wanted(want[name], kind)
        assert values == expected, (name, binary)
    return cells.EQUAL


def wanted(values: Any, kind: Kind) -> list[Any]:
    if kind.name in JSON:
        return [as_json(v, values.type) for v in values.to_pylist()]
    return column(values)


def as_json(value: Any, of: Any) -> Any:
    """What JSON has for a value, as docs/how-to/serve-views.md says."""
    if value is None:
        return None
    if pa.types.is_struct(of):
        return {k: as_json(v, of.field(k).type) for k, v in value.items()}
    if pa.types.is_map(of):
        return {k: as_json(v, of.item_type) for k, v in value}
    if pa.types.is_list(of):
        return [as_json(v, of.value_type) for v in value]
    if isinstance(value, float) and math.isnan(value):
        return "NaN"
    return value.isoformat() if isinstance(value, date) else value


def read(value: Any, kind: Kind) -> Any:
    """What psycopg gives, as :mod:`matrix.values` shows it."""
    if value is None:
        return None
    if kind.name in JSON:
        return json.loads(value) if isinstance(value, str) else value
    if kind.name == "interval year to month":
        if isinstance(value, int):
            return str(value)
        if value.endswith(("00:00:00",)):
            return "0"
        years, mons = _INTERVAL.fullmatch(value).groups(default="0")  # type: ignore[union-attr]
        return str(int(years) * 12 + int(mons))
    if isinstance(value, timedelta):
        return f"{value // timedelta(microseconds=1)} us"
    if isinstance(value, time):
        micros = ((value.hour * 60 + value.minute) * 60 + value.second) * 1_000_000
        return f"{(micros + value.microsecond) * 1000} ns"
    if kind.name == "float":
        return single(value)
    return shown(value)
