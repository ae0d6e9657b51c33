"""Filters find every row that the sink of Delta Lake wrote: no file is skipped by a wrong bound."""

from __future__ import annotations

import json
import math
from datetime import datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from pyspark.sql import types as t

import groundswell as gs
from groundswell.sinks import delta_bounds
from groundswell.sinks.registry import sink_spec
from sinks.conformance import InArrow

deltalake = pytest.importorskip("deltalake")

LONG = Decimal("99999999999999999.99")
ROWS = pa.table(
    {
        "id": pa.array([1, 2, 3], pa.int64()),
        "x": pa.array([5.0, math.inf, math.nan]),
        "f": pa.array([5.0, -math.inf, 1.0], pa.float32()),
        "long": pa.array([Decimal(1), LONG, -LONG], pa.decimal128(19, 2)),
        "short": pa.array([Decimal(1), Decimal("9999999999999.99"), None], pa.decimal128(15, 2)),
        "at": pa.array([datetime(2038, 1, 19, 3, 14, 7, 123457)] * 3, pa.timestamp("us")),
        "a name": pa.array(["x", "y", None]),
        "in": pa.array([{"x": 1.0}, {"x": math.nan}, None]),
    }
)
SCHEMA = t.StructType(
    [
        t.StructField("id", t.LongType()),
        t.StructField("x", t.DoubleType()),
        t.StructField("f", t.FloatType()),
        t.StructField("long", t.DecimalType(19, 2)),
        t.StructField("short", t.DecimalType(15, 2)),
        t.StructField("at", t.TimestampNTZType()),
        t.StructField("a name", t.StringType()),
        t.StructField("in", t.StructType([t.StructField("x", t.DoubleType())])),
    ]
)


def written(path: Path, mode: str, **options: Any) -> Any:
    """A table after one epoch of all rows and one that writes the first again."""
    sink = sink_spec("out", "v", "delta", {"path": str(path), "mode": mode, **options}).make()
    key = ("id",) if mode == "merge" else ()
    sink.open(gs.SinkStart("out", "id", "v", SCHEMA, key, mode == "append", 1, None, None, "/"))  # type: ignore[arg-type]
    for epoch, rows in enumerate((ROWS, ROWS.slice(0, 1))):
        kinds = pa.array(["insert"] * len(rows))
        sink.write(epoch, InArrow(rows.append_column("_change_type", kinds)))
        sink.commit(epoch)
    sink.close()
    return deltalake.DeltaTable(str(path))


@pytest.mark.parametrize("mode", ["merge", "append"])
def test_filters_find_what_the_sink_wrote(tmp_path: Path, mode: str) -> None:
    table = written(tmp_path, mode, create_table=True)
    rows = table.to_pyarrow_table()
    dataset = table.to_pyarrow_dataset()
    for name in ("id", "x", "f", "long", "short", "at"):
        for value in filter(lambda v: v.is_valid, rows[name].unique()):
            field, number = pc.field(name), value.as_py()
            nan = isinstance(number, float) and math.isnan(number)
            same = pc.is_nan(field) if nan else field == value
            wanted = len(rows.filter(same))
            assert wanted
            assert len(dataset.to_table(filter=same)) == wanted, (name, value)


@pytest.mark.parametrize("mode", ["merge", "append"])
def test_the_log_and_the_files_bound_the_same_columns(tmp_path: Path, mode: str) -> None:
    bounded = {"id", "short", "at", "a name"}
    written(tmp_path, mode, create_table=True)
    adds = [
        json.loads(line)["add"]
        for log in sorted((tmp_path / "_delta_log").glob("*.json"))
        for line in log.read_text().splitlines()
        if '"add"' in line
    ]
    assert len(adds) == 2
    for add in adds:
        stats = json.loads(add["stats"])
        assert set(stats["maxValues"]) == set(stats["minValues"]) == bounded
        group = pq.ParquetFile(tmp_path / add["path"]).metadata.row_group(0)
        columns = [group.column(i) for i in range(group.num_columns)]
        assert {c.path_in_schema for c in columns if c.statistics} == bounded
        assert {c.compression for c in columns} == {"SNAPPY"}


def test_a_table_of_others_keeps_its_bounds(tmp_path: Path) -> None:
    deltalake.DeltaTable.create(str(tmp_path), schema=ROWS.schema)
    table = written(tmp_path, "merge")
    assert table.metadata().configuration == {}
    assert "max.x" in pa.table(table.get_add_actions(flatten=True)).column_names


def test_a_made_table_lists_the_feature_that_its_key_needs(tmp_path: Path) -> None:
    """Spark reads no table of writer version 7 with a column without null but without it."""
    table = written(tmp_path, "merge", create_table=True)
    assert not table.schema().to_arrow().field("id").nullable
    assert table.protocol().min_writer_version == 7
    assert set(table.protocol().writer_features) == {"timestampNtz", "invariants"}
    version = table.version()
    written(tmp_path, "merge", create_table=True)  # nothing is left to mend
    logs = sorted((tmp_path / "_delta_log").glob("*.json"))[version + 1 :]
    assert not any('"protocol"' in log.read_text() for log in logs)


def test_a_table_that_was_made_without_the_feature_gets_it(tmp_path: Path) -> None:
    schema = ROWS.schema.set(0, ROWS.schema.field("id").with_nullable(False))
    made = deltalake.DeltaTable.create(str(tmp_path), schema=schema)
    assert "invariants" not in made.protocol().writer_features  # else the sink has nothing to do
    assert "invariants" in written(tmp_path, "merge", create_table=True).protocol().writer_features


@pytest.mark.parametrize("kind", [pa.decimal128(19, 2), pa.binary()])
def test_a_partition_that_deltalake_writes_wrong_is_refused(
    tmp_path: Path, kind: pa.DataType
) -> None:
    """A negative decimal there makes the table unreadable for everybody."""
    schema = ROWS.schema.set(3, pa.field("long", kind))
    deltalake.DeltaTable.create(str(tmp_path), schema=schema, partition_by=["long"])
    with pytest.raises(gs.SinkError, match=r"partitioned by column long of type .*another column"):
        written(tmp_path, "merge")
    assert deltalake.DeltaTable(str(tmp_path)).version() == 0


def test_properties_of_a_table_without_exact_bounds() -> None:
    schema = pa.schema([("x", pa.float64()), ("a`b", pa.int64()), ("a,b", pa.string())])
    assert delta_bounds.properties(schema) == {delta_bounds.FIRST: "0"}
    assert delta_bounds.writer(deltalake, {delta_bounds.FIRST: "0"}) is None


def test_a_wide_table_has_bounds_of_its_first_columns() -> None:
    schema = pa.schema([(f"c{i}", pa.int64()) for i in range(40)])
    listed = delta_bounds.properties(schema)[delta_bounds.LISTED].split(",")
    assert listed == [f"c{i}" for i in range(delta_bounds.COLUMNS)]


def test_names_of_the_list_are_read_back() -> None:
    made = delta_bounds.writer(deltalake, {delta_bounds.LISTED: "id, `a.b`,`c``d`,`e,f`"})
    assert set(made.column_properties) == {"id", "a.b", "c`d", "e,f"}
