"""Every type of Spark out of a real broker's topics."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

import groundswell as gs
from matrix import cells, kinds, messages, registered
from matrix.test_messages import types_of
from matrix.test_views import texts
from systems.registries import Apicurio
from systems.servers import Kafka
from systems.topics import Input


@pytest.mark.parametrize("form", messages.FORMATS)
def test_every_type_from_a_topic(
    streams: SparkSession, kafka: Kafka, tmp_path: Path, form: str
) -> None:
    """The messages of ``tests/matrix/test_messages.py``, from a broker."""
    with kinds.with_times(streams):
        taken = messages.written()
        types = types_of(streams, taken)
        topic = Input(kafka, 1, config={"max.message.bytes": str(8 << 20)})
        for row in messages.rows_of(streams, taken):
            key, value = messages.message(row, taken, form, "id", types)
            topic.send((key, value))
        schema = ", ".join(["id bigint", *(f"{k.column} {k.type}" for k in taken)])
        key_of = {} if form == "json" else {"key": "id"}
        source = gs.kafka(streams, kafka.servers, topic.name, form, schema=schema, **key_of)
        p = gs.pipeline(streams, str(tmp_path / "p"))
        run = p.view("v", source).start(availableNow=True)
        run.awaitTermination()
        want = messages.expected(streams, taken)
        assert texts(run.view("v").select(*want.columns)) == texts(want)
    cells.check(f"source kafka {form}", "value", {k.name: cells.EQUAL for k in taken})


@pytest.fixture(scope="module")
def registry() -> Iterator[Apicurio]:
    server = Apicurio()
    yield server
    server.close()


def test_every_type_from_a_topic_in_avro(
    streams: SparkSession, kafka: Kafka, registry: Apicurio, tmp_path: Path
) -> None:
    """The messages of ``tests/matrix/test_registered.py``, from a broker and a registry."""
    known = cells.load()["source kafka avro"]["value"]
    taken = [kind for kind in kinds.KINDS if known[kind.name] == cells.EQUAL]
    with kinds.with_times(streams):
        topic = Input(kafka, 1, config={"max.message.bytes": str(8 << 20)})
        of = registered.schema(taken, "avro")
        number = registry.add(f"{topic.name}-value", of)
        for row in messages.rows_of(streams, taken):
            topic.send((None, registered.message(number, of, "avro", row)))
        schema = ", ".join(["id bigint", *(f"{k.column} {k.type}" for k in taken)])
        source = gs.kafka(
            streams, kafka.servers, topic.name, "plain", schema=schema, encode="avro",
            registry=registry.url,
        )  # fmt: skip
        run = gs.pipeline(streams, str(tmp_path / "p")).view("v", source).start(availableNow=True)
        run.awaitTermination()
        want = messages.expected(streams, taken)
        assert texts(run.view("v").select(*want.columns)) == texts(want)
