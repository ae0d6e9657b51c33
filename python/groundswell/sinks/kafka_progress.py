"""The last record of a sink in the topic of epochs."""

from __future__ import annotations

import json
import time
from typing import Any

from groundswell.errors import SinkUnavailable
from groundswell.sinks.sink import SinkProgress

STEP = 256


def read_progress(
    kafka: Any, config: dict[str, Any], topic: str, sink_id: str, seconds: float
) -> SinkProgress | None:
    """The newest committed record of a sink.

    The topic has one partition. It is read from near its end, then from further back.

    Args:
        kafka: the module ``confluent_kafka``.
        config: of a consumer.
        topic: name of the topic.
        sink_id: the key of the records.
        seconds: how long the broker may take.

    Raises:
        SinkUnavailable: it took longer.
    """
    consumer = kafka.Consumer(
        {
            **config,
            "isolation.level": "read_committed",
            "enable.auto.commit": False,
            "enable.partition.eof": True,
            "auto.offset.reset": "earliest",
        }
    )
    try:
        low, high = consumer.get_watermark_offsets(kafka.TopicPartition(topic, 0), timeout=seconds)
        step = STEP
        while True:
            begin = max(low, high - step)
            found = _last(kafka, consumer, topic, begin, sink_id, time.monotonic() + seconds)
            if found is not None or begin == low:
                return found
            step *= 8
    finally:
        consumer.close()


def _last(
    kafka: Any, consumer: Any, topic: str, begin: int, sink_id: str, until: float
) -> SinkProgress | None:
    consumer.assign([kafka.TopicPartition(topic, 0, begin)])
    last = None
    while True:
        message = consumer.poll(0.5)
        if message is None:
            if time.monotonic() > until:
                raise SinkUnavailable(f"Kafka does not give us the records of topic {topic}")
            continue
        error = message.error()
        if error is not None:
            if error.code() == kafka.KafkaError._PARTITION_EOF:
                return last
            raise kafka.KafkaException(error)
        if message.key() == sink_id.encode() and message.value() is not None:
            body = json.loads(message.value())
            last = SinkProgress(body["token"], body["epoch"])
