"""The sink of Iceberg on tables of others."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession
from pyspark.sql import types as t

import groundswell as gs
from groundswell.sinks.registry import sink_spec
from sinks.conformance import InArrow

pytestmark = pytest.mark.rest

pytest.importorskip("pyiceberg")

ROWS = pa.table({"id": pa.array([1, 2, 3], pa.int64()), "x": [0.0, 1.5, -0.0]})
SCHEMA = t.StructType([t.StructField("id", t.LongType()), t.StructField("x", t.DoubleType())])


PAIR = pa.struct([("a", pa.int64())])
LISTS = pa.list_(PAIR)
DEEP = pa.struct([("l", LISTS)])


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


class Column:
    """A table of ``id`` and a column ``v``, and a sink into it."""

    def __init__(self, path: Path, v: pa.Field, mode: str, **options: Any) -> None:
        from pyiceberg.catalog import load_catalog
        from pyspark.sql.pandas.types import from_arrow_schema

        path.mkdir(exist_ok=True)
        settings = {"uri": f"sqlite:///{path}/c.db", "warehouse": f"file://{path}", "type": "sql"}
        catalog = load_catalog("default", **settings)
        catalog.create_namespace("shop")
        self.schema = pa.schema([pa.field("id", pa.int64(), nullable=mode != "merge"), v])
        self.table = catalog.create_table("shop.out", self.schema)
        self.sink = sink_spec(
            "out", "v", "iceberg", {"table": "shop.out", "mode": mode, **settings, **options}
        ).make()
        self.start = gs.SinkStart(
            "out", "id", "v", from_arrow_schema(self.schema),
            ("id",) if mode == "merge" else (), mode != "merge", 1, None, None, "/",
        )  # type: ignore[arg-type]  # fmt: skip
        self.epochs = 0

    def insert(self, *rows: tuple[int, Any], change: str = "insert") -> None:
        made = pa.table(
            {
                "id": pa.array([r[0] for r in rows], pa.int64()),
                "v": pa.array([r[1] for r in rows], self.schema.field("v").type),
                "_change_type": pa.array([change] * len(rows)),
            }
        )
        self.sink.write(self.epochs, InArrow(made))
        self.sink.commit(self.epochs)
        self.epochs += 1

    def rows(self) -> dict[int, Any]:
        found = self.table.refresh().scan().to_arrow()
        return dict(zip(found["id"].to_pylist(), found["v"].to_pylist(), strict=True))


LOST = [
    (LISTS, None),
    (pa.map_(pa.string(), PAIR), None),
    (DEEP, {"l": None}),
    (pa.list_(DEEP), [{"l": []}, {"l": None}]),
    (pa.map_(pa.string(), DEEP), [("k", {"l": None})]),
    (pa.map_(DEEP, PAIR), [({"l": None}, {"a": 1})]),
]
"""Types, and values of which pyiceberg 0.12.0 stores others."""
KEPT = [
    (LISTS, [None, {"a": None}]),
    (pa.list_(LISTS), [None, []]),
    (pa.list_(LISTS), None),
    (pa.map_(pa.string(), LISTS), [("k", None)]),
    (pa.list_(pa.list_(DEEP)), [[{"l": None}]]),
    (pa.map_(DEEP, pa.int64()), [({"l": None}, 1)]),
    (DEEP, None),
    (pa.list_(pa.int64()), None),
]


@pytest.mark.parametrize(("kind", "value"), LOST)
def test_a_null_that_would_become_empty_is_a_refused_row(
    tmp_path: Path, kind: pa.DataType, value: Any
) -> None:
    """It was stored as an empty list or map, without an error."""
    column = Column(tmp_path, pa.field("v", kind), "append")
    column.sink.open(column.start)
    with pytest.raises(gs.SinkRowRefused, match=r"column v .* null list or map .* id = 1,"):
        column.insert((1, value))
    with pytest.raises(gs.SinkRowRefused, match="id = 3"):
        column.insert((2, _full(kind)), (3, value))
    assert column.rows() == {}
    column.insert((2, _full(kind)))
    assert column.rows() == {2: _full(kind)}


@pytest.mark.parametrize(("kind", "value"), KEPT)
def test_nulls_that_pyiceberg_keeps_are_taken(
    tmp_path: Path, kind: pa.DataType, value: Any
) -> None:
    column = Column(tmp_path, pa.field("v", kind), "append")
    column.sink.open(column.start)
    column.insert((1, value), (2, value))
    assert column.rows() == {1: value, 2: value}


@pytest.mark.parametrize("kind", [kind for kind, _ in LOST])
def test_a_merge_that_would_change_nulls_of_others_is_refused(
    tmp_path: Path, kind: pa.DataType
) -> None:
    """A rewrite of a file reads the rows of others, and made their nulls empty."""
    column = Column(tmp_path, pa.field("v", kind), "merge")
    with pytest.raises(gs.SinkError, match=r"v.* may be null\. .* mode merge .*to_json\(v\)"):
        column.sink.open(column.start)


def test_a_merge_into_a_required_list_of_structs_keeps_every_value(tmp_path: Path) -> None:
    column = Column(tmp_path, pa.field("v", LISTS, nullable=False), "merge")
    column.sink.open(column.start)
    column.insert((1, []), (2, [None]), (3, [{"a": 1}, {"a": None}]))
    column.insert((2, [None]), change="delete")
    assert column.rows() == {1: [], 3: [{"a": 1}, {"a": None}]}
    with pytest.raises(gs.SinkRowRefused, match="id = 4"):
        column.insert((4, None))


def _full(kind: pa.DataType) -> Any:
    """A value of a type without a null."""
    if pa.types.is_struct(kind):
        return {field.name: _full(field.type) for field in kind}
    if pa.types.is_map(kind):
        return [(_full(kind.key_type), _full(kind.item_type))]
    if pa.types.is_list(kind):
        return [_full(kind.value_type)]
    return "k" if pa.types.is_string(kind) else 1


def test_a_view_with_lists_of_structs_is_merged(session: SparkSession, tmp_path: Path) -> None:
    """What a view never has null becomes a required column of the table that the sink makes."""
    settings = {"uri": f"sqlite:///{tmp_path}/c.db", "warehouse": f"file://{tmp_path}"}
    p = gs.pipeline(session, str(tmp_path / "p"))
    pairs = p.table("pairs", "id bigint, k int, a int", key="id")
    pairs.df.createOrReplaceTempView("pairs")
    p.view("v", session.sql("SELECT k, collect_set(struct(a)) s FROM pairs GROUP BY k"))
    made = {"table": "shop.out", "type": "sql", "create_table": True, **settings}
    p.sink("out", "v", format="iceberg", **made)
    run = p.start()
    pairs.insert([(1, 1, 10), (2, 2, None)])
    run.processAllAvailable()
    pairs.upsert([(1, 1, None)])
    run.processAllAvailable()
    run.stop()
    from pyiceberg.catalog import load_catalog

    catalog = load_catalog("default", **{**settings, "type": "sql"})
    rows = catalog.load_table("shop.out").scan().to_arrow().to_pylist()
    assert sorted(map(str, rows)) == [
        "{'k': 1, 's': [{'a': None}]}", "{'k': 2, 's': [{'a': None}]}",
    ]  # fmt: skip
