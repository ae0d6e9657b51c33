"""Every type through `python -m groundswell serve`, beside Arrow.

As psycopg reads it by queries and by ``SUBSCRIBE``, and as events of HTTP have it.
"""

from __future__ import annotations

import json
import math
import re
import struct
import urllib.request
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Any

import psycopg
import pyarrow as pa
import pytest
from psycopg.types.datetime import IntervalBinaryLoader, IntervalLoader

import groundswell as gs
from groundswell.serve.server import Options, Server
from matrix import cells
from matrix.kinds import Kind
from matrix.values import column, shown, single

JSON = ("nested array", "map", "struct")
_LEFT_OUT = "the column is left out of the view, as the server's log says"
_CLOCK = re.compile(r"(-?)(\d+):(\d+):(\d+(?:\.\d+)?)")
_INTERVAL = re.compile(r"(?:(-?\d+) years?)? ?(?:(-?\d+) mons?)?")


class Intervals(IntervalLoader):
    """Years and months as texts: Python has no such intervals."""

    def load(self, data: Any) -> Any:
        text = bytes(data).decode()
        return text if "year" in text or "mon" in text else super().load(data)


class BinaryIntervals(IntervalBinaryLoader):
    """The same in binary form."""

    def load(self, data: Any) -> Any:
        months = struct.unpack(">qii", bytes(data))[2]
        return f"{months // 12} years {months % 12} mons" if months else super().load(data)


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

    server = Server(location, Options(port=0, http_port=0)).start()
    found: cells.Verdicts = {}
    told: cells.Verdicts = {}
    events: cells.Verdicts = {}
    dsn = f"host=127.0.0.1 port={server.port} user=test dbname=groundswell"
    try:
        with psycopg.connect(dsn, autocommit=True) as connection:
            for kind in taken:
                found[kind.name] = verdict(connection, location, view, kind, Text, Months)
            rows = [subscribed(connection, view, binary) for binary in (False, True)]
        assert server.events is not None
        sent = of_events(f"http://127.0.0.1:{server.events.port}/subscribe/{view}")
    finally:
        server.stop()
    for kind in taken:
        of = ["id", kind.column]
        try:
            want = gs.view_to_arrow(location, view, columns=of).sort_by("id")[kind.column]
        except gs.InvalidArgument:
            assert all(kind.column not in row for row in (*rows[0], *rows[1], *sent))
            told[kind.name] = events[kind.name] = f"{cells.REFUSED}: {_LEFT_OUT}"
            continue
        for each in rows:
            assert [read(row[kind.column], kind) for row in each] == wanted(want, kind), kind.name
        pairs = zip(sent, want.to_pylist(), strict=True)
        wrong = [(r[kind.column], v) for r, v in pairs if not is_shown(r[kind.column], v)]
        assert not wrong, (kind.name, wrong)
        told[kind.name] = events[kind.name] = cells.EQUAL
    cells.check("reader serve", "value", found)
    cells.check("reader subscribe", "value", told)
    cells.check("reader http subscribe", "value", events)


def subscribed(connection: Any, view: str, binary: bool) -> list[dict[str, Any]]:
    """The first rows of a subscription, by id."""
    connection.execute(f"DECLARE all_{binary} CURSOR WITH HOLD FOR SUBSCRIBE TO {view}")
    cursor = connection.cursor(binary=binary)
    cursor.adapters.register_loader("interval", BinaryIntervals if binary else Intervals)
    rows: list[dict[str, Any]] = []
    while fetched := cursor.execute(
        f"FETCH ALL FROM all_{binary} WITH (timeout = '{'1s' if rows else '20s'}')"
    ).fetchall():
        names = [column.name for column in cursor.description]
        rows += [dict(zip(names, row, strict=True)) for row in fetched]
    assert {row["change_type"] for row in rows} == {"insert"}
    return sorted(rows, key=lambda row: int(row["id"]))


def of_events(url: str) -> list[dict[str, Any]]:
    """The first rows of a subscription over HTTP, by id; numbers are exact."""
    rows: list[dict[str, Any]] = []
    with urllib.request.urlopen(url, timeout=60) as stream:
        for line in stream:
            if line.startswith(b"data: "):
                data = json.loads(line[6:], parse_float=Decimal)
                rows += [change["row"] for change in data["changes"]]
                if data["last"]:
                    break
    return sorted(rows, key=lambda row: int(row["id"]))


def is_shown(raw: Any, value: Any) -> bool:
    """Whether JSON has a value as docs/how-to/serve-views.md says."""
    match value:
        case None | bool() | str():
            return type(raw) is type(value) and raw == value
        case float():
            if not math.isfinite(value):
                names = {math.inf: "Infinity", -math.inf: "-Infinity"}
                return bool(raw == names.get(value, "NaN"))
            return repr(float(raw)) == repr(value)
        case int() | Decimal():
            return isinstance(raw, int | Decimal) and raw == value
        case datetime():
            return bool(raw == value.isoformat(" "))
        case date() | time():
            return bool(raw == value.isoformat())
        case bytes():
            return bool(raw == "\\x" + value.hex())
        case timedelta():
            sign, hours, minutes, seconds = _CLOCK.fullmatch(raw).groups()  # type: ignore[union-attr]
            micros = (int(hours) * 60 + int(minutes)) * 60_000_000 + int(Decimal(seconds) * 10**6)
            return (-micros if sign else micros) == value // timedelta(microseconds=1)
        case dict():
            return raw.keys() == value.keys() and all(is_shown(raw[k], value[k]) for k in value)
        case [tuple(), *_]:
            return len(raw) == len(value) and all(is_shown(raw[k], v) for k, v in value)
        case _:
            if not value:
                return raw in ([], {})
            return len(raw) == len(value) and all(map(is_shown, raw, value))


def verdict(connection: Any, location: str, view: str, kind: Kind, text: Any, months: Any) -> str:
    name = kind.column
    query = f'SELECT id, "{name}" FROM {view} ORDER BY id'
    try:
        want = gs.view_to_arrow(location, view, columns=["id", name]).sort_by("id")
    except gs.InvalidArgument:
        with pytest.raises(psycopg.errors.FeatureNotSupported) as refused:
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
        if value == timedelta(0):
            return "0"
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
