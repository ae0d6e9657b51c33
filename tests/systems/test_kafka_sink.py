"""The sink of Kafka, on a real broker."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

import groundswell as gs
from sinks import workload
from sinks.conformance import (
    SEED,
    AppendConformance,
    Driven,
    KeyedConformance,
    Pipelines,
    Restarts,
    Row,
    Target,
    delete,
    insert,
    launch,
    row,
    take_a_million_rows,
    update,
)
from systems.servers import Kafka
from systems.topics import committed

NUMBER = iter(range(1_000_000))
NAMES = ["customer", "n", "total", "name"]


class Topic(Target):
    """A topic that the sink makes, read as a reader of committed messages reads it."""

    format = "kafka"

    def __init__(self, server: Kafka, **options: Any) -> None:
        self.server = server
        self.topic = f"out-{next(NUMBER)}"
        self.options = {
            "servers": server.servers,
            "topic": self.topic,
            "create_topic": True,
            "partitions": 2,
            **options,
        }

    @property
    def refused(self) -> list[Row]:
        return [*super().refused, row(7, name="x" * 2_000_000)]

    def read(self, topic: str | None = None) -> list[tuple[Any, Any, int]]:
        """Key, value and epoch of all messages, each partition in order."""
        return committed(self.server, topic or self.topic)

    def rows(self) -> list[Row]:
        kept: dict[str, Any] = {}
        for key, value, _ in self.read():
            kept.pop(str(key), None)
            if value is not None:
                kept[str(key)] = value
        return sorted(tuple(value[n] for n in NAMES) for value in kept.values())


class Envelopes(Topic):
    """The same in Debezium's envelopes, each checked against what was there."""

    def __init__(self, server: Kafka) -> None:
        super().__init__(server, messages="debezium")

    def rows(self) -> list[Row]:
        kept: dict[str, Any] = {}
        for key, value, _ in self.read():
            if value is None:
                assert str(key) not in kept
                continue
            before = kept.pop(str(key), None)
            if value["op"] != "d" or before is not None:
                assert value["before"] == before, f"{value} on {before}"
            assert value["op"] == ("d" if not value["after"] else "u" if before else "c")
            if value["after"] is not None:
                kept[str(key)] = value["after"]
        return sorted(tuple(value[n] for n in NAMES) for value in kept.values())


class Plain(Topic):
    """Messages of a view that only grows: every one is counted."""

    append_only = True

    def __init__(self, server: Kafka) -> None:
        super().__init__(server, messages="append")

    def rows(self) -> list[Row]:
        return sorted(tuple(value[n] for n in NAMES) for _, value, _ in self.read())


class TestUpserts(KeyedConformance, Pipelines):
    @pytest.fixture
    def target(self, kafka: Kafka) -> Topic:
        return Topic(kafka)

    def test_messages_tell_key_value_and_epoch(self, driven: Driven, target: Topic) -> None:
        driven.start()
        driven.epoch(4, insert(1), insert(2))
        driven.epoch(5, *update(1, 1, 3), delete(2))
        new = {"customer": 1, "n": 3, "total": 1.5, "name": "x"}
        last = {str(key): (value, epoch) for key, value, epoch in target.read()}
        assert last == {"{'customer': 1}": (new, 5), "{'customer': 2}": (None, 5)}


class TestEnvelopes(KeyedConformance):
    @pytest.fixture
    def target(self, kafka: Kafka) -> Envelopes:
        return Envelopes(kafka)


class TestPlain(AppendConformance, Pipelines, Restarts):
    @pytest.fixture
    def target(self, kafka: Kafka) -> Plain:
        return Plain(kafka)


def test_wrong_names_are_told_before_anything_is_written(kafka: Kafka) -> None:
    right = Topic(kafka, topic="there")
    Driven(right).start()
    with pytest.raises(gs.SinkError, match=r"no topic 'ther' .*did you mean 'there'.*create_topic"):
        Driven(Topic(kafka, topic="ther", create_topic=False)).start()
    assert "ther-epochs" not in topics(kafka)
    with pytest.raises(gs.SinkUnavailable, match=r"Kafka at 127\.0\.0\.1:1, "):
        Driven(Topic(kafka, servers="127.0.0.1:1")).start()
    with pytest.raises(
        gs.ConfigurationError, match="messages must be one of upsert, debezium, app"
    ):
        Driven(Topic(kafka, messages="avro"))
    with pytest.raises(gs.SinkError, match=r"creating topic no/topic: .*"):
        Driven(Topic(kafka, topic="no/topic")).start()


def test_a_topic_that_is_deleted_under_us_is_named(kafka: Kafka) -> None:
    from confluent_kafka.admin import AdminClient

    target = Topic(kafka, transaction_seconds=5)
    driven = Driven(target)
    driven.start()
    driven.epoch(0, insert(1))
    admin = AdminClient({"bootstrap.servers": kafka.servers})
    admin.delete_topics([target.topic])[target.topic].result(30)
    with pytest.raises(gs.SinkError):
        driven.epoch(1, insert(2))
    driven.sink.close()
    target.options["create_topic"] = False
    with pytest.raises(gs.SinkError, match="there is no topic"):
        Driven(target).start()


def topics(kafka: Kafka) -> set[str]:
    from confluent_kafka.admin import AdminClient

    return set(AdminClient({"bootstrap.servers": kafka.servers}).list_topics(timeout=10).topics)


@pytest.mark.soak
def test_a_million_rows_in_one_epoch(session: SparkSession, kafka: Kafka) -> None:
    target = Topic(kafka)
    driven = Driven(target)
    take_a_million_rows(session, driven)
    read = target.read()
    assert len(read) == 1_000_000 and len({m[0]["customer"] for m in read}) == 1_000_000
    driven.sink.close()


@pytest.mark.soak
def test_thirty_kills_and_ten_restarts_of_the_broker(kafka: Kafka, tmp_path: Path) -> None:
    print(f"seed {SEED}")
    points = ["before_sink_commit", "after_sink_commit", "after_publish", "before_publish"]
    for number in range(30):
        if number % 5 == 0:
            target = Plain(kafka)
            folder = tmp_path / str(number)
            folder.mkdir()
            workload.prepare(folder, SEED + number, True)
        if number % 3 == 0:
            kafka.kill()
            kafka.start()
        launch(folder, target, f"{points[number % 4]}:{1 + number % 2}")
        (folder / "killed-at").unlink(missing_ok=True)
        if number % 5 == 4:
            finished = launch(folder, target)
            assert finished.returncode == 0, finished.stderr[-4000:]
            assert target.rows() == workload.expected(folder, True)
