"""The sink of Iceberg on tables of others."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyspark.sql import types as t

import groundswell as gs
from groundswell.sinks.registry import sink_spec
from sinks.conformance import InArrow

pytest.importorskip("pyiceberg")

ROWS = pa.table({"id": pa.array([1, 2, 3], pa.int64()), "x": [0.0, 1.5, -0.0]})
SCHEMA = t.StructType([t.StructField("id", t.LongType()), t.StructField("x", t.DoubleType())])


def table(path: Path, partition: str) -> tuple[Any, dict[str, Any]]:
    """A table that is partitioned by a column, and the options of a sink into it."""
    from pyiceberg.catalog import load_catalog

    settings = {"uri": f"sqlite:///{path}/catalog.db", "warehouse": f"file://{path}", "type": "sql"}
    catalog = load_catalog("default", **settings)
    catalog.create_namespace("shop")
    made = catalog.create_table("shop.out", ROWS.schema)
    with made.update_spec() as spec:
        spec.add_identity(partition)
    return made, {"table": "shop.out", "mode": "append", **settings}


def append(options: dict[str, Any]) -> None:
    """One epoch of all rows."""
    sink = sink_spec("out", "v", "iceberg", options).make()
    sink.open(gs.SinkStart("out", "id", "v", SCHEMA, (), True, 1, None, None, "/"))  # type: ignore[arg-type]
    sink.write(0, InArrow(ROWS.append_column("_change_type", pa.array(["insert"] * len(ROWS)))))
    sink.commit(0)
    sink.close()


def test_a_table_partitioned_by_a_double_is_refused(tmp_path: Path) -> None:
    """pyiceberg 0.12.0 stores the rows of both zeros twice there."""
    made, options = table(tmp_path, "x")
    with pytest.raises(gs.SinkError, match=r"partitioned by column x of type double.*twice"):
        append(options)
    assert made.refresh().scan().to_arrow().num_rows == 0


def test_both_zeros_are_stored_once_elsewhere(tmp_path: Path) -> None:
    made, options = table(tmp_path, "id")
    append(options)
    stored = made.refresh().scan().to_arrow().sort_by("id")
    assert [str(x) for x in stored["x"].to_pylist()] == ["0.0", "1.5", "-0.0"]
