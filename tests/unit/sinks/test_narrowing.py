"""``narrowing = 'fail'``: a narrower column is taken, and the row that does not fit is named."""

from __future__ import annotations

import math
from datetime import datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyspark.sql import types as t

import groundswell as gs
from groundswell.sinks.holding import Held
from groundswell.sinks.narrowing import FAIL, REFUSE, Narrowing
from groundswell.sinks.target_types import of_arrow, of_clickhouse, of_postgres
from sinks.conformance import Driven, Target, delete, insert, update

LONG, DOUBLE, TIME = t.LongType(), t.DoubleType(), t.TimestampNTZType()


def taken(kind: t.DataType, held: Held, option: str = FAIL) -> Narrowing:
    narrowing = Narrowing(option)
    narrowing.take("table x", t.StructField("n", kind), "its type", held)
    return narrowing


def rows(*values: Any, type_: pa.DataType | None = None) -> pa.Table:
    return pa.table({"id": range(len(values)), "n": pa.array(values, type_)})


@pytest.mark.parametrize(
    ("kind", "held", "fits", "broken"),
    [
        (LONG, of_clickhouse("Int32"), [None, 2**31 - 1, -(2**31)], [2**31, -(2**31) - 1]),
        (LONG, of_clickhouse("UInt8"), [0, 255], [-1, 256]),
        (LONG, of_postgres("double precision"), [2**53, 2**60], [2**53 + 1]),
        (
            t.DecimalType(20, 4),
            of_clickhouse("Decimal(10, 2)"),
            [Decimal("1.2300"), Decimal("99999999.99")],
            [Decimal("1.2399"), Decimal("100000000.0000")],
        ),
        (
            t.DecimalType(20, 4),
            of_postgres("numeric(10,2)"),
            [Decimal("1.2300")],
            [Decimal("1.2399")],
        ),
        (
            t.DecimalType(20, 4),
            of_postgres("real"),
            [Decimal("123.4560")],
            [Decimal("1234567.8000")],
        ),
        (DOUBLE, of_clickhouse("Float32"), [0.5, math.nan, math.inf, -0.0], [0.1, 1e300]),
        (
            TIME,
            of_postgres("timestamp(3) without time zone"),
            [datetime(2026, 1, 1, 0, 0, 0, 123_000)],
            [datetime(2026, 1, 1, 0, 0, 0, 123_400)],
        ),
        (t.ArrayType(LONG), of_clickhouse("Array(Int8)"), [[1, None], []], [[1, 128]]),
    ],
)
def test_values_that_a_column_holds_pass_and_others_are_named(
    kind: t.DataType, held: Held, fits: list[Any], broken: list[Any]
) -> None:
    narrowing = taken(kind, held)
    assert narrowing.columns, "the column is narrower"
    narrowing.check(rows(*fits), ["id"])
    for value in broken:
        with pytest.raises(gs.SinkError) as failed:
            narrowing.check(rows(*fits, value), ["id"])
        text = str(failed.value)
        assert f"of the row id = {len(fits)}. Correct the row" in text
        assert f"does not hold {value}" in text and "column n of table x" in text
    with pytest.raises(gs.SinkError, match="values could be changed"):
        taken(kind, held, REFUSE)


@pytest.mark.parametrize(
    ("kind", "held"),
    [
        (DOUBLE, of_clickhouse("Int32")),
        (t.DecimalType(10, 2), of_clickhouse("Int64")),
        (t.StringType(), of_clickhouse("FixedString(4)")),
        (t.TimestampType(), of_postgres("date")),
        (t.StructType([t.StructField("a", LONG)]), of_arrow(pa.struct([]))),
    ],
)
def test_columns_whose_values_cannot_be_judged_stay_refused(kind: t.DataType, held: Held) -> None:
    with pytest.raises(gs.SinkError, match="values could be changed"):
        taken(kind, held)


def test_a_wide_column_is_not_looked_at() -> None:
    narrowing = taken(LONG, of_clickhouse("Int64"))
    assert not narrowing.columns


class Narrow(Target):
    format = "delta"

    def __init__(self, path: Path) -> None:
        self.options = {"path": str(path), "narrowing": "fail"}

    def rows(self) -> list[tuple[Any, ...]]:
        import deltalake

        table = deltalake.DeltaTable(self.options["path"]).to_pyarrow_table()
        return sorted((row["customer"], row["n"]) for row in table.to_pylist())


def test_a_delta_table_with_a_narrower_column_takes_what_fits(tmp_path: Path) -> None:
    deltalake = pytest.importorskip("deltalake", reason="not installed: pip install '.[delta]'")
    schema = {"customer": pa.int64(), "n": pa.int8(), "total": pa.float64(), "name": pa.string()}
    deltalake.DeltaTable.create(str(tmp_path / "out"), schema=pa.schema(schema.items()))
    target = Narrow(tmp_path / "out")
    driven = Driven(target)
    driven.start()
    driven.epoch(0, insert(1, 127), insert(2, -128))
    with pytest.raises(
        gs.SinkError, match=r"column n .* does not hold 128 of the row customer = 1"
    ):
        driven.epoch(1, *update(1, 127, 128))
    assert target.rows() == [(1, 127), (2, -128)]
    again = Driven(target)
    again.start(0)
    again.epoch(1, *update(1, 127, 7), delete(2, -128))
    assert target.rows() == [(1, 7)]
