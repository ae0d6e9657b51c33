"""Spark's Kafka package: whether it is there, and what its client says of brokers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import pyspark
from pyspark.sql import SparkSession

from groundswell.errors import ConfigurationError, SourceError
from groundswell.jvm.errors import JVM_ERRORS, jvm_of, summary
from groundswell.jvm.lists import java_list

PACKAGE = f"org.apache.spark:spark-sql-kafka-0-10_2.13:{pyspark.__version__}"
"""Of the Spark that is installed, as Maven calls it."""

_PROVIDER = "org.apache.spark.sql.kafka010.KafkaSourceProvider"


def check_package(spark: SparkSession) -> None:
    """Refuses a session without Spark's Kafka package.

    Raises:
        ConfigurationError: it is not there; the message says how to get it.
    """
    try:
        _class(jvm_of(spark), _PROVIDER)
    except JVM_ERRORS as e:
        raise ConfigurationError(
            "Spark's Kafka package is not on the class path. Add it when the session starts: "
            f"gs.configure(SparkSession.builder.config('spark.jars.packages', '{PACKAGE}')), or "
            f"spark-submit --packages {PACKAGE}"
        ) from e


def topics(spark: SparkSession, config: Mapping[str, str], seconds: int) -> set[str]:
    """The names of all topics that the user may see.

    Args:
        spark: a session with Spark's Kafka package.
        config: of Kafka's client.
        seconds: how long to wait for an answer.

    Raises:
        SourceError: no broker answers, or it does not let us in.
    """
    with _admin(spark, config, seconds) as admin:
        jvm: Any = jvm_of(spark)
        units = jvm.java.util.concurrent.TimeUnit.SECONDS
        return {str(name) for name in admin.listTopics().names().get(seconds, units)}


def messages(
    spark: SparkSession, config: Mapping[str, str], topics: Sequence[str], seconds: int
) -> int:
    """How many messages some topics have now: the distance of their first and last offsets.

    Args:
        spark: a session with Spark's Kafka package.
        config: of Kafka's client.
        topics: their names.
        seconds: how long to wait for an answer.

    Raises:
        SourceError: no broker answers, or it does not let us in.
    """
    with _admin(spark, config, seconds) as admin:
        jvm: Any = jvm_of(spark)
        units = jvm.java.util.concurrent.TimeUnit.SECONDS
        spec = jvm.org.apache.kafka.clients.admin.OffsetSpec
        partition = jvm.org.apache.kafka.common.TopicPartition
        first, last = jvm.java.util.HashMap(), jvm.java.util.HashMap()
        asked = java_list(spark, topics)
        described = admin.describeTopics(asked).allTopicNames().get(seconds, units)
        for topic in topics:
            for number in range(described.get(topic).partitions().size()):
                first.put(partition(topic, number), spec.earliest())
                last.put(partition(topic, number), spec.latest())
        begin, end = (admin.listOffsets(at).all().get(seconds, units) for at in (first, last))
        return sum(int(end.get(p).offset()) - int(begin.get(p).offset()) for p in list(first))


@contextmanager
def _admin(spark: SparkSession, config: Mapping[str, str], seconds: int) -> Iterator[Any]:
    """Kafka's client for questions; errors of its answers become ours."""
    jvm: Any = jvm_of(spark)
    properties = jvm.java.util.Properties()
    times = {"request.timeout.ms": 1000 * seconds, "default.api.timeout.ms": 1000 * seconds}
    for key, value in {**times, **config}.items():
        properties.setProperty(key, str(value))
    servers = config.get("bootstrap.servers", "")
    try:
        admin = jvm.org.apache.kafka.clients.admin.AdminClient.create(properties)
        try:
            yield admin
        finally:
            admin.close(jvm.java.time.Duration.ZERO)
    except JVM_ERRORS as e:
        raise SourceError(
            f"Kafka at {servers} cannot be asked for its topics: {_said(e)}. See that a broker "
            f"listens there and lets us in; the check waits {seconds} s"
        ) from e


def _said(error: BaseException) -> str:
    said = summary(error)
    return said.splitlines()[0] if said else type(error).__name__


def _class(jvm: Any, name: str) -> Any:
    return jvm.py4j.reflection.ReflectionUtil.classForName(name)
