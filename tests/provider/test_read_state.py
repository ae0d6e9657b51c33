"""State without a JVM: what the files say is what Spark's own reader of state says."""

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import boto3
import pyarrow as pa
import pyspark
import pytest
from moto.server import ThreadedMotoServer
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import groundswell as gs
from groundswell import errors
from groundswell.format import Store
from provider.cases import CASES
from provider.jvm_operators import EVOLVED, evolving
from provider.processors import collected
from provider.replay import OURS, Case, Replay, Source, replay

TYPES = {
    "flag": ("boolean", [True, None, False]),
    "tiny": ("tinyint", [-3, None, 127]),
    "small": ("smallint", [-300, 300, None]),
    "whole": ("int", [None, 7, -(2**31)]),
    "big": ("bigint", [2**63 - 1, None, -(2**63)]),
    "real": ("float", [1.5, None, -0.25]),
    "wide": ("double", [1e300, -1.5, None]),
    "money": ("decimal(9,2)", ["12.34", None, "-0.01"]),
    "huge": ("decimal(38,10)", ["1234567890123456789012345678.0123456789", "-0.5", None]),
    "day": ("date", ["2024-02-29", None, "1969-12-31"]),
    "at": ("timestamp", ["2024-01-01 00:00:00.123456", "1900-01-01 00:00:00", None]),
    "local": ("timestamp_ntz", [None, "2024-01-01 00:00:00", "1950-01-01 00:00:00.5"]),
    "text": ("string", ["", None, "größer als 8 Bytes"]),
    "raw": ("binary", [None, "AAECAwQFBgcICQ==", ""]),
    "pair": (
        "struct<a:int,b:string>",
        [{"a": 1, "b": None}, None, {"a": None, "b": "long enough"}],
    ),
    "list": ("array<string>", [["x", None, "a longer one"], [], None]),
    "numbers": ("array<smallint>", [[1, None, -3], None, []]),
    "nested": ("array<array<double>>", [[[1.5], None, []], None, [[]]]),
    "map": ("map<string,bigint>", [{"a": 1, "b": None}, None, {}]),
}


def of_all_types() -> Case:
    rows = [
        {"id": i, **{name: values[i % 3] for name, (_, values) in TYPES.items()}} for i in range(9)
    ]
    schema = "id int, " + ", ".join(f"`{name}` {kind}" for name, (kind, _) in TYPES.items())

    def build(streams: dict[str, DataFrame]) -> DataFrame:
        keys = ["id", *(name for name in TYPES if name != "map")]
        return streams["events"].groupBy(*keys).agg(F.first(F.struct(*TYPES)))

    return Case({"events": Source(schema, [rows[:5], rows[5:]])}, build, "update")


NAMES = [
    "aggregation, checkpoint format 2",
    pytest.param("dropDuplicatesWithinWatermark", marks=pytest.mark.rest),
    "inner join, state format 2",
    pytest.param("session windows", marks=pytest.mark.rest),
]


def ran(spark: SparkSession, case: Case, folder: Path) -> Path:
    """The checkpoint of a query that ran under our provider."""
    (run,) = replay(spark, case, folder, OURS)
    return run.checkpoint


def by_spark(spark: SparkSession, path: Path, **options: Any) -> pa.Table:
    reader = spark.read.format("statestore")
    for name, value in options.items():
        reader = reader.option(name, value)
    return reader.load(str(path)).toArrow()


def rows_of(table: pa.Table) -> list[str]:
    """Rows as text; by position, since Spark gives two columns of a state the same name."""
    partitions = table.column("partition_id").to_pylist()
    columns = [part for name in ("key", "value") for part in fields_of(table, name)]
    return sorted(repr(row) for row in zip(partitions, *columns, strict=True))


def fields_of(table: pa.Table, name: str) -> list[list[Any]]:
    return [field.to_pylist() for field in table.column(name).combine_chunks().flatten()]


def test_every_type_reads_as_spark_reads_it(stores: SparkSession, tmp_path: Path) -> None:
    path = ran(stores, of_all_types(), tmp_path)
    ours = gs.read_state(path)
    assert ours.num_rows == 9
    assert rows_of(ours) == rows_of(by_spark(stores, path))
    assert ours.schema.field("key").type.field("money").type == pa.decimal128(9, 2)


@pytest.mark.rest
@pytest.mark.parametrize("name", NAMES)
def test_operators_read_as_spark_reads_them(
    stores: SparkSession, tmp_path: Path, name: str
) -> None:
    path = ran(stores, CASES[name], tmp_path)
    names = ["default"]
    if "join" in name:
        names = [
            f"{s}-{t}" for s in ("left", "right") for t in ("keyToNumValues", "keyWithIndexToValue")
        ]
    for store in names:
        ours = gs.read_state(path, store=store)
        assert rows_of(ours) == rows_of(by_spark(stores, path, storeName=store))
    earlier = gs.read_state(path, store=names[0], batch=1)
    assert rows_of(earlier) == rows_of(by_spark(stores, path, storeName=names[0], batchId=1))


@pytest.mark.rest
@pytest.mark.skipif(pyspark.__version__ < "4.3", reason="Spark 4.2 has no such format")
def test_tables_of_a_join_in_format_4_are_lists(stores: SparkSession, tmp_path: Path) -> None:
    path = ran(stores, CASES["inner join, state format 4"], tmp_path)
    for side in ("left", "right"):
        found = gs.read_state(path, table=f"{side}-keyWithTsToValues", batch=1).to_pylist()
        # The last column says whether the row has found its match; Spark's source leaves it out.
        ours = sorted(repr(tuple(item.values())[:-1]) for row in found for item in row["value"])
        rows = by_spark(stores, path, joinSide=side, batchId=1).column("value").to_pylist()
        assert ours == sorted(repr(tuple(row.values())[:4]) for row in rows)
        assert ours


@pytest.mark.rest
def test_tables_of_transform_with_state(stores: SparkSession, tmp_path: Path) -> None:
    path = ran(stores, CASES["transformWithStateInPandas, timers"], tmp_path)
    count = gs.read_state(path, batch=1, table="count")
    assert count.num_rows > 0
    assert rows_of(count) == rows_of(by_spark(stores, path, batchId=1, stateVarName="count"))
    by_value = by_spark(
        stores, path, batchId=1, stateVarName="by_value", flattenCollectionTypes=True
    )
    expected = zip(
        *(by_value.column(n).to_pylist() for n in ("key", "user_map_key", "user_map_value")),
        strict=True,
    )
    found = gs.read_state(path, batch=1, table="by_value").to_pylist()
    ours = [(row["key"]["key"], row["key"]["userKey"], row["value"]) for row in found]
    assert sorted(map(repr, ours)) == sorted(map(repr, expected))
    for way in ("keyToTimestamp", "timestampToKey"):
        timers = gs.read_state(path, batch=1, table=f"$eventTimers_{way}").column("key").to_pylist()
        keys = {timer["key"]["k"] for timer in timers}
        assert keys == {row["key"]["k"] for row in count.to_pylist()}
        assert all(timer["expiryTimestampMs"] > 1_700_000_000_000 for timer in timers)
    assert lists_of(gs.read_state(path, batch=1, table="recent")) == lists_by_spark(
        stores, path, "recent", 1
    )


def lists_of(table: pa.Table) -> list[str]:
    """Grouping key and elements of every list, as text."""
    return sorted(repr((row["key"], row["value"])) for row in table.to_pylist())


def lists_by_spark(spark: SparkSession, path: Path, name: str, batch: int) -> list[str]:
    found = by_spark(spark, path, batchId=batch, stateVarName=name, flattenCollectionTypes=False)
    pairs = zip(*(found.column(n).to_pylist() for n in ("key", "list_value")), strict=True)
    return sorted(map(repr, pairs))


@pytest.mark.rest
@pytest.mark.parametrize("encoding", ["unsaferow", "avro"])
def test_long_lists_are_put_together_from_their_segments(
    stores: SparkSession, tmp_path: Path, encoding: str
) -> None:
    rows = [{"k": f"key-{i % 3}", "v": i} for i in range(600)]
    source = Source("k string, v bigint", [rows[:300], rows[300:]])
    confs = {"spark.sql.streaming.stateStore.encodingFormat": encoding}
    path = ran(stores, Case({"events": source}, collected, "update", confs), tmp_path)
    found = gs.read_state(path, table="all")
    assert {len(row["value"]) for row in found.to_pylist()} == {200}
    store = Store(path / "state" / "0" / str(found.column("partition_id")[0]))
    assert any(t.name == "$segments_all" for t in store.version().manifest.tables)
    assert lists_of(found) == lists_by_spark(stores, path, "all", 1)
    assert gs.read_state(path, table="all", raw=True).schema.field("value").type == pa.binary()


@pytest.mark.rest
def test_rows_of_older_schemas_are_shown_in_the_newest(
    stores: SparkSession, tmp_path: Path
) -> None:
    run = Replay(stores, evolving(0), OURS, tmp_path)
    for version in range(len(EVOLVED)):
        run.case = evolving(version)
        run.arrive(version, version + 1)
        run.ended(run.start())
    last = max(run.rows)
    found = gs.read_state(run.checkpoint, table="history")
    element = found.schema.field("value").type.value_type
    assert [(f.name, f.type) for f in element] == [
        ("note", pa.string()),
        ("extra", pa.string()),
        ("total", pa.int64()),
    ]
    assert lists_of(found) == lists_by_spark(stores, run.checkpoint, "history", last)
    assert any(item["note"] is None for row in found.to_pylist() for item in row["value"])
    values = gs.read_state(run.checkpoint, table="state")
    by_key = by_spark(stores, run.checkpoint, stateVarName="state")
    pairs = zip(*(by_key.column(n).to_pylist() for n in ("key", "value")), strict=True)
    assert lists_of(values) == sorted(map(repr, pairs))


@pytest.fixture
def bucket(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """An S3 server of this process, and boto3 pointed at it."""
    server = ThreadedMotoServer(port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    for key, value in {
        "AWS_ACCESS_KEY_ID": "test",
        "AWS_SECRET_ACCESS_KEY": "test",
        "AWS_DEFAULT_REGION": "us-east-1",
        "AWS_ENDPOINT_URL": f"http://{host}:{port}",
    }.items():
        monkeypatch.setenv(key, value)
    client = boto3.client("s3")
    client.create_bucket(Bucket="checkpoints")
    yield client
    server.stop()


@pytest.mark.rest
def test_a_bucket_reads_as_the_folder_it_was_copied_from(
    stores: SparkSession, tmp_path: Path, bucket: Any
) -> None:
    path = ran(stores, CASES["aggregation, update"], tmp_path)
    for file in path.rglob("*"):
        if file.is_file():
            bucket.upload_file(str(file), "checkpoints", f"q/{file.relative_to(path)}")
    assert rows_of(gs.read_state("s3://checkpoints/q")) == rows_of(gs.read_state(path))
    with pytest.raises(errors.InvalidArgument, match="not a checkpoint of a stateful query"):
        gs.read_state("s3a://checkpoints/elsewhere")
    with pytest.raises(errors.InvalidArgument, match="no-such-scheme://checkpoints/q: "):
        gs.read_state("no-such-scheme://checkpoints/q")


def test_a_view_reads_without_spark(stores: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    spark = stores
    rows = [{"k": i % 5, "v": i} for i in range(40)]
    file = tmp_path / "in" / "a.json"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    os.utime(file, (1_700_000_000, 1_700_000_000))
    query = spark.readStream.schema("k int, v bigint").json(str(tmp_path / "in"))
    run = (
        query.groupBy("k")
        .agg(F.sum("v").alias("total"))
        .incremental()
        .writeStream.option("checkpointLocation", str(tmp_path / "views"))
        .trigger(availableNow=True)
        .toView("totals")
    )
    run.awaitTermination()
    expected = gs.read_view(spark, str(tmp_path / "views"), "totals").toArrow()
    found = gs.view_to_arrow(tmp_path / "views", "totals")
    assert sorted(found.to_pylist(), key=repr) == sorted(expected.to_pylist(), key=repr)
    with pytest.raises(errors.ConfigurationError, match="its views are totals"):
        gs.view_to_arrow(tmp_path / "views", "other")
    with pytest.raises(errors.EpochUnavailable, match="7"):
        gs.view_to_arrow(tmp_path / "views", "totals", epoch=7)


@pytest.mark.rest
def test_wrong_names_are_told_what_there_is(stores: SparkSession, tmp_path: Path) -> None:
    path = ran(stores, CASES["aggregation, update"], tmp_path)
    with pytest.raises(errors.InvalidArgument, match="is not a checkpoint"):
        gs.read_state(tmp_path)
    with pytest.raises(errors.InvalidArgument, match="it has 0 \\(stateStoreSave\\)"):
        gs.read_state(path, operator=3)
    with pytest.raises(errors.InvalidArgument, match="it has \\['default'\\]"):
        gs.read_state(path, store="left")
    with pytest.raises(errors.InvalidArgument, match="no table 'timers'"):
        gs.read_state(path, table="timers")
    with pytest.raises(errors.InvalidArgument, match="partitions 0 to 1, not 9"):
        gs.read_state(path, partition=9)
    with pytest.raises(errors.VersionUnavailable, match="no committed batch 99"):
        gs.read_state(path, batch=99)


@pytest.mark.rest
def test_a_last_partition_without_rows_is_no_error(stores: SparkSession, tmp_path: Path) -> None:
    first = stores.range(20).where("pmod(hash(CAST(id AS int)), 2) = 0").first()
    assert first is not None
    source = Source("id int", [[{"id": first["id"]}]])
    case = Case({"events": source}, lambda s: s["events"].groupBy("id").count(), "update")
    assert gs.read_state(ran(stores, case, tmp_path)).num_rows == 1
