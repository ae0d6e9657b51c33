"""Topics that tests write and read."""

from __future__ import annotations

import json
import time
from typing import Any

from systems.servers import Kafka

NUMBER = iter(range(1_000_000))


class Input:
    """A topic that the test makes and writes."""

    def __init__(
        self,
        server: Kafka,
        partitions: int = 2,
        name: str = "",
        config: dict[str, str] | None = None,
    ) -> None:
        from confluent_kafka import Producer
        from confluent_kafka.admin import AdminClient, NewTopic

        self.server, self.name = server, name or f"in-{next(NUMBER)}"
        self.admin = AdminClient({"bootstrap.servers": server.servers, "log_level": 0})
        self.admin.create_topics([NewTopic(self.name, partitions, config=config or {})])[
            self.name
        ].result(30)
        self.producer = Producer(
            {"bootstrap.servers": server.servers, "log_level": 0, "enable.idempotence": True}
            | {"message.max.bytes": 8 << 20}
        )

    def send(self, *messages: tuple[Any, Any], partition: int = 0) -> None:
        """Keys and values: text and bytes as they are, null, anything else as JSON."""
        for key, value in messages:
            self.producer.produce(self.name, key=text(key), value=text(value), partition=partition)
        assert self.producer.flush(60) == 0

    def delete(self) -> None:
        self.admin.delete_topics([self.name])[self.name].result(30)


def text(message: Any) -> bytes | None:
    if message is None or isinstance(message, bytes):
        return message
    return (message if isinstance(message, str) else json.dumps(message)).encode()


def committed(server: Kafka, topic: str) -> list[tuple[Any, Any, int]]:
    """Key, value and epoch of all committed messages, each partition in order."""
    from confluent_kafka import Consumer, KafkaError, TopicPartition

    consumer = Consumer(
        {
            "bootstrap.servers": server.servers,
            "group.id": "test",
            "isolation.level": "read_committed",
            "enable.partition.eof": True,
            "enable.auto.commit": False,
            "log_level": 0,
        }
    )
    found = []
    try:
        there = consumer.list_topics(timeout=30).topics
        left = set(there[topic].partitions) if topic in there else set()
        consumer.assign([TopicPartition(topic, p, 0) for p in left])
        until = time.monotonic() + 60
        while left:
            assert time.monotonic() < until, f"partitions {left} do not come to an end"
            message = consumer.poll(1)
            if message is None:
                continue
            if message.error():
                assert message.error().code() == KafkaError._PARTITION_EOF, message.error()
                left.discard(message.partition())
                continue
            headers = dict(message.headers() or ())
            found.append(
                (
                    message.key() and json.loads(message.key()),
                    message.value() and json.loads(message.value()),
                    int(headers.get("groundswell-epoch", b"-1")),
                )
            )
    finally:
        consumer.close()
    return found
