"""Where the totals go: a table of Postgres, or a topic of Kafka. Names of its own for each run."""

from __future__ import annotations

from typing import Any

from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql.streaming.query import StreamingQuery

from freshness.watch import PostgresWatch, TopicWatch, Watch
from systems.servers import Kafka, Postgres
from systems.topics import Input, committed

TABLE = "CREATE TABLE {name} (account bigint PRIMARY KEY, n bigint, total bigint, seq bigint)"
UPSERT = """
    INSERT INTO {name} SELECT * FROM fresh ON CONFLICT (account)
    DO UPDATE SET n = excluded.n, total = excluded.total, seq = excluded.seq
"""


class ToPostgres:
    """A table, which both jobs upsert."""

    name = "postgres"

    def __init__(self, kafka: Kafka, postgres: Postgres, table: str) -> None:  # noqa: ARG002
        self.server, self.table = postgres, table
        with postgres.connect() as connection:
            connection.execute(TABLE.format(name=table))

    def options(self) -> dict[str, Any]:
        """Those of our sink."""
        dsn = f"postgresql://owner@127.0.0.1:{self.server.port}/postgres"
        return {"dsn": dsn, "password": self.server.PASSWORD, "table": self.table}

    def write(self, totals: DataFrame, location: str, trigger: str, source: Any) -> StreamingQuery:
        """Spark's query with a foreachBatch that writes as a careful user does.

        One transaction a batch, by COPY. It does not keep the number of the batch, so after a crash
        a batch is written a second time.
        """
        connection = self.server.connect()
        connection.execute(f"CREATE TEMP TABLE fresh (LIKE {self.table})")

        def batch(rows: DataFrame, _number: int) -> None:
            found = rows.select("account", "n", "total", "seq").collect()
            with connection.transaction(), connection.cursor() as cursor:
                cursor.execute("TRUNCATE fresh")
                with cursor.copy("COPY fresh FROM STDIN") as copy:
                    for row in found:
                        copy.write_row(row)
                cursor.execute(UPSERT.format(name=self.table))
            source.done(query.lastProgress)

        writer = totals.writeStream.outputMode("update").foreachBatch(batch)
        writer = writer.option("checkpointLocation", location)
        query = writer.trigger(processingTime=trigger).start()
        return query

    def watch(self) -> Watch:
        return PostgresWatch(self.server, self.table)

    def counted(self) -> int:
        """How many changes the target has."""
        with self.server.connect() as connection:
            row = connection.execute(f"SELECT sum(n) FROM {self.table}").fetchone()
        return int(row[0])


class ToKafka:
    """A topic of upserts: our sink's in one transaction an epoch, Spark's at least once."""

    name = "kafka"

    def __init__(self, kafka: Kafka, postgres: Postgres, table: str) -> None:  # noqa: ARG002
        self.server, self.topic = kafka, f"out-{table.replace('_', '-')}"
        Input(kafka, 1, self.topic)

    def options(self) -> dict[str, Any]:
        return {"servers": self.server.servers, "topic": self.topic}

    def write(self, totals: DataFrame, location: str, trigger: str, source: Any) -> StreamingQuery:  # noqa: ARG002
        """Spark's query into Spark's own sink."""
        key, value = (F.to_json(F.struct(*names)) for names in (["account"], totals.columns))
        writer = totals.select(key.alias("key"), value.alias("value")).writeStream
        writer = writer.format("kafka").option("kafka.bootstrap.servers", self.server.servers)
        writer = writer.option("topic", self.topic).option("checkpointLocation", location)
        return writer.outputMode("update").trigger(processingTime=trigger).start()

    def watch(self) -> Watch:
        return TopicWatch(self.server, self.topic)

    def counted(self) -> int:
        newest: dict[int, int] = {}
        for _, value, _ in committed(self.server, self.topic):
            newest[value["account"]] = value["n"]
        return sum(newest.values())


TARGETS = {target.name: target for target in (ToPostgres, ToKafka)}
