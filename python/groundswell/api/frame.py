"""``DataFrame.incremental()``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pyspark.sql import DataFrame

from groundswell import jvm
from groundswell.api.writer import IncrementalWriter
from groundswell.errors import ConfigurationError
from groundswell.runtime.planning import plan_views

if TYPE_CHECKING:
    from pyspark.sql.types import StructType


class IncrementalFrame:
    """A query that was found to be incremental; nothing runs yet."""

    def __init__(self, frame: DataFrame) -> None:
        if not jvm.is_classic(frame):
            raise ConfigurationError(
                "incremental() needs a classic Spark session: its planner "
                "talks to the session's JVM, and Spark Connect has none here"
            )
        self.frame = frame
        self._planned = plan_views({"": frame})

    @property
    def schema(self) -> StructType:
        """The view's columns."""
        return self.frame.schema

    @property
    def columns(self) -> list[str]:
        """Names of the view's columns."""
        return list(self.frame.columns)

    @property
    def plan(self) -> str:
        """What :meth:`explain` prints."""
        return self._planned.explain()

    def explain(self) -> None:
        """Prints operators as a tree, with changelog kind, stream key and state tables."""
        print(self.plan)  # noqa: T201

    @property
    def writeStream(self) -> IncrementalWriter:
        """Starts the view, in Spark's own way."""
        return IncrementalWriter(self.frame)

    def __repr__(self) -> str:
        return f"IncrementalFrame[{', '.join(self.columns)}]"


def _incremental(self: DataFrame) -> IncrementalFrame:
    """This query as a view that is kept up to date with changes.

    Raises:
        NotIncremental: with every operator that cannot be kept, the reason, and a way round.
    """
    return IncrementalFrame(self)


def install() -> None:
    """Gives every DataFrame its ``incremental()``."""
    frame: Any = DataFrame
    frame.incremental = _incremental
