"""transformWithState in Python over rows instead of frames, with an initial state."""

from collections.abc import Iterator
from typing import Any

import pandas as pd
from pyspark.sql import DataFrame, Row
from pyspark.sql.streaming import StatefulProcessor, StatefulProcessorHandle

OUTPUT = "k string, n long"
INITIAL = "k string, n long"


class Totals(StatefulProcessor):
    """A running total by key that starts where the initial state says."""

    def init(self, handle: StatefulProcessorHandle) -> None:
        self.total = handle.getValueState("total", "n long")
        self.days = handle.getListState("days", "n long")

    def handleInitialState(self, key: Any, initialState: Any, timerValues: Any) -> None:
        rows = initialState.n if isinstance(initialState, pd.DataFrame) else [initialState.n]
        self.total.update((int(rows[0]),))

    def add(self, key: Any, amount: int) -> tuple[str, int]:
        total = (self.total.get()[0] if self.total.exists() else 0) + amount
        self.total.update((total,))
        self.days.appendValue((amount,))
        return str(key[0]), total + len(list(self.days.get()))

    def handleInputRows(self, key: Any, rows: Iterator[Any], timerValues: Any) -> Iterator[Any]:
        k, n = self.add(key, sum(row.v for row in rows))
        yield Row(k=k, n=n)


class TotalsOfFrames(Totals):
    def handleInputRows(self, key: Any, rows: Iterator[Any], timerValues: Any) -> Iterator[Any]:
        made = [self.add(key, sum(int(frame.v.sum()) for frame in rows))]
        yield pd.DataFrame(made, columns=["k", "n"], dtype=object)


def initial(streams: dict[str, DataFrame]) -> Any:
    rows = [(f"key-{i}", 1000 + i) for i in range(20)]
    return streams["events"].sparkSession.createDataFrame(rows, INITIAL).groupBy("k")


def of_rows(streams: dict[str, DataFrame]) -> DataFrame:
    grouped = streams["events"].groupBy("k")
    return grouped.transformWithState(Totals(), OUTPUT, "Update", "None", initial(streams))


def of_frames(streams: dict[str, DataFrame]) -> DataFrame:
    grouped = streams["events"].groupBy("k")
    return grouped.transformWithStateInPandas(
        TotalsOfFrames(), OUTPUT, "Update", "None", initial(streams)
    )
