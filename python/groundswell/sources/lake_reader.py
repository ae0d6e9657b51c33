"""What Spark's side of a table of a lake has, whatever the lake."""

from __future__ import annotations

from typing import Any, ClassVar

from pyspark.sql.datasource import DataSourceStreamReader
from pyspark.sql.streaming.datasource import (
    ReadAllAvailable,
    ReadLimit,
    SupportsTriggerAvailableNow,
)

from groundswell.runtime.planning.sources import Size

UNLIMITED = Size()


class LakeReader(DataSourceStreamReader, SupportsTriggerAvailableNow):
    """Tells offsets and parts; tasks get a reader of the same plan that has read nothing yet."""

    BEGIN: ClassVar[dict[str, Any]]
    """The offset before all that is read."""

    def __init__(self, plan: Any, most: Size = UNLIMITED) -> None:
        self._plan = plan
        self._most = most

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self._plan, self._most)

    def initialOffset(self) -> dict[str, Any]:
        """Before the first rows that are read."""
        return self.BEGIN

    def getDefaultReadLimit(self) -> ReadLimit:
        """What the reader was made with bounds a barrier."""
        return ReadAllAvailable()
