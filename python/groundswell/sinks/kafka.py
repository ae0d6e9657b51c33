"""Kafka: the messages and the number of an epoch in one transaction.

There is one transactional producer a sink. The number is a header of every message, and a record of
a small compacted topic beside the target, which the same transaction writes. Readers see an epoch
with ``isolation.level=read_committed``, once and as a whole.

An owner that starts writes its token there first. A producer that was overtaken is refused by the
broker; it looks the token up, and ends, or begins again if the token is its own.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

from groundswell.errors import GroundswellError, SinkError, SinkRowRefused, SinkUnavailable
from groundswell.sinks.changes import Changes
from groundswell.sinks.columns import check_types
from groundswell.sinks.extras import optional
from groundswell.sinks.kafka_messages import FORMATS, UPSERT, Message, messages
from groundswell.sinks.kafka_progress import read_progress
from groundswell.sinks.options import SinkOption, SinkOptions
from groundswell.sinks.sink import Sink, SinkProgress, SinkStart
from groundswell.suggestions import meant

HEADER = "groundswell-epoch"
SECONDS = 15
"""How long a call waits for the broker before it counts as away."""


class KafkaSink(Sink):
    """Sends changes to a topic."""

    OPTIONS = (
        SinkOption("servers", "`host:port` of some brokers, separated by commas", required=True),
        SinkOption("topic", "name of the topic", required=True),
        SinkOption(
            "messages",
            "upsert: key and new row, null for a delete; debezium: before, after and op; append: "
            "new rows alone, of a view that only grows",
            choices=FORMATS,
        ),
        SinkOption("create_topic", "makes the topic if it is not there", bool, False),
        SinkOption("partitions", "of a topic that the sink makes", int, 1, least=1),
        SinkOption(
            "progress_topic", "topic that holds the epochs' numbers; default: `TOPIC-epochs`"
        ),
        SinkOption(
            "transaction_seconds",
            "how long the transaction of an epoch may take; after a crash, readers wait so long",
            int,
            60,
            least=1,
        ),
        SinkOption("user", "of SASL"),
        SinkOption("password", "of SASL", secret=True),
        SinkOption("sasl_mechanism", "as librdkafka's sasl.mechanism; default: PLAIN with a user"),
        SinkOption(
            "security_protocol", "as librdkafka's security.protocol; default: by user and ssl_ca"
        ),
        SinkOption("ssl_ca", "file of certificates that brokers are checked with"),
    )

    def __init__(self, options: SinkOptions) -> None:
        self._options = options
        self._producer: Any = None
        self._open_transaction = False
        self._said = ""

    def open(self, start: SinkStart) -> None:
        """Connects, checks topics and token, and takes the transactions over."""
        self._start = start
        check_types(start, "the Kafka sink")
        self._kafka = optional("confluent_kafka", "kafka")
        optional("confluent_kafka.admin", "kafka")
        self._format = start.mode(self._options["messages"], UPSERT)
        self._topic = self._options["topic"]
        self._progress_topic = self._options["progress_topic"] or f"{self._topic}-epochs"
        self._check_topics()
        with self._errors():
            self._await_topics()
            self._found = self._read_progress()
        start.check_owner(self._found)
        self._take_over()

    def _config(self) -> dict[str, Any]:
        options, secure = self._options, self._options["ssl_ca"]
        config = {
            "bootstrap.servers": options["servers"],
            "client.id": f"groundswell-{self._start.name}",
            "error_cb": self._note,
            "log_level": 0,
            "socket.timeout.ms": SECONDS * 1000,
            "socket.connection.setup.timeout.ms": SECONDS * 1000,
        }
        protocol = options["security_protocol"]
        if options["user"]:
            config["sasl.mechanism"] = options["sasl_mechanism"] or "PLAIN"
            config["sasl.username"] = options["user"]
            config["sasl.password"] = options["password"] or ""
            protocol = protocol or ("SASL_SSL" if secure else "SASL_PLAINTEXT")
        if secure:
            config["ssl.ca.location"] = secure
            protocol = protocol or "SSL"
        return {**config, **({"security.protocol": protocol} if protocol else {})}

    def _note(self, error: Any) -> None:
        self._said = error.str()
        if error.code() == self._kafka.KafkaError._AUTHENTICATION:
            self._refused = True

    def _check_topics(self) -> None:
        self._refused, self._said = False, ""
        self._admin = admin = self._kafka.admin.AdminClient(self._config())
        with self._errors():
            there = admin.list_topics(timeout=SECONDS).topics
        if self._topic not in there:
            if not self._options["create_topic"]:
                hint = meant(self._topic, there)
                raise SinkError(
                    f"there is no topic {self._topic!r} at {self._options['servers']}{hint}"
                    "Create it, or set create_topic to true"
                )
            keep = {"cleanup.policy": "compact"} if self._format == UPSERT else {}
            self._create(admin, self._topic, self._options["partitions"], keep)
        if self._progress_topic not in there:
            config = {"cleanup.policy": "compact", "segment.ms": "3600000"}
            self._create(admin, self._progress_topic, 1, config)

    def _create(self, admin: Any, name: str, partitions: int, config: dict[str, str]) -> None:
        topic = self._kafka.admin.NewTopic(name, partitions, config=config)
        with self._errors(f"creating topic {name}: "):
            try:
                admin.create_topics([topic], operation_timeout=SECONDS)[name].result(SECONDS)
            except self._kafka.KafkaException as e:
                if e.args[0].code() != self._kafka.KafkaError.TOPIC_ALREADY_EXISTS:
                    raise

    def _await_topics(self) -> None:
        """Until brokers know the topics that were just made, and who leads their partitions."""
        until = time.monotonic() + SECONDS
        while True:
            there = self._admin.list_topics(timeout=SECONDS).topics
            wanted = [there.get(name) for name in (self._topic, self._progress_topic)]
            if all(t and not t.error and _is_led(t.partitions.values()) for t in wanted):
                return
            if time.monotonic() > until:
                raise SinkUnavailable(f"Kafka does not show topic {self._topic} after {SECONDS} s")
            time.sleep(0.1)

    def _read_progress(self) -> SinkProgress | None:
        config = {**self._config(), "group.id": f"groundswell-{self._start.id}"}
        return read_progress(self._kafka, config, self._progress_topic, self._start.id, SECONDS)

    def _take_over(self) -> None:
        """Ends what a run before has left open, and notes this run's token."""
        millis = self._options["transaction_seconds"] * 1000
        config = {
            **self._config(),
            "transactional.id": f"groundswell-{self._start.id}",
            "transaction.timeout.ms": millis,
            "message.timeout.ms": millis,
            "socket.timeout.ms": min(SECONDS * 1000, millis),
            "partitioner": "murmur2_random",  # as producers of the JVM
            "linger.ms": 5,
            "compression.type": "lz4",
        }
        with self._errors():
            self._producer = self._kafka.Producer(config)
            self._producer.init_transactions(SECONDS)
            # Between the look before and the line above, the run before may have come to its end.
            self._found = self._read_progress()
        self._start.check_owner(self._found)
        with self._errors():
            self._begin()
        self._end(self._found.epoch if self._found is not None else -1)

    def recover(self) -> SinkProgress | None:
        """The last epoch that was committed."""
        return None if self._found is None or self._found.epoch < 0 else self._found

    def write(self, epoch: int, changes: Changes) -> None:
        """Sends the messages in a transaction that stays open."""
        found = messages(changes, self._format, self._start)
        with self._errors():
            self._begin()
            headers = [(HEADER, str(epoch).encode())]
            for message in found:
                self._send(self._topic, message, headers)

    def _begin(self) -> None:
        if self._open_transaction:
            self._producer.abort_transaction(SECONDS)
        self._producer.begin_transaction()
        self._open_transaction = True

    def _send(self, topic: str, message: Message, headers: Any) -> None:
        while True:
            try:
                self._producer.produce(topic, key=message[0], value=message[1], headers=headers)
                self._producer.poll(0)
                return
            except BufferError:  # full: wait until the broker has taken some
                self._producer.poll(1)

    def commit(self, epoch: int) -> None:
        """Commits messages and number together."""
        self._end(epoch)
        self._found = SinkProgress(self._start.token, epoch)

    def _end(self, epoch: int) -> None:
        body = {"token": self._start.token, "epoch": epoch, "sink": self._start.name}
        record = (self._start.id.encode(), json.dumps(body).encode())
        with self._errors():
            self._send(self._progress_topic, record, None)
            self._producer.commit_transaction(self._options["transaction_seconds"])
        self._open_transaction = False

    def close(self) -> None:
        """Ends the producer; an open transaction is given up."""
        producer, self._producer = self._producer, None
        if producer is not None and self._open_transaction:
            with suppress(Exception):
                producer.abort_transaction(5)
        self._open_transaction = False

    @contextmanager
    def _errors(self, doing: str = "") -> Iterator[None]:
        try:
            yield
        except GroundswellError:
            raise
        except self._kafka.KafkaException as e:
            raise self._named(e.args[0], doing) from None

    def _named(self, error: Any, doing: str) -> GroundswellError:
        code, names = error.code(), self._kafka.KafkaError
        said = f" ({self._said})" if self._said and self._said != error.str() else ""
        where = f"Kafka at {self._options['servers']}, topic {self._topic}: {doing}"
        text = f"{where}{error.name()}: {error.str()}{said}"
        if self._refused or code in (names._AUTHENTICATION, names.SASL_AUTHENTICATION_FAILED):
            return SinkError(f"{where}the broker does not let us in: {self._said or error.str()}")
        if code in (names._FENCED, names.INVALID_PRODUCER_EPOCH):
            with suppress(self._kafka.KafkaException):
                self._start.check_owner(self._read_progress())
            return SinkUnavailable(f"{where}another producer of this sink has begun")
        if code in (names.UNKNOWN_TOPIC_OR_PART, names._UNKNOWN_TOPIC, names._UNKNOWN_PARTITION):
            return SinkError(f"{where}the topic is not there any more")
        lasting = (
            names.TOPIC_AUTHORIZATION_FAILED,
            names.CLUSTER_AUTHORIZATION_FAILED,
            names.TRANSACTIONAL_ID_AUTHORIZATION_FAILED,
            names.INVALID_MSG,
            names.POLICY_VIOLATION,
            names.INVALID_REPLICATION_FACTOR,
            names.INVALID_PARTITIONS,
            names._INVALID_ARG,
        )
        if code == names.MSG_SIZE_TOO_LARGE:
            return SinkRowRefused(text)
        return SinkError(text) if code in lasting else SinkUnavailable(text)


def _is_led(partitions: Iterable[Any]) -> bool:
    listed = list(partitions)
    return bool(listed) and all(p.error is None and p.leader >= 0 for p in listed)
