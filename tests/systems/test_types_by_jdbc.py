"""Every type of Spark into databases by JDBC: engines of the driver's JVM, and real servers."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime
from decimal import Context, Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

from matrix import cells
from matrix.kinds import Kind
from matrix.values import shown, single
from sinks.types_conformance import Pairs, Typed, TypesConformance
from systems.test_jdbc_sink import ENGINES, Table, place, servers, session

__all__ = ["servers", "session"]

_BYTES = {
    "h2": "rawtohex({v})",
    "hsqldb": "rawtohex({v})",
    "sqlite": "CASE WHEN {v} IS NOT NULL THEN hex({v}) END",
    "mariadb": "hex({v})",
    "postgres": "encode({v}, 'hex')",
    "derby": "{v}",
}
"""What shows bytes as digits, by engine; Derby's driver does it itself."""
_ONE_ZERO = ("h2", "sqlite", "derby", "mariadb")
"""Engines that store -0.0 as 0.0, which Spark takes for equal."""
_DIVIDED = {
    "0E0/0E0": "nan",
    "1E0/0E0": "inf",
    "-1E0/0E0": "-inf",
    "1E0/0": "inf",
    "-1E0/0": "-inf",
}
"""How HSQLDB writes what is no number."""
_WIDE = Context(prec=76)
_TIME = re.compile(r"(\d+)-(\d+)-(\d+)[ T](\d+):(\d+)(?::(\d+)(?:\.(\d+))?)?(.*)")


class Typical(Table, Typed):
    """A table of ``id`` and ``v`` that the sink makes."""

    def __init__(self, spark: SparkSession, where: dict[str, Any], engine: str) -> None:
        Table.__init__(self, spark, where)
        self.engine = engine

    def pairs(self, kind: Kind, key: bool) -> Pairs:
        id_, v = self.quoted("id"), self.quoted("v")
        if kind.type == "binary":
            v = _BYTES[self.engine].format(v=v)
        elif kind.type == "float" and self.engine == "mariadb":  # it shows six digits of a float
            v = f"CAST({v} AS DOUBLE)"
        elif kind.type in ("float", "double") and self.engine == "sqlite":
            v = f"CASE WHEN {v} IS NOT NULL THEN printf('%!.17g', {v}) END"
        found = self.ask(f"SELECT {id_}, {v} FROM {self.quoted(self.table)}")
        read = ((int(str(i)), None if v is None else _parsed(v, kind)) for i, v in found)
        is_key = key or self.engine in _ONE_ZERO
        texts = ((i, single(v, is_key) if _single(v, kind) else shown(v, is_key)) for i, v in read)
        return sorted(((i, repr(v)) for i, v in texts), key=repr)

    def expected(self, table: pa.Table, kind: Kind, key: bool) -> Pairs:
        return super().expected(table, kind, key or self.engine in _ONE_ZERO)


def _single(value: Any, kind: Kind) -> bool:
    return kind.type == "float" and value is not None


def _parsed(text: str, kind: Kind) -> Any:
    """A value of Python of what a driver shows."""
    match kind.type.partition("(")[0]:
        case "boolean":
            return text.lower() in ("1", "true", "t")
        case "float" | "double":
            return float(_DIVIDED.get(text, text))
        case "tinyint" | "smallint" | "int" | "bigint":
            return int(text)
        case "decimal":
            scale = int(kind.type.rstrip(")").partition(",")[2])
            return Decimal(text).quantize(Decimal(1).scaleb(-scale), context=_WIDE)
        case "date":
            return date(*map(int, text.split("-")))
        case "timestamp" | "timestamp_ntz":
            return _time(text, kind)
        case "binary":
            return bytes.fromhex(text)
        case _:
            return text


def _time(text: str, kind: Kind) -> datetime:
    found = _TIME.fullmatch(text)
    assert found, text
    parts = [int(part or 0) for part in found.groups()[:6]]
    micros = int((found[7] or "")[:6].ljust(6, "0"))
    assert found[8] in ("", "+00", "Z", "+0:00", "+00:00"), text
    return datetime(*parts, micros, tzinfo=UTC if kind.type == "timestamp" else None)


@pytest.fixture(autouse=True)
def _utc(session: SparkSession) -> Iterator[None]:
    """Drivers show instants in the zone of their JVM."""
    assert session._jvm is not None
    zones = session._jvm.java.util.TimeZone
    was = zones.getDefault()
    zones.setDefault(zones.getTimeZone("UTC"))
    yield
    zones.setDefault(was)


@pytest.mark.parametrize("engine", ENGINES)
class TestJdbc(TypesConformance):
    @pytest.fixture
    def fresh(
        self, session: SparkSession, engine: str, tmp_path: Path, servers: dict[str, Any]
    ) -> Callable[[], Typed]:
        self.door = f"sink jdbc {engine}"  # type: ignore[misc]
        where = place(engine, tmp_path, servers)
        return lambda: Typical(session, where, engine)


def test_cells_of_all_engines_are_known() -> None:
    doors = {door for door in cells.load() if door.startswith("sink jdbc")}
    assert doors == {f"sink jdbc {engine}" for engine in ENGINES}
