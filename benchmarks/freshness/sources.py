"""Where the changes come from: a topic of Kafka, or a table of Postgres."""

from __future__ import annotations

from typing import Any

from pyspark.sql import DataFrame, SparkSession

import groundswell as gs
from freshness.load import KafkaLoad, PostgresLoad
from groundswell.sources.postgres import Reading, opened
from groundswell.sources.tagged_stream import TaggedStream
from shared import kafka
from systems.servers import Kafka, Postgres


class Source:
    """Names of its own for each run."""

    def __init__(self, kafka: Kafka, postgres: Postgres, name: str) -> None:
        self.kafka, self.postgres, self.name = kafka, postgres, name

    @property
    def dsn(self) -> str:
        return f"postgresql://owner@127.0.0.1:{self.postgres.port}/postgres"

    def done(self, progress: Any) -> None:
        """Spark's own job has written all up to its last progress."""


class FromKafka(Source):
    """Append-only messages in JSON."""

    def __init__(self, kafka: Kafka, postgres: Postgres, name: str, rate: int) -> None:
        super().__init__(kafka, postgres, name.replace("_", "-"))
        self.load = KafkaLoad(kafka, self.name, rate)

    def changes(self, spark: SparkSession, schema: str) -> DataFrame:
        return gs.kafka(spark, self.kafka.servers, self.name, "json", schema=schema, name="in")

    def stream(self, spark: SparkSession, schema: str) -> DataFrame:
        return kafka.rows(spark.readStream, self.kafka.servers, self.name, schema)


class FromPostgres(Source):
    """A table by change capture; rows are inserted only, so Spark's own job may add them up.

    Spark has no reader of its own for it: both jobs read with ours.
    """

    def __init__(self, kafka: Kafka, postgres: Postgres, name: str, rate: int) -> None:
        super().__init__(kafka, postgres, f"in_{name}")
        self.load = PostgresLoad(postgres, self.name, rate)
        self._stream: TaggedStream | None = None

    def _open(self, spark: SparkSession) -> TaggedStream:
        slot = f"s_{self.name}"[:40]
        secret = self.postgres.PASSWORD
        self._stream = opened(spark, self.dsn, [self.name], slot, secret, Reading(slot, slot))
        return self._stream

    def changes(self, spark: SparkSession, schema: str) -> DataFrame:  # noqa: ARG002
        return self._open(spark).table(0)

    def stream(self, spark: SparkSession, schema: str) -> DataFrame:  # noqa: ARG002
        return self._open(spark).rows.select("t0.account", "t0.seq", "t0.amount")

    def done(self, progress: Any) -> None:
        """The slot follows, as it does for us."""
        if self._stream is not None and progress:
            self._stream.follower(progress["sources"][0]["startOffset"])


SOURCES = {"kafka": FromKafka, "postgres": FromPostgres}
