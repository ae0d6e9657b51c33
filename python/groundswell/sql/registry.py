"""The pipelines that SQL knows by name."""

from __future__ import annotations

from contextlib import suppress

from pyspark.sql import SparkSession

from groundswell import jvm
from groundswell.sql.owning.requests import CarryOut
from groundswell.sql.pipelines import SqlPipeline


class Registry:
    """The pipelines that this process knows, of one JVM.

    Args:
        carry_out: see :class:`SqlPipeline`.
    """

    def __init__(self, carry_out: CarryOut) -> None:
        self._carry_out = carry_out
        self._known: dict[tuple[str, str], SqlPipeline] = {}

    def add(self, spark: SparkSession, pipeline: SqlPipeline) -> None:
        """Makes a pipeline known."""
        self._known[jvm.jvm_id(spark), pipeline.name.lower()] = pipeline

    def remove(self, spark: SparkSession, name: str) -> None:
        """Forgets a pipeline."""
        self._known.pop((jvm.jvm_id(spark), name.lower()), None)

    def find(self, spark: SparkSession, name: str) -> SqlPipeline | None:
        """A pipeline by name, in any case of letters; None: there is none."""
        self._forget_stopped()
        found = self._known.get((jvm.jvm_id(spark), name.lower()))
        if found is None and (location := _configured(spark, name)):
            found = SqlPipeline(spark, name, location, self._carry_out)
            self.add(spark, found)
        return found

    def all(self, spark: SparkSession) -> list[SqlPipeline]:
        """All of this JVM, by name."""
        self._forget_stopped()
        own = jvm.jvm_id(spark)
        return [p for (of, _), p in sorted(self._known.items()) if of == own]

    def _forget_stopped(self) -> None:
        """Pipelines go with their session: the next one of this JVM is as that of a new process."""
        for key, pipeline in [*self._known.items()]:
            if not jvm.has_session(pipeline.spark):
                self._known.pop(key, None)


def _configured(spark: SparkSession, name: str) -> str | None:
    """A location that the session's confs give a pipeline, for readers in other processes."""
    with suppress(Exception):
        return spark.conf.get(f"spark.groundswell.pipeline.{name}", None)
    return None
