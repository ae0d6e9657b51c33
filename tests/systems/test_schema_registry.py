"""Topics in Avro and Protobuf by Confluent's client, with a real broker and registry."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from datetime import datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

import groundswell as gs
from groundswell.sql.executor import REGISTRY
from sources.protobufs import File
from systems.registries import Apicurio
from systems.servers import Kafka
from systems.topics import Input

MONEY = {"type": "bytes", "logicalType": "decimal", "precision": 10, "scale": 2}


def order(*fields: tuple[str, Any]) -> dict[str, Any]:
    members = [{"name": name, "type": kind} for name, kind in fields]
    return {"type": "record", "name": "Order", "namespace": "shop", "fields": members}


KEY = {"type": "record", "name": "Key", "fields": [{"name": "id", "type": "long"}]}
V1 = order(("id", "long"), ("customer", ["null", "string"]), ("amount", MONEY))


@pytest.fixture(scope="module")
def registry() -> Iterator[Apicurio]:
    server = Apicurio()
    yield server
    server.close()


class Producer:
    """Confluent's serializers, which register the schemas themselves."""

    def __init__(self, kafka: Kafka, registry: Apicurio, topic: str) -> None:
        from confluent_kafka import Producer
        from confluent_kafka.schema_registry import SchemaRegistryClient

        Input(kafka, 1, topic)
        self.topic = topic
        self._client = SchemaRegistryClient({"url": registry.url})
        self._producer = Producer({"bootstrap.servers": kafka.servers, "log_level": 0})

    def _bytes(self, field: str, schema: Any, value: Any) -> bytes | None:
        from confluent_kafka.schema_registry.avro import AvroSerializer
        from confluent_kafka.serialization import SerializationContext

        made = AvroSerializer(self._client, json.dumps(schema))
        found: bytes | None = made(value, SerializationContext(self.topic, field))
        return found

    def send(self, key: int, value: dict[str, Any] | None, schema: Any = V1) -> None:
        body = None if value is None else self._bytes("value", schema, value)
        self.raw(self._bytes("key", KEY, {"id": key}), body)

    def raw(self, key: bytes | None, value: bytes | None) -> None:
        self._producer.produce(self.topic, value, key)
        self._producer.flush(30)


def test_the_page(streams: SparkSession, kafka: Kafka, registry: Apicurio, tmp_path: Path) -> None:
    page = Path(__file__).parents[2] / "docs" / "how-to" / "use-a-schema-registry.md"
    orders = Producer(kafka, registry, "shop.orders")
    orders.send(1, {"id": 1, "customer": "Ann", "amount": Decimal("12.50")})
    orders.send(2, {"id": 2, "customer": "Bob", "amount": Decimal("7.00")})
    orders.send(2, {"id": 2, "customer": "Bob", "amount": Decimal("1.00")})
    orders.raw(b"?", b'{"id":1}')
    names = {"gs": gs, "spark": streams, "servers": kafka.servers, "registry": registry.url}
    names["location"] = str(tmp_path / "c")
    for code in re.findall(r"```python\n(.*?)```", page.read_text("utf-8"), re.DOTALL):
        exec(compile(code, str(page), "exec"), names)


def test_schemas_change_while_a_pipeline_of_sql_runs(
    streams: SparkSession, kafka: Kafka, registry: Apicurio, tmp_path: Path
) -> None:
    orders = Producer(kafka, registry, "changing")
    orders.send(1, {"id": 1, "customer": "Ann", "amount": Decimal("1.00")})
    streams.sql(f"CREATE PIPELINE of_avro LOCATION '{tmp_path}/p'")
    streams.sql("USE groundswell.of_avro")
    try:
        streams.sql(f"""
            CREATE TABLE orders (id BIGINT, customer STRING, amount DECIMAL(12,2), PRIMARY KEY (id))
            WITH (connector = 'kafka', topic = 'changing',
                  properties.bootstrap.server = '{kafka.servers}')
            FORMAT UPSERT ENCODE AVRO (schema.registry = '{registry.url}')""")
        read = lambda: {tuple(r) for r in streams.sql("SELECT * FROM orders").collect()}  # noqa: E731
        streams.sql("FLUSH")
        assert read() == {(1, "Ann", Decimal("1.00"))}
        more = order(*((f["name"], f["type"]) for f in V1["fields"]), ("note", ["null", "string"]))
        less = order(("id", "int"), ("amount", MONEY))
        orders.send(2, {"id": 2, "customer": "B", "amount": Decimal(2), "note": "x"}, more)
        orders.send(3, {"id": 3, "amount": Decimal(3)}, less)
        orders.send(1, None)
        streams.sql("FLUSH")
        assert read() == {(2, "B", Decimal("2.00")), (3, None, Decimal("3.00"))}
        registry.stop()
        orders.raw(None, None)
        streams.sql("FLUSH")
        assert len(read()) == 2
    finally:
        streams.sql("USE spark_catalog.default")
        for pipeline in REGISTRY.all(streams):
            pipeline.stop()
            REGISTRY.remove(streams, pipeline.name)
        if registry.process is None:
            registry.start()


def test_protobuf(streams: SparkSession, kafka: Kafka, registry: Apicurio, tmp_path: Path) -> None:
    from confluent_kafka.schema_registry import SchemaRegistryClient
    from confluent_kafka.schema_registry.protobuf import ProtobufSerializer
    from confluent_kafka.serialization import MessageField, SerializationContext

    file = File("shop.proto").message("Other")
    file.message("Order", (1, "id", "uint64"), (2, "at", ".google.protobuf.Timestamp"))
    topic = Input(kafka, 1, "of-protobuf")
    client = SchemaRegistryClient({"url": registry.url})
    made = file.make("Order", id=2**64 - 1, at={"seconds": 1})
    write = ProtobufSerializer(type(made), client, {"use.deprecated.format": False})
    topic.send((None, write(made, SerializationContext(topic.name, MessageField.VALUE))))
    table = gs.kafka(
        streams, kafka.servers, topic.name, "plain", schema="id decimal(20,0), at timestamp_ntz",
        encode="protobuf", registry={"url": registry.url, "message": "shop.Order"}, name="orders",
    )  # fmt: skip
    run = gs.pipeline(streams, str(tmp_path / "c")).view("v", table).start(availableNow=True)
    run.awaitTermination()
    rows = [tuple(row) for row in run.view("v").collect()]
    assert rows == [(Decimal(2**64 - 1), datetime(1970, 1, 1, 0, 0, 1))]


def test_subjects_that_are_not_there(
    streams: SparkSession, kafka: Kafka, registry: Apicurio, tmp_path: Path
) -> None:
    Input(kafka, 1, "bare")
    given = {"key": "id", "encode": "avro", "registry": registry.url, "schema": "id bigint"}
    with pytest.raises(gs.SourceError, match=r"has no subject bare-value\. Register the schema"):
        gs.kafka(streams, kafka.servers, "bare", "upsert", **given)
    registry.add("bare-value", V1)
    with pytest.raises(gs.SourceError, match="has no subject bare-key"):
        gs.kafka(streams, kafka.servers, "bare", "upsert", **given)
    with pytest.raises(gs.SourceError, match=r"bare-value has: id bigint, customer string, amount"):
        gs.kafka(streams, kafka.servers, "bare", "upsert", **{**given, "schema": None})
    down = {**given, "registry": f"{registry.url}/nowhere"}
    with pytest.raises(gs.SourceError, match=r"does not give schemas: .* answers 404"):
        gs.kafka(streams, kafka.servers, "bare", "upsert", **down)
