"""What the Spark fixtures promise the tests that use them."""

from collections.abc import Iterator

import pytest
from pyspark.sql import SparkSession
from pyspark.sql.streaming import StreamingQuery

from groundswell import confs
from groundswell.cli import environment


def test_sql_confs_of_one_session_do_not_reach_the_next(spark_factory) -> None:
    first, second = spark_factory(), spark_factory()
    first.conf.set("spark.sql.shuffle.partitions", "7")
    assert second.conf.get("spark.sql.shuffle.partitions") == "2"


def test_the_jar_is_on_the_driver(spark: SparkSession) -> None:
    name = "io.groundswell.error.ErrorCode"
    loaded = spark._jvm.java.lang.Thread.currentThread().getContextClassLoader().loadClass(name)
    assert loaded.getName() == name


@pytest.fixture
def abandoned() -> Iterator[list[StreamingQuery]]:
    """Torn down after `spark`, so it sees what that left behind."""
    queries: list[StreamingQuery] = []
    yield queries
    assert [query.isActive for query in queries] == [False]


def test_streams_left_running_are_stopped(abandoned, spark: SparkSession, tmp_path) -> None:
    rate = spark.readStream.format("rate").load()
    query = rate.writeStream.format("noop").option("checkpointLocation", str(tmp_path)).start()
    assert query.isActive
    abandoned.append(query)


def test_the_doctor_asks_an_active_session(spark: SparkSession, monkeypatch) -> None:
    monkeypatch.setenv("SPARK_CONF_DIR", "/nowhere")
    spark.conf.set(confs.PROVIDER_KEY, "a.B")
    monkeypatch.setattr(type(spark), "getActiveSession", lambda: spark)
    found = environment.gather_confs({}, None)
    assert found.values[confs.PROVIDER_KEY] == "a.B"
    assert found.values["spark.jars"].endswith("groundswell.jar")
