"""Every type of Spark that PostgreSQL has, out of the bytes that logical decoding sends.

`tests/systems/test_types.py` reads the same values from a real server.
"""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession
from pyspark.sql.types import DataType, StructType

from groundswell.sources.postgres_rows import Batches, changes
from groundswell.sources.postgres_server import PgPlan, PgTable
from groundswell.sources.tagged import batched
from matrix import cells, kinds, pgoutput
from matrix.kinds import Kind
from matrix.values import pairs
from sinks.conftest import session

pytestmark = pytest.mark.rest

__all__ = ["session"]

LONG = 20


@pytest.fixture
def spark(session: SparkSession) -> Iterator[SparkSession]:
    with kinds.with_times(session):
        yield session


def read(kind: Kind, type_: DataType, rows: pa.Table, role: str) -> pa.Table:
    """The rows that a source has of inserts; and of a delete, where the kind is the key."""
    (oid, _), key = pgoutput.OIDS[kind.name], "v" if role == "key" else "id"
    schema = StructType().add("id", "long").add("v", type_)
    columns = tuple((f.name, f.dataType) for f in schema.fields)
    modifier = pgoutput.modifier(kind)
    table = PgTable("public", "t", columns, (key,), "t", (LONG, oid), (-1, modifier))
    plan = PgPlan({}, (table,), "s", "p", 100, 1.0, "error")
    texts = [[str(i), pgoutput.text(v, kind)] for i, v in pgoutput.pairs_of(rows)]
    sent = [
        pgoutput.begin(20),
        pgoutput.relation(
            7, "t", [("id", LONG, -1, key == "id"), ("v", oid, modifier, key == "v")]
        ),
        *(pgoutput.insert(7, row) for row in texts),
        *(pgoutput.delete(7, [None, row[1]]) for row in texts if key == "v"),
    ]
    made = pa.Table.from_batches([*batched(Batches(plan), changes(plan, sent, 10, 100))])
    return pa.Table.from_struct_array(made["t0"].combine_chunks())


@pytest.mark.parametrize("role", ["value", "key"])
def test_every_type_of_logical_decoding(spark: SparkSession, role: str) -> None:
    found: cells.Verdicts = {}
    for kind in pgoutput.written() if role == "value" else pgoutput.comparable():
        frame = kinds.keys(spark, kind) if role == "key" else kinds.frame(spark, kind)
        if kind.type.startswith("char"):
            frame = frame.selectExpr("id", "rpad(v, 4, ' ') AS v")
        rows = frame.toArrow()
        got = read(kind, frame.schema["v"].dataType, rows, role)
        there, gone = got.slice(0, rows.num_rows), got.slice(rows.num_rows)
        assert pairs(there["id"], there["v"]) == pairs(rows["id"], rows["v"]), kind.name
        if role == "key":
            ids = pa.nulls(rows.num_rows, pa.int64())
            assert pairs(gone["id"], gone["v"]) == pairs(ids, rows["v"]), kind.name
        found[kind.name] = cells.EQUAL
    cells.check("source postgres", role, found)
