"""The claim of a pipeline on its checkpointLocation."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from pyspark.sql import SparkSession

from groundswell.jvm.errors import JVM_ERRORS, JavaPackage, engine_errors
from groundswell.jvm.files import storage_errors


def here(spark: SparkSession) -> tuple[str, int]:
    """Machine and process of the session's JVM, as claims have them."""
    with engine_errors():
        host = str(JavaPackage(spark, "io.groundswell.checkpoint").Owner.machine())
        return host, int(JavaPackage(spark, "java.lang").ProcessHandle.current().pid())


class Ownership:
    """That this run is the last one that has claimed a location, until another one does.

    Attributes:
        token: greater than those of all runs before.
        handle: the claim, for calls into the JVM.
    """

    def __init__(self, spark: SparkSession, location: str, who: str, above: int = 0) -> None:
        """Claims a location; from here on no run before may publish to it.

        Args:
            spark: the session that runs the pipeline.
            location: qualified.
            who: for messages.
            above: the greatest token that any name in the location shows.
        """
        self._owners = JavaPackage(spark, "io.groundswell.spark.store.checkpoint").CheckpointOwners
        self._location = location
        self._conf = spark._jsparkSession.sessionState().newHadoopConf()
        with storage_errors(f"claim {location}"):
            self.handle: Any = self._owners.claim(location, who, above, self._conf)
            self.token = int(self.handle.token())

    def check(self) -> None:
        """Raises Fenced if another run has claimed the location since."""
        with engine_errors():
            self.handle.check()

    def release(self) -> None:
        """The run has ended; quietly, also when the JVM is gone."""
        with suppress(*JVM_ERRORS, OSError, AttributeError):
            self._owners.release(self._location, self.handle, self._conf)
