"""Queries with every kind of state that Spark's own operators keep."""

from collections.abc import Iterator

import pandas as pd
from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql.streaming.state import GroupState, GroupStateTimeout

from provider.chains import CHAINS
from provider.events import one
from provider.joins import JOINS
from provider.processors import forgetful, ledger
from provider.replay import Case
from provider.totals_processor import of_frames, of_rows


def remember(
    key: tuple[str], frames: Iterator[pd.DataFrame], state: GroupState
) -> Iterator[pd.DataFrame]:
    """Counts and sums by key; a key that is quiet for a minute leaves."""
    if state.hasTimedOut:
        count, total = state.get
        state.remove()
        yield pd.DataFrame({"k": [key[0]], "n": [count], "total": [total], "left": [True]})
        return
    count, total = state.get if state.exists else (0, 0)
    for frame in frames:
        count += len(frame)
        total += int(frame.v.sum())
    state.update((count, total))
    state.setTimeoutTimestamp(state.getCurrentWatermarkMs() + 60_000)
    yield pd.DataFrame({"k": [key[0]], "n": [count], "total": [total], "left": [False]})


def with_state(streams: dict[str, DataFrame]) -> DataFrame:
    return (
        streams["events"]
        .withWatermark("at", "10 seconds")
        .groupBy("k")
        .applyInPandasWithState(
            remember,
            "k string, n long, total long, left boolean",
            "n long, total long",
            "update",
            GroupStateTimeout.EventTimeTimeout,
        )
    )


def ordered(streams: dict[str, DataFrame]) -> DataFrame:
    """Spark samples before it sorts, and so commits one version of the state several times."""
    return totals(streams).orderBy("k")


def windowed(streams: dict[str, DataFrame]) -> DataFrame:
    return (
        streams["events"]
        .withWatermark("at", "30 seconds")
        .groupBy(F.window("at", "40 seconds"), "k")
        .agg(F.count("*"), F.sum("v"), F.max("v"))
    )


def sessions(streams: dict[str, DataFrame]) -> DataFrame:
    return (
        streams["events"]
        .withWatermark("at", "30 seconds")
        .groupBy(F.session_window("at", "7 seconds"), "k")
        .agg(F.count("*"), F.sum("v"))
    )


def totals(streams: dict[str, DataFrame]) -> DataFrame:
    return streams["events"].groupBy("k").agg(F.count("*"), F.sum("v"), F.min("at"))


def distinct(streams: dict[str, DataFrame]) -> DataFrame:
    # Only the columns compared leave: which of two duplicates comes first is Spark's choice.
    return streams["events"].dropDuplicates(["k", "v"]).select("k", "v")


def distinct_for_a_while(streams: dict[str, DataFrame]) -> DataFrame:
    return (
        streams["events"]
        .withWatermark("at", "30 seconds")
        .dropDuplicatesWithinWatermark(["k", "v"])
        .select("k", "v")
    )


STATE_STORE = "spark.sql.streaming.stateStore."

CASES: dict[str, Case] = {
    "aggregation, update": Case(one(), totals, "update"),
    "aggregation, complete": Case(one(batches=4), totals, "complete"),
    "aggregation, state format 1": Case(
        one(batches=4),
        totals,
        "update",
        {"spark.sql.streaming.aggregation.stateFormatVersion": "1"},
    ),
    "aggregation, checkpoint format 2": Case(
        one(batches=4), totals, "update", {STATE_STORE + "checkpointFormatVersion": "2"}
    ),
    "aggregation, row checksums": Case(
        one(batches=4), totals, "update", {STATE_STORE + "rowChecksum.enabled": "true"}
    ),
    "aggregation, unloaded after each commit": Case(
        one(batches=4), totals, "update", {STATE_STORE + "unloadOnCommit": "true"}
    ),
    "aggregation and sort": Case(one(batches=4), ordered, "complete"),
    "aggregation of windows, append": Case(one(), windowed),
    "aggregation of windows, update": Case(one(batches=4), windowed, "update"),
    "session windows": Case(one(), sessions),
    "dropDuplicates": Case(one(), distinct),
    "dropDuplicatesWithinWatermark": Case(one(), distinct_for_a_while),
    "applyInPandasWithState": Case(one(), with_state, "update"),
    "transformWithStateInPandas, timers": Case(one(batches=4, rows=20, keys=8), ledger, "update"),
    "transformWithStateInPandas, timers, avro": Case(
        one(batches=4, rows=20, keys=8),
        ledger,
        "update",
        {STATE_STORE + "encodingFormat": "avro"},
    ),
    "transformWithStateInPandas, time to live, checkpoint format 2": Case(
        one(batches=4, rows=20, keys=8),
        forgetful,
        "update",
        {
            STATE_STORE + "checkpointFormatVersion": "2",
            # Else Spark runs batches for ever, in the hope that a processing time timer ends.
            "spark.sql.streaming.noDataMicroBatches.enabled": "false",
        },
    ),
    "transformWithStateInPandas, initial state": Case(
        one(batches=4, rows=20, keys=8), of_frames, "update"
    ),
    "transformWithState in Python, initial state": Case(
        one(batches=4, rows=20, keys=8), of_rows, "update"
    ),
    **CHAINS,
    **JOINS,
}

# Kinds of state that another case has, too: these run in `make soak`.
SOAK = {
    "aggregation, row checksums",
    "transformWithStateInPandas, initial state",
    "aggregation of windows, update",
    "right outer join, state format 2",
    "left outer join, state format 3",
    "right outer join, state format 3",
    "full outer join, state format 3",
    "inner join, state format 4",
    "right outer join, state format 4",
    "left semi join, state format 4",
    "join without time, state format 3",
}
