"""Tables of Delta Lake and Iceberg that the user made: what they do not take is said by name."""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyspark.sql import types as t

import groundswell as gs
from groundswell.sinks.registry import sink_spec
from sinks.conformance import InArrow

deltalake = pytest.importorskip("deltalake")
catalogs = pytest.importorskip("pyiceberg.catalog")

VIEW = t.StructType([t.StructField("id", t.LongType()), t.StructField("v", t.StringType())])
ID = pa.field("id", pa.int64(), False)
Options = dict[str, Any]


def delta(path: Path, schema: pa.Schema) -> Options:
    deltalake.DeltaTable.create(str(path / "t"), schema=schema)
    return {"path": str(path / "t")}


def iceberg(path: Path, schema: pa.Schema) -> Options:
    settings = {"uri": f"sqlite:///{path}/catalog.db", "warehouse": f"file://{path}", "type": "sql"}
    catalog = catalogs.load_catalog("default", **settings)
    catalog.create_namespace("shop")
    catalog.create_table("shop.out", schema)
    return {"table": "shop.out", **settings}


def write(kind: str, options: Options, *rows: tuple[int, str | None], view: Any = VIEW) -> None:
    """Each row as an epoch."""
    sink, grows = sink_spec("out", "v", kind, options).make(), options.get("mode") == "append"
    try:
        sink.open(gs.SinkStart("out", "id", "v", view, ("id",), grows, 1, None, None, "/"))  # type: ignore[arg-type]
        for epoch, (id_, v) in enumerate(rows):
            change = {"id": [id_], "v": pa.array([v], pa.string()), "_change_type": ["insert"]}
            sink.write(epoch, InArrow(pa.table(change)))
            sink.commit(epoch)
    finally:
        sink.close()


@pytest.mark.parametrize("make", [delta, iceberg])
def test_a_null_in_a_required_column_is_a_refused_row(
    tmp_path: Path, make: Callable[[Path, pa.Schema], Options]
) -> None:
    """The library said it of the whole epoch, and named no row."""
    options = make(tmp_path, pa.schema([ID, pa.field("v", pa.string(), False)]))
    with pytest.raises(gs.SinkRowRefused, match=r"v of .* takes no null, and the row id = 2"):
        write(make.__name__, options, (1, "a"), (2, None))


@pytest.mark.parametrize("make", [delta, iceberg])
def test_a_required_column_that_the_view_lacks_is_named_at_the_start(
    tmp_path: Path, make: Callable[[Path, pa.Schema], Options]
) -> None:
    schema = pa.schema([ID, pa.field("v", pa.string()), pa.field("w", pa.string(), False)])
    with pytest.raises(gs.SinkError, match="wants a value for w, which the view does not have"):
        write(make.__name__, make(tmp_path, schema))


def test_a_delta_table_that_takes_no_changes_is_refused_at_the_start(tmp_path: Path) -> None:
    """Its refusal of a commit was taken for a server's that is away, and ended the pipeline."""
    options = delta(tmp_path, pa.schema([ID, pa.field("v", pa.string())]))
    deltalake.DeltaTable(options["path"]).alter.set_table_properties({"delta.appendOnly": "true"})
    with pytest.raises(gs.SinkError, match=r"takes no changes of rows \(delta.appendOnly\)"):
        write("delta", options)
    write("delta", {**options, "mode": "append"}, (1, "a"))


def test_what_deltalake_says_is_one_line(tmp_path: Path) -> None:
    """It shows a table of the rows, or 40 lines of Rust's stack."""
    options = delta(tmp_path, pa.schema([ID, pa.field("v", pa.string())]))
    deltalake.DeltaTable(options["path"]).alter.add_constraint({"positive": "id > 0"})
    alike = t.StructType([t.StructField(n, t.LongType()) for n in ("v", "V")])
    view = t.StructType([VIEW["id"], t.StructField("v", alike)])
    new = {"path": str(tmp_path / "new"), "create_table": True}
    for given, of in ((options, VIEW), (new, view)):
        with pytest.raises(gs.SinkError) as refused:
            write("delta", given, (-1, "a"), view=of)
        assert len(str(refused.value).splitlines()) == 1
        assert "failed validation" in str(refused.value) or "Duplicate field" in str(refused.value)


@pytest.mark.skipif(find_spec("pyiceberg_core") is not None, reason="pyiceberg_core is installed")
def test_a_partition_that_needs_another_package_is_named_at_the_start(tmp_path: Path) -> None:
    options = iceberg(tmp_path, pa.schema([ID, pa.field("v", pa.string())]))
    transforms = pytest.importorskip("pyiceberg.transforms")
    settings = {k: v for k, v in options.items() if k != "table"}
    table = catalogs.load_catalog("default", **settings).load_table("shop.out")
    with table.update_spec() as spec:
        spec.add_field("v", transforms.BucketTransform(num_buckets=4), "part")
    with pytest.raises(gs.SinkError, match=r"bucket\[4\] of column v.*pyiceberg-core"):
        write("iceberg", options)
