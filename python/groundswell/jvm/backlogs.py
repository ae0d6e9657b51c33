"""What sources have to be read at first, as the JVM can tell; and what memory there is for it."""

from __future__ import annotations

from typing import Any

from pyspark.sql import DataFrame, SparkSession

from groundswell.jvm.errors import engine_errors, jvm_of
from groundswell.jvm.lists import items
from groundswell.jvm.process import entry


def limited_kinds(source: DataFrame) -> set[str]:
    """Of which kinds the streams of a source are that may get a limit: ``FILES``, ``KAFKA``..."""
    with engine_errors():
        return set(items(entry(source.sparkSession).Backlogs.kinds(source._jdf)))


def file_bytes(source: DataFrame) -> int:
    """Bytes of the files that a source would read now; 0 if it reads none, or has a limit."""
    with engine_errors():
        return int(entry(source.sparkSession).Backlogs.fileBytes(source._jdf))


def kafka_options(source: DataFrame) -> list[dict[str, str]]:
    """Options of the Kafka readers behind a source that have no limit of their own."""
    with engine_errors():
        found = items(entry(source.sparkSession).Backlogs.kafka(source._jdf))
        return [{str(key): str(value) for key, value in options.items()} for options in found]


def heap_bytes(spark: SparkSession) -> int:
    """The largest heap that the driver's JVM may have, in bytes."""
    jvm: Any = jvm_of(spark)
    return int(jvm.java.lang.Runtime.getRuntime().maxMemory())
