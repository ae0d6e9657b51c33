"""Reading views back, in the process that keeps them or in any other."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

from groundswell import jvm
from groundswell.plan.sources import HIDDEN, MALFORMED
from groundswell.runtime.ownership.leases import Lease, hold, is_kept_here, lease_if_allowed, leased
from groundswell.runtime.record.checkpoints import check_newest
from groundswell.runtime.record.location import EPOCHS, FOLDER, Folder
from groundswell.runtime.record.pending_epochs import PendingEpochs
from groundswell.runtime.record.published import Published

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


def schema_json(layout: Mapping[str, Any]) -> str:
    """Spark's schema of a view, from the definition's layout."""
    return json.dumps(
        {
            "type": "struct",
            "fields": [
                {"name": c["name"], "type": c["type"], "nullable": c["nullable"], "metadata": {}}
                for c in layout["columns"]
            ],
        }
    )


def held(home: Folder, location: str, epoch: int | None, process: str) -> Published:
    """What an epoch published, with a short lease on it if another process runs the pipeline.

    Args:
        home: the pipeline's folder in the checkpointLocation.
        location: the checkpointLocation, for messages.
        epoch: the epoch; None: the newest.
        process: the JVM that reads.

    Raises:
        EpochUnavailable: the epoch is not published (yet), or retired.
        ConfigurationError: nothing was ever started there.
    """
    log = PendingEpochs(home.child(EPOCHS), process)
    if is_kept_here(process, home.location):
        return Published(home, location, epoch, log)
    return leased(lambda e: Published(home, location, e, log), home, epoch, hold)[0]


class Snapshot:
    """All views of a pipeline as they were after one epoch: what is read of it agrees.

    In a process that does not run the pipeline, a snapshot keeps its epoch from being retired for a
    minute. Used as a context manager (``with gs.snapshot(...) as s``), it does so until the block
    ends.

    Attributes:
        epoch: the epoch.
        views: names of its views.

    Examples:
        >>> votes = p.table("votes", "story bigint")
        >>> _ = p.view("counts", votes.df.groupBy("story").count())
        >>> votes.insert([(1,), (1,)])
        >>> p.start(availableNow=True).awaitTermination()
        >>> before = gs.snapshot(spark, location)
        >>> before.views
        ('counts',)
        >>> votes.insert([(1,)])
        >>> p.start(availableNow=True).awaitTermination()
        >>> [row["count"] for row in before.view("counts").collect()]
        [2]
        >>> counts = gs.read_view(spark, location, "counts")
        >>> [row["count"] for row in counts.collect()]
        [3]
        >>> gs.view_to_arrow(location, "counts").to_pylist()
        [{'story': 1, 'count': 3}]
    """

    @jvm.classic_only(
        "gs.snapshot", "SELECT ... FROM groundswell.<pipeline>.<view> VERSION AS OF <epoch>"
    )
    def __init__(self, spark: SparkSession, location: str | Path, epoch: int | None = None) -> None:
        location = str(location)
        self._spark = spark
        self._location = location
        where = jvm.qualify(spark, location)
        root = jvm.JvmFolder.open(spark, where)
        folder: Folder = root.child(FOLDER)
        cheap = where.startswith("file:")  # elsewhere two more listings are slow
        if epoch is None and cheap and not is_kept_here(jvm.jvm_id(spark), folder.location):
            check_newest(root, folder)
        self._root = folder.location
        self._home = folder
        self._lease: Lease | None = None
        self._published = held(folder, location, epoch, jvm.jvm_id(spark))
        self.epoch = self._published.epoch
        self.views = tuple(self._published.views)

    def view(self, name: str) -> DataFrame:
        """One view as a DataFrame.

        Raises:
            ConfigurationError: if there was no such view at that epoch.
        """
        state = self._published.state(name)
        rows = jvm.view_rows(
            self._spark,
            self._published.at(self._root, state),
            schema_json(self._published.layout(state)),
        )
        if MALFORMED in rows.columns:
            rows = rows.where(f"{MALFORMED} IS NULL").drop(*HIDDEN)
        return rows

    __getitem__ = view

    def __enter__(self) -> Snapshot:
        """Keeps the epoch from being retired until the block ends, however long it takes."""
        self._lease = lease_if_allowed(self._home, self.epoch)
        if self._lease is not None:
            self._lease.__enter__()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Lets go of the epoch."""
        if self._lease is not None:
            self._lease.end()
            self._lease = None

    def createTempViews(self) -> None:
        """Makes every view a temp view of its name, for SQL over this epoch."""
        for name in self.views:
            self.view(name).createOrReplaceTempView(name)

    def __repr__(self) -> str:
        return f"Snapshot({self._location}, epoch {self.epoch}: {', '.join(self.views)})"


@jvm.classic_only(
    "gs.read_view",
    "spark.table('groundswell.<pipeline>.<view>')",
)
def read_view(
    spark: SparkSession, location: str | Path, name: str, epoch: int | None = None
) -> DataFrame:
    """A view as it was after an epoch.

    Args:
        spark: the session to read with.
        location: the pipeline's checkpointLocation.
        name: the view's name.
        epoch: a published epoch that is still retained; default: the newest.

    Returns:
        A DataFrame; all that is read from it is of that one epoch.

    Raises:
        EpochUnavailable: if the epoch is not published (yet), or retired.
        ConfigurationError: if nothing was ever started there, or the view has another name.
    """
    return Snapshot(spark, location, epoch).view(name)


@jvm.classic_only(
    "gs.read_views",
    "one query over groundswell.<pipeline>.<view> reads all its views at one epoch",
)
def read_views(
    spark: SparkSession,
    location: str | Path,
    names: Iterable[str] | None = None,
    epoch: int | None = None,
) -> dict[str, DataFrame]:
    """Several views (default: all) as they were after one epoch, by name; see read_view."""
    snapshot = Snapshot(spark, location, epoch)
    wanted = snapshot.views if names is None else tuple(names)
    return {name: snapshot.view(name) for name in wanted}
