"""From a streaming query to barriers: names, tags, and what a handler throws."""

import json
import os
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession

from bridge.flows import Flow
from groundswell import jvm


def put(folder: Path, number: int, *rows: dict[str, Any]) -> None:
    folder.mkdir(exist_ok=True)
    (folder / f"{number}.json").write_text("\n".join(json.dumps(row) for row in rows))


def start(spark: SparkSession, tmp_path: Path, handler: Any, streams: DataFrame) -> Any:
    jvm.register_pipeline(spark, tmp_path.name, jvm.BarrierCallback(handler))
    return (
        streams.writeStream.format(jvm.SINK)
        .option("pipeline", tmp_path.name)
        .option("checkpointLocation", str(tmp_path / "checkpoint"))
        .start()
    )


def test_sources_come_apart_by_tag(spark: SparkSession, tmp_path: Path) -> None:
    flow = Flow(spark, tmp_path)
    flow.source("a", "id long, v string")
    b = flow.files("b", "w double")
    flow.stream("b", b)
    flow.stream("both", b.where("w > 0").union(b))
    flow.start({name: f"SELECT * FROM {name}" for name in ("a", "b", "both")})
    put(tmp_path / "a", 0, {"id": 1, "v": "x"})
    put(tmp_path / "b", 0, {"w": 1.5}, {"w": -1.0})
    query = start(spark, tmp_path, flow.on_barrier, flow.streams())
    try:
        query.processAllAvailable()
        assert flow.view("a") == [(1, "x")]
        assert flow.view("b") == [(-1.0,), (1.5,)]
        assert flow.view("both") == [(-1.0,), (1.5,), (1.5,)], "a source may be a union itself"
        put(tmp_path / "a", 1, {"id": 2, "v": None})
        query.processAllAvailable()
    finally:
        query.stop()
        jvm.unregister_pipeline(spark, tmp_path.name)
    assert flow.view("a") == [(1, "x"), (2, None)]
    read = {flow.tables[key].name: rows for key, rows in flow.result.sources.items()}
    assert read == {"a": 1, "b": 0, "both": 0}, "with one source left there is no union"
    offsets = (tmp_path / "checkpoint" / "offsets" / "0").read_text()
    assert {line.split(":")[0] for line in offsets.splitlines()[2:]} == {
        "a",
        "b",
        "both_1",
        "both_2",
    }, "the checkpoint names every source"
    progress = query.lastProgress
    assert progress is not None and progress["numInputRows"] == 1, "Spark counts what was read"


def test_columnar_scans_come_apart_too(spark: SparkSession, tmp_path: Path) -> None:
    flow = Flow(spark, tmp_path)
    incoming = str(tmp_path / "p")
    spark.range(5).selectExpr("id", "id * 2 AS x").coalesce(1).write.parquet(incoming)
    flow.stream("p", spark.readStream.schema("id long, x long").parquet(incoming))
    flow.source("a", "id long")
    put(tmp_path / "a", 0, {"id": 3})
    flow.start({"v": "SELECT p.x FROM p JOIN a ON a.id = p.id"})
    query = start(spark, tmp_path, flow.on_barrier, flow.streams())
    try:
        query.processAllAvailable()
    finally:
        query.stop()
        jvm.unregister_pipeline(spark, tmp_path.name)
    assert flow.view("v") == [(6,)]


def test_of_two_files_in_one_barrier_the_later_one_wins(
    spark: SparkSession, tmp_path: Path
) -> None:
    flow = Flow(spark, tmp_path)
    flow.source("t", "id long, v string", key=["id"])
    flow.start({"v": "SELECT v FROM t WHERE id = 1"})
    # Spark reads the largest file first.
    put(tmp_path / "t", 0, {"id": 1, "v": "small, first"})
    put(tmp_path / "t", 1, *({"id": i, "v": "large, second"} for i in range(40)))
    put(tmp_path / "t", 2, *({"id": i, "v": "middle, last"} for i in range(5)))
    for number in range(3):
        os.utime(tmp_path / "t" / f"{number}.json", (1e9 + number, 1e9 + number))
    query = start(spark, tmp_path, flow.on_barrier, flow.streams())
    try:
        query.processAllAvailable()
    finally:
        query.stop()
        jvm.unregister_pipeline(spark, tmp_path.name)
    assert list(flow.result.sources.values()) == [46], "all in one barrier"
    assert flow.view("v") == [("middle, last",)]


def test_what_the_handler_throws_ends_the_query(spark: SparkSession, tmp_path: Path) -> None:
    def fail(epoch: int, batch: Any) -> None:
        raise ValueError(f"barrier {epoch} is not to be")

    put(tmp_path / "a", 0, {"id": 1})
    a = spark.readStream.schema("id long").json(str(tmp_path / "a"))
    query = start(spark, tmp_path, fail, jvm.source_union([a], ["a"]))
    try:
        with pytest.raises(Exception, match="barrier 0 is not to be"):
            query.processAllAvailable()
    finally:
        query.stop()
        jvm.unregister_pipeline(spark, tmp_path.name)


def test_a_sink_without_pipeline_says_who_starts_it(spark: SparkSession, tmp_path: Path) -> None:
    stream = spark.readStream.schema("id long").json(str(tmp_path))
    with pytest.raises(Exception, match=r"no pipeline \"nobody\".*not by hand"):
        (
            stream.writeStream.format(jvm.SINK)
            .option("pipeline", "nobody")
            .option("checkpointLocation", str(tmp_path / "c"))
            .start()
        )
