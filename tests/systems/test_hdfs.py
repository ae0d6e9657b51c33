"""Pipelines and readers on a real HDFS, while its nodes go."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

import groundswell as gs
from groundswell import confs
from systems.hdfs import Hdfs
from systems.servers import wait_for

EVENT = "id long, product int, n long"


@pytest.fixture(scope="module")
def hdfs() -> Iterator[Hdfs]:
    cluster = Hdfs()
    yield cluster
    cluster.close()


@pytest.fixture(scope="module")
def session(_contexts: Any, jar: Path, hdfs: Hdfs) -> Iterator[SparkSession]:
    given = {
        "spark.hadoop.dfs.replication": "2",
        "spark.hadoop.dfs.client.retry.policy.enabled": "true",  # a NameNode may be away
        "spark.hadoop.dfs.client.retry.policy.spec": "1000,60",
        "spark.hadoop.dfs.client.block.write.replace-datanode-on-failure.policy": "NEVER",
    }
    spark = _contexts.get(given).newSession()
    spark.conf.set(confs.FILE_MANAGER_KEY, confs.FILE_MANAGER)
    yield spark
    for query in spark.streams.active:
        query.stop()


@pytest.fixture
def webhdfs(hdfs: Hdfs, monkeypatch: pytest.MonkeyPatch) -> None:
    """Readers without a JVM know the NameNode's HTTP port."""
    import fsspec

    monkeypatch.setitem(fsspec.config.conf, "webhdfs", {"port": hdfs.http})


class Run:
    """A pipeline on the cluster, fed by local files."""

    def __init__(self, spark: SparkSession, location: str, folder: Path) -> None:
        self.spark, self.location, self.folder = spark, location, folder
        self.number = 0
        folder.mkdir()
        self.feed()
        stream = gs.appends(spark.readStream.schema(EVENT).json(str(folder)), name="events")
        pipeline = gs.pipeline(spark, location)
        pipeline.view("totals", self.totals(stream))
        self.query = pipeline.start(queryName=location.rpartition("/")[2])
        self.query.processAllAvailable()

    def totals(self, events: Any) -> Any:
        return events.groupBy("product").agg({"n": "sum", "id": "count"}).toDF("product", "s", "c")

    def feed(self) -> None:
        self.number += 1
        rows = [
            {"id": 10 * self.number + i, "product": i % 3, "n": self.number + i} for i in range(10)
        ]
        hidden = self.folder / f".{self.number}"
        hidden.write_text("".join(json.dumps(row) + "\n" for row in rows))
        hidden.rename(self.folder / f"{self.number}.json")

    def go_on(self) -> None:
        self.feed()
        self.query.processAllAvailable()

    def check(self) -> None:
        batch = self.spark.read.schema(EVENT).json(str(self.folder))
        wanted = sorted(tuple(row) for row in self.totals(batch).collect())
        found = gs.read_view(self.spark, self.location, "totals").collect()
        assert sorted(tuple(row) for row in found) == wanted
        table = gs.view_to_arrow(self.location, "totals")
        assert sorted(zip(*table.to_pydict().values(), strict=True)) == wanted


def ready(hdfs: Hdfs, nodes: int) -> None:
    wait_for("HDFS", lambda: not hdfs.safe() and hdfs.live() >= nodes)


def test_nodes_go_and_come_back(
    session: SparkSession, hdfs: Hdfs, webhdfs: None, tmp_path: Path
) -> None:
    run = Run(session, f"{hdfs.uri}/pipelines/nodes", tmp_path / "events")
    try:
        run.check()
        hdfs.names.kill()  # the NameNode, between barriers and in the middle of one
        run.feed()
        time.sleep(2)
        hdfs.names.start()
        ready(hdfs, 2)
        run.query.processAllAvailable()
        run.check()

        hdfs.data[0].kill()
        run.go_on()
        run.go_on()
        # WebHDFS sends readers to a node until the NameNode knows that it is lost
        wait_for("the loss of a DataNode", lambda: hdfs.live() == 1)
        run.check()
        hdfs.data[0].start()
        ready(hdfs, 2)
        run.go_on()
        run.check()
    finally:
        run.query.stop()


def test_safe_mode_ends_the_run_by_name_and_loses_nothing(
    session: SparkSession, hdfs: Hdfs, webhdfs: None, tmp_path: Path
) -> None:
    location = f"{hdfs.uri}/pipelines/safe"
    run = Run(session, location, tmp_path / "events")
    ready(hdfs, 2)
    hdfs.admin("-safemode", "enter")
    try:
        with pytest.raises(Exception, match=r"(?i)safe ?mode"):
            run.go_on()
    finally:
        hdfs.admin("-safemode", "leave")
        run.query.stop()
    stream = gs.appends(session.readStream.schema(EVENT).json(str(run.folder)), name="events")
    pipeline = gs.pipeline(session, location)
    pipeline.view("totals", run.totals(stream))
    run.query = pipeline.start(queryName="again")
    try:
        run.go_on()
        run.check()
    finally:
        run.query.stop()


def test_state_is_read_without_spark(
    session: SparkSession, hdfs: Hdfs, webhdfs: None, tmp_path: Path
) -> None:
    session.conf.set("spark.sql.streaming.stateStore.providerClass", confs.PROVIDER)
    location = f"{hdfs.uri}/pipelines/state"
    folder = tmp_path / "events"
    folder.mkdir()
    events = [{"id": i, "product": i % 8, "n": i} for i in range(16)]
    (folder / "1.json").write_text("".join(json.dumps(event) + "\n" for event in events))
    counts = session.readStream.schema(EVENT).json(str(folder)).groupBy("product").count()
    sink = counts.writeStream.format("noop").outputMode("update")
    sink.option("checkpointLocation", location).trigger(
        availableNow=True
    ).start().awaitTermination()
    table = gs.read_state(location)
    assert table.num_rows == 8
