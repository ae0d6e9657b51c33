"""Topics of Kafka as tables, read with Spark's own connector."""

from __future__ import annotations

import difflib
import json
from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.types import StructType

from groundswell import jvm
from groundswell.api.decoded_events import (
    Registered,
    check_columns,
    decoded_appends,
    decoded_debezium,
    decoded_upserts,
)
from groundswell.api.event_values import PLACEHOLDER, Reading
from groundswell.api.events import (
    Texts,
    append_rows,
    checked,
    debezium_rows,
    key_names,
    row_type,
    upsert_rows,
)
from groundswell.api.sources import appends, debezium_table, upserts
from groundswell.api.watermarks import Mark, check_watermark, with_watermark
from groundswell.errors import ConfigurationError, SourceError
from groundswell.jvm import classic_only
from groundswell.jvm import kafka as broker
from groundswell.plan.sources import GONE, UNREAD, Version
from groundswell.sources.registry import ENCODINGS, registered

FORMATS = ("debezium", "upsert", "json", "plain")
SECONDS = 15
"""How long the check waits for the brokers."""

OPTIONS = (
    "subscribe",
    "subscribePattern",
    "assign",
    "startingOffsets",
    "startingTimestamp",
    "startingOffsetsByTimestamp",
    "startingOffsetsByTimestampStrategy",
    "maxOffsetsPerTrigger",
    "minOffsetsPerTrigger",
    "maxTriggerDelay",
    "minPartitions",
    "failOnDataLoss",
    "groupIdPrefix",
    "includeHeaders",
)
"""Of Spark's reader; others begin with ``kafka.`` and are the client's."""

CLIENT = {
    "kafka.fetch.max.wait.ms": "10",
    "kafka.isolation.level": "read_committed",
    "kafka.max.poll.records": "10000",
    "kafka.receive.buffer.bytes": "-1",
}
"""Of the client, unless the options say otherwise.

After each poll Spark asks the broker for the first and the last offset of the partition, and a poll
gives 500 records unless it may give more. So a poll gives all of a fetch, which is 1 MiB of a
partition. Then the client asks for the next fetch at once. The kernel sizes the buffer into which
that one arrives while the records of the last are read. Behind the last message of a partition the
broker keeps that request for 500 ms unless told otherwise, and only then answers Spark's next one.
"""

_JAAS = "org.apache.kafka.common.security"


@classic_only("gs.kafka", "CREATE SOURCE or CREATE TABLE ... WITH (connector = 'kafka', ...)")
def kafka(
    spark: SparkSession,
    servers: str,
    topic: str | Sequence[str],
    format: str = "debezium",  # noqa: A002 - as Spark calls it
    *,
    key: str | Sequence[str] | None = None,
    schema: str | None = None,
    encode: str = "json",
    registry: str | Mapping[str, Any] | None = None,
    starting: str = "earliest",
    options: Mapping[str, Any] | None = None,
    delete: str | None = None,
    conflict: str = "overwrite",
    version: Version = None,
    ttl: str | timedelta | None = None,
    watermark: Mark | None = None,
    timestamps: str | Mapping[str, str] | None = None,
    decimals: str = "plain",
    unavailable_value: str | None = PLACEHOLDER,
    name: str | None = None,
) -> DataFrame:
    """A topic of Kafka as a table, or as an append-only stream of rows.

    A message that cannot be read is a row on which every view of the source fails, as ``errors=``
    of the view says; the error has the message with its topic, partition and offset. A message of
    a transaction that was aborted is none.

    Args:
        spark: a session with Spark's Kafka package.
        servers: ``host:port`` of some brokers, separated by commas.
        topic: name of the topic, or of several whose messages have one form.
        format: ``debezium``: change events; ``upsert``: a row, which replaces the row of its key;
            null deletes it; ``plain`` or ``json``: every message is one more row.
        key: of debezium and upsert: name or names of the columns that identify a row. They are read
            from the message's key where the row lacks them. All messages of a key must be in one
            partition.
        schema: the row's columns, as DDL.
        encode: of the messages: ``json``, or ``avro`` or ``protobuf`` with a schema registry.
        registry: of avro and protobuf: the registry's address, ``http://host:8081``, or several
            with commas between them; or a dict with ``url``, ``username`` and ``password``, ``ca``
            (a file of certificates in PEM), ``timeout`` (seconds; 10), ``subject`` and
            ``key_subject`` (default: the topic's name with ``-value`` and ``-key``),
            ``key_encode`` (default: as the values; ``json``: keys are texts), ``version`` of the
            subject (default: ``latest``), and ``message``, Protobuf's name of the message.
        starting: where a new pipeline begins: ``earliest`` (default), ``latest``, or offsets in
            JSON, as Spark's ``startingOffsets``. One that goes on begins where it stopped.
        options: others of Spark's reader, such as ``maxOffsetsPerTrigger`` or
            ``kafka.security.protocol``.
        delete: of upsert: SQL condition that is true for rows that remove their key, too.
        conflict: of upsert, as :func:`groundswell.upserts`.
        version: of upsert, as :func:`groundswell.upserts`.
        ttl: of upsert, as :func:`groundswell.upserts`.
        watermark: column of event time and how late it may be, as ``("at", "10 minutes")``.
        timestamps: as :func:`groundswell.debezium`.
        decimals: as :func:`groundswell.debezium`.
        unavailable_value: of debezium, as :func:`groundswell.debezium`.
        name: what the checkpoint calls the source; default: a number.

    Returns:
        A DataFrame to build views on. It stands for the table; it has no rows of its own.

    Raises:
        ConfigurationError: Spark's Kafka package is not there, a format or option is unknown, or
            the watermark does not fit.
        SourceError: no broker answers in 15 s, or there is no such topic; key or schema do not fit;
            the schema registry lacks the subject, or its schema the columns.
    """
    if format not in FORMATS:
        hint = f". Did you mean encode={format!r}?" if format in ENCODINGS else ""
        raise ConfigurationError(
            f"format must be one of {', '.join(FORMATS)}, got {format!r}{hint}"
        )
    what = f"gs.kafka(format={format!r})"
    topics = (topic,) if isinstance(topic, str) else tuple(topic)
    appended = format in ("json", "plain")
    of = None
    if encode != "json":
        of = registered(what, encode, registry, topics, not appended)
        _check_registered(spark, what, format, of, schema, (timestamps, decimals))
    elif registry is not None:
        raise SourceError(f"{what}: registry= goes with encode='avro' or 'protobuf'")
    row = row_type(what, schema)
    names = () if appended else key_names(what, row, key)
    if appended and key is not None:
        raise SourceError(f"{what} takes no key=: every message is one more row")
    of_upsert = (delete, version, ttl, None if conflict == "overwrite" else conflict)
    if format != "upsert" and any(given is not None for given in of_upsert):
        raise SourceError(f"{what}: delete=, conflict=, version= and ttl= go with format='upsert'")
    reading = Reading(timestamps, decimals, unavailable_value)
    if format != "debezium" and unavailable_value != PLACEHOLDER:
        raise SourceError(f"{what}: unavailable_value= goes with format='debezium'")
    reading.check(what, row)
    check_watermark(spark, watermark, row, what)
    if of is not None:
        check_columns(what, row)
    more = {"subscribe": ",".join(topics), "startingOffsets": starting, **(options or {})}
    df = stream(spark, {"kafka.bootstrap.servers": servers, **more})
    return table_of(
        df, format, row, names, delete=delete, conflict=conflict, version=version, ttl=ttl,
        watermark=watermark, reading=reading, registry=of, name=name,
    )  # fmt: skip


def _check_registered(
    spark: SparkSession,
    what: str,
    format: str,  # noqa: A002
    of: Registered,
    schema: str | None,
    of_json: tuple[Any, str],
) -> None:
    """Refuses what goes with JSON alone, and messages whose columns nobody names."""
    if format == "json":
        raise SourceError(f"{what}: messages that are not JSON have the format 'plain'")
    if of_json != (None, "plain"):
        raise SourceError(f"{what}: timestamps= and decimals= go with encode='json'")
    if not schema:
        known = jvm.columns_of(spark, of.spec(StructType(), "row"))
        raise SourceError(
            f"{what} needs schema=, the row's columns as DDL. Subject {of.subject} has: {known}"
        )


def table_of(
    df: DataFrame,
    format: str,  # noqa: A002
    row: StructType,
    key: Sequence[str],
    *,
    keyed_messages: bool = True,
    delete: str | None = None,
    conflict: str = "overwrite",
    version: Version = None,
    ttl: str | timedelta | None = None,
    watermark: Mark | None = None,
    reading: Reading | None = None,
    registry: Registered | None = None,
    name: str | None = None,
) -> DataFrame:
    """What stands for a stream of messages, read as :func:`kafka` says.

    Args:
        df: as :func:`stream` gives it.
        format: one of :data:`FORMATS`.
        row: the columns.
        key: names of those that identify a row; of json none.
        keyed_messages: whether the messages' keys have them.
        delete: as :func:`kafka`.
        conflict: as :func:`kafka`.
        version: as :func:`kafka`.
        ttl: as :func:`kafka`.
        watermark: as :func:`kafka`.
        reading: what messages without a schema leave open; None: as usual.
        registry: that has the messages' schemas; None: they are JSON.
        name: as :func:`kafka`.
    """
    place = F.format_string("%s, partition %d, offset %d", "topic", "partition", "offset")
    keys = F.col("key").cast("string") if keyed_messages else None
    texts = Texts(F.col("value").cast("string"), keys, place)
    how = reading or Reading()
    if format == "debezium":
        if registry is None:
            events = debezium_rows(df, texts, row, key, how)
        else:
            events = decoded_debezium(df, texts, registry, row, key, how.unavailable_value)
        return debezium_table(events, row, key, watermark=watermark, name=name)
    appended = format in ("json", "plain")
    if registry is not None:
        rows = (
            decoded_appends(df, texts, registry, row)
            if appended
            else decoded_upserts(df, texts, registry, row, key)
        )
    else:
        rows = (
            append_rows(df, texts, row, how) if appended else upsert_rows(df, texts, row, key, how)
        )
    rows = with_watermark(rows, watermark, f"source {name or 'of messages'}")
    if appended:
        return checked(appends(rows, name=name), row)
    gone = GONE if delete is None else f"{GONE} OR coalesce({delete}, false)"
    made = upserts(
        rows, (*key, UNREAD), delete=gone, conflict=conflict, version=version, ttl=ttl, name=name
    )
    return checked(made, row)


def stream(spark: SparkSession, options: Mapping[str, Any]) -> DataFrame:
    """Spark's stream of messages, once brokers and topics have been looked at.

    Only messages of committed transactions are read, unless the options say otherwise.

    Args:
        spark: a session with Spark's Kafka package.
        options: of Spark's reader.

    Raises:
        ConfigurationError: Spark's Kafka package is not there, or Spark refuses the options.
        SourceError: no broker answers in 15 s, or there is no such topic.
    """
    broker.check_package(spark)
    given = reader_options(options)
    _check_options(given)
    lower = {name.lower() for name in given}
    if not lower & {"startingoffsets", "startingtimestamp", "startingoffsetsbytimestamp"}:
        given["startingOffsets"] = "earliest"
    _check(spark, given)
    try:
        return spark.readStream.format("kafka").options(**given).load()
    except Exception as e:
        says = jvm.first_line(e)
        raise ConfigurationError(f"Spark's Kafka source refuses the options: {says}") from e


def reader_options(options: Mapping[str, Any]) -> dict[str, str]:
    """The options with those of :data:`CLIENT` that they leave out, in any case of letters.

    Raises:
        ConfigurationError: see :func:`client_options`.
    """
    given = client_options(options)
    lower = {name.lower() for name in given}
    return {**{name: value for name, value in CLIENT.items() if name not in lower}, **given}


def client_options(options: Mapping[str, Any]) -> dict[str, str]:
    """Options of Spark's reader, where some have the names that Kafka's client in C uses.

    ``kafka.sasl.username`` and ``kafka.sasl.password`` become the JVM client's JAAS text, and
    ``kafka.ssl.ca.location``, a file in PEM, its trust store.

    Raises:
        ConfigurationError: a user without a password, or a mechanism that takes none.
    """
    given = {name: str(value) for name, value in options.items()}
    user = given.pop("kafka.sasl.username", None)
    password = given.pop("kafka.sasl.password", None)
    if (user is None) != (password is None):
        raise ConfigurationError("sasl.username and sasl.password go together: give both")
    if user is not None and password is not None:
        mechanism = given.setdefault("kafka.sasl.mechanism", "PLAIN").upper()
        plain, scram = f"{_JAAS}.plain.PlainLoginModule", f"{_JAAS}.scram.ScramLoginModule"
        if mechanism != "PLAIN" and not mechanism.startswith("SCRAM-"):
            raise ConfigurationError(
                f"sasl.username does not go with sasl.mechanism {mechanism}, but with PLAIN and "
                "SCRAM-*: give kafka.sasl.jaas.config"
            )
        module = plain if mechanism == "PLAIN" else scram
        named = f"username={json.dumps(user)} password={json.dumps(password)}"
        given["kafka.sasl.jaas.config"] = f"{module} required {named};"
    if (authorities := given.pop("kafka.ssl.ca.location", None)) is not None:
        given["kafka.ssl.truststore.type"] = "PEM"
        given["kafka.ssl.truststore.location"] = authorities
    return given


def _check_options(options: Mapping[str, str]) -> None:
    known = {name.lower() for name in OPTIONS}
    for name, value in options.items():
        lower = name.lower()
        if not lower.startswith("kafka.") and lower not in known:
            near = difflib.get_close_matches(name, OPTIONS, n=1)
            meant = f" Did you mean {near[0]!r}?" if near else ""
            raise ConfigurationError(f"Spark's Kafka source has no option {name!r}.{meant}")
        if lower == "startingoffsets" and value.lower() not in ("earliest", "latest"):
            try:
                fits = isinstance(json.loads(value), dict)
            except ValueError:
                fits = False
            if not fits:
                raise ConfigurationError(
                    "where to start is 'earliest', 'latest', or offsets in JSON such as "
                    f'{{"topic": {{"0": 17}}}}; got {value!r}'
                )


def _check(spark: SparkSession, options: Mapping[str, str]) -> None:
    prefix = "kafka."
    config = {k[len(prefix) :]: v for k, v in options.items() if k.lower().startswith(prefix)}
    servers = config.get("bootstrap.servers")
    if not servers:
        raise ConfigurationError(
            "a Kafka source needs its brokers: kafka.bootstrap.servers = 'host:port'"
        )
    lower = {k.lower(): v for k, v in options.items()}
    wanted = [t.strip() for t in lower.get("subscribe", "").split(",") if t.strip()]
    there = broker.topics(spark, config, SECONDS)
    for topic in wanted:
        if topic not in there:
            near = difflib.get_close_matches(topic, there, n=1)
            meant = f" Did you mean {near[0]!r}?" if near else ""
            raise SourceError(
                f"there is no topic {topic!r} at {servers}, or we may not read it.{meant} "
                "Create it, and start again"
            )
