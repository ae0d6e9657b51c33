"""Shared indexes from outside: single keys of them and of views, and what is known of their sizes.

Nothing here starts a Spark job: the process that asks reads the few blocks that hold the key.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from groundswell import jvm
from groundswell.columns import by_name
from groundswell.contract.commits import StateCommits
from groundswell.errors import ConfigurationError
from groundswell.optimizer.stages import top_ns
from groundswell.plan.indexes import Statistics
from groundswell.runtime.planning.partitions import partitions_of
from groundswell.runtime.planning.planned import PlannedViews
from groundswell.runtime.reading.views import schema_json
from groundswell.runtime.record.epochs import EpochLog
from groundswell.runtime.record.location import EPOCHS, FOLDER, STATE, state_root
from groundswell.runtime.record.pending_epochs import PendingEpochs
from groundswell.runtime.record.published import Published, places_of

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, Row, SparkSession

_SAMPLE = 1000


def with_statistics(
    spark: SparkSession,
    location: str,
    planned: PlannedViews,
    options: Mapping[str, Any],
    anew: Collection[str] = (),
) -> PlannedViews:
    """The plan with what the newest epoch says: its states, and of indexes rows and hot keys.

    Args:
        spark: the session to read with.
        location: the pipeline's checkpointLocation.
        planned: what is planned of its views so far.
        options: of the pipeline.
        anew: names of views of which it does not matter what they are now.
    """
    planned = replace(planned, partitions=partitions_of(spark, options["partitions"]))
    if not planned.indexes and not any(any(top_ns(root)) for root in planned.streams.values()):
        return planned
    folder = jvm.JvmFolder.open(spark, location).child(FOLDER)
    log = EpochLog(folder.child(EPOCHS))
    epochs = log.epochs()
    if not epochs:
        return planned
    newest = log.get(epochs[-1])
    commits = newest.commits
    found: dict[str, Statistics] = {}
    for name, index in planned.indexes.items():
        entries = commits.get(index.state)
        rows = sum(entry.rows for entry in entries or ())
        if entries and rows:
            root = state_root(folder.location, newest.generation)
            state = StateCommits(f"{root}/{STATE}/{index.state}", entries)
            seen, keys = jvm.index_sample(spark, state, _SAMPLE)
            hot = jvm.frequent_keys(spark, state, options["hotKeyRows"])
            found[name] = Statistics(rows, rows * keys / seen if seen else rows, hot)
    return replace(
        planned,
        statistics=found,
        partitions=max(map(len, commits.values()), default=planned.partitions),
        states=frozenset(commits),
        kept_views=frozenset(newest.views) - set(anew),
    )


@jvm.classic_only(
    "gs.lookup",
    "SELECT ... FROM groundswell.<pipeline>.<view> WHERE <key> = ..., which reads those rows alone",
)
def lookup(
    spark: SparkSession, location: str | Path, name: str, *key: Any, epoch: int | None = None
) -> list[Row]:
    """The rows of one key of a view or of an index, as of the newest epoch, without a Spark job.

    An index may be read by its first columns only: rows are placed by the first one, so one
    partition is asked, and those of its rows are read that have this value in the first column.

    Args:
        spark: the session to read with; it need not be the one that keeps the views.
        location: the pipeline's checkpointLocation.
        name: of the view or index.
        key: one value a key column: those that an index was made on, or the first of them; or
            those of a view's key, in the order in which ``explain()`` shows them. None finds
            nothing in an index.
        epoch: a published epoch that is still retained; default: the newest.

    Returns:
        All rows of an index key, or of the keys that begin with it; the one row of a view's key, or
        none.

    Raises:
        ConfigurationError: if there is no such view or index, or the key has too few or too many
            columns, or columns that the view does not show.
        EpochUnavailable: if the epoch is not published (yet), or retired.

    Examples:
        >>> votes = p.table("votes", "id bigint, story bigint", key="id")
        >>> _ = p.view("counts", votes.df.groupBy("story").count())
        >>> _ = p.index(votes, "story", name="by_story")
        >>> votes.insert([(10, 1), (11, 1)])
        >>> p.start(availableNow=True).awaitTermination()
        >>> gs.lookup(spark, location, "counts", 1)
        [Row(story=1, count=2)]
        >>> sorted(row.id for row in gs.lookup(spark, location, "by_story", 1))
        [10, 11]
    """
    location = str(location)
    folder = jvm.JvmFolder.open(spark, jvm.qualify(spark, location)).child(FOLDER)
    log = PendingEpochs(folder.child(EPOCHS), jvm.jvm_id(spark))
    published = Published(folder, location, epoch, log)
    state = published.views.get(name) or published.indexes.get(name)
    if state is None:
        raise ConfigurationError(
            f"{location} has no view or index {name!r} at epoch {published.epoch}; its views are "
            f"{', '.join(published.views)}; its indexes are "
            f"{', '.join(published.indexes) or 'none'}"
        )
    layout = published.layout(state)
    types = {c["name"]: c["type"] for c in layout["columns"]}
    names = layout.get("by")
    if names is None or not set(names) <= types.keys():
        raise ConfigurationError(
            f"the key of view {name!r} has columns that it does not show; add an index on columns "
            "that it has, pipeline.index(pipeline.read(view), ...)"
        )
    hidden = layout.get("indexes", {}).get(name)
    index = hidden is not None
    if not (1 if index else len(names)) <= len(key) <= len(names):
        hint = "" if index else "; to read by a part of it, add an index on that"
        raise ConfigurationError(f"{name!r} is by ({', '.join(names)}), got the key {key!r}{hint}")
    given = jvm.constants(spark, [(value, types[n]) for value, n in zip(key, names, strict=False)])
    found: DataFrame = jvm.state_lookup(
        spark,
        published.at(folder.location, state),
        schema_json(layout),
        given,
        places_of(layout),
    )
    return found.select(*(by_name(n) for n in types if n not in (hidden or ()))).collect()
