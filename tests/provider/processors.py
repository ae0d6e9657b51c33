"""transformWithState in Python: value, list and map state, timers and time to live."""

from collections.abc import Iterator
from typing import Any

import pandas as pd
from pyspark.sql import DataFrame
from pyspark.sql.streaming import StatefulProcessor, StatefulProcessorHandle

OUTPUT = "k string, what string, n long"


class Ledger(StatefulProcessor):
    """Per key: a running count, the last values, a count by value, and a goodbye by timer."""

    def init(self, handle: StatefulProcessorHandle) -> None:
        self.handle = handle
        self.count = handle.getValueState("count", "n long")
        self.recent = handle.getListState("recent", "v long")
        self.by_value = handle.getMapState("by_value", "v long", "n long")

    def handleInputRows(
        self,
        key: Any,
        rows: Iterator[pd.DataFrame],
        timerValues: Any,
    ) -> Iterator[pd.DataFrame]:
        values = sorted(int(v) for frame in rows for v in frame.v)
        seen = (self.count.get()[0] if self.count.exists() else 0) + len(values)
        self.count.update((seen,))
        for value in values[:3]:
            self.recent.appendValue((value,))
        kept = [int(row[0]) for row in self.recent.get()]
        if len(kept) > 8:
            self.recent.put([(value,) for value in kept[-4:]])
        for value in values:
            before = self.by_value.getValue((value,))
            self.by_value.updateValue((value,), (before[0] + 1 if before else 1,))
        if self.by_value.containsKey((0,)):
            self.by_value.removeKey((0,))
        for timer in self.handle.listTimers():
            self.handle.deleteTimer(timer)
        self.handle.registerTimer(timerValues.getCurrentWatermarkInMs() + 50_000)
        distinct = len(list(self.by_value.keys()))
        yield self.rows(key, [("seen", seen), ("kept", sum(kept)), ("distinct", distinct)])

    def handleExpiredTimer(
        self,
        key: Any,
        timerValues: Any,
        expiredTimerInfo: Any,
    ) -> Iterator[pd.DataFrame]:
        seen = self.count.get()[0]
        self.count.clear()
        self.recent.clear()
        self.by_value.clear()
        yield self.rows(key, [("left", seen)])

    @staticmethod
    def rows(key: Any, named: list[tuple[str, int]]) -> pd.DataFrame:
        made = [(key[0], what, n) for what, n in named]
        # pandas 3 would take its own string type, which pyspark 4.3 cannot hand to Arrow.
        return pd.DataFrame(made, columns=["k", "what", "n"], dtype=object)


class Forgetful(StatefulProcessor):
    """State with a time to live so long that a test never sees it end."""

    def init(self, handle: StatefulProcessorHandle) -> None:
        hour = 3_600_000
        self.count = handle.getValueState("count", "n long", hour)
        self.recent = handle.getListState("recent", "v long", hour)
        self.by_value = handle.getMapState("by_value", "v long", "n long", hour)

    def handleInputRows(
        self,
        key: Any,
        rows: Iterator[pd.DataFrame],
        timerValues: Any,
    ) -> Iterator[pd.DataFrame]:
        values = sorted(int(v) for frame in rows for v in frame.v)
        seen = (self.count.get()[0] if self.count.exists() else 0) + len(values)
        self.count.update((seen,))
        self.recent.appendList([(value,) for value in values])
        for value in values:
            self.by_value.updateValue((value,), (seen,))
        total = sum(int(row[0]) for row in self.recent.get())
        distinct = len(list(self.by_value.keys()))
        yield Ledger.rows(key, [("seen", seen), ("total", total), ("distinct", distinct)])


def ledger(streams: dict[str, DataFrame]) -> DataFrame:
    grouped = streams["events"].withWatermark("at", "10 seconds").groupBy("k")
    return grouped.transformWithStateInPandas(Ledger(), OUTPUT, "Update", "EventTime")


def forgetful(streams: dict[str, DataFrame]) -> DataFrame:
    grouped = streams["events"].groupBy("k")
    return grouped.transformWithStateInPandas(Forgetful(), OUTPUT, "Update", "ProcessingTime")


class Collector(StatefulProcessor):
    """All values of a key, as a list that grows past what one value of the store holds."""

    def init(self, handle: StatefulProcessorHandle) -> None:
        self.all = handle.getListState("all", "v long, text string")

    def handleInputRows(
        self,
        key: Any,
        rows: Iterator[pd.DataFrame],
        timerValues: Any,
    ) -> Iterator[pd.DataFrame]:
        values = sorted(int(v) for frame in rows for v in frame.v)
        self.all.appendList([(v, f"value {v}" if v % 7 else None) for v in values])
        yield Ledger.rows(key, [("values", len(values))])


def collected(streams: dict[str, DataFrame]) -> DataFrame:
    grouped = streams["events"].groupBy("k")
    return grouped.transformWithStateInPandas(Collector(), OUTPUT, "Update", "None")
