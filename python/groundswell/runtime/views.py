"""Reading views back, in the process that keeps them or in any other."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from groundswell import jvm
from groundswell.runtime.ahead import AheadLog
from groundswell.runtime.location import EPOCHS, STATE, Folder
from groundswell.runtime.published import Published

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

FOLDER = "groundswell"


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


class Snapshot:
    """All views of a pipeline as they were after one epoch: what is read of it agrees.

    Attributes:
        epoch: the epoch.
        views: names of its views.

    Examples:
        >>> votes = p.table("votes", "story bigint")
        >>> _ = p.view("counts", votes.df.groupBy("story").count())
        >>> votes.insert(spark.createDataFrame([(1,), (1,)], "story bigint"))
        >>> p.start(availableNow=True).awaitTermination()
        >>> before = gs.snapshot(spark, location)
        >>> before.views
        ('counts',)
        >>> votes.insert(spark.createDataFrame([(1,)], "story bigint"))
        >>> p.start(availableNow=True).awaitTermination()
        >>> [row["count"] for row in before.view("counts").collect()]
        [2]
        >>> [row["count"] for row in gs.read_view(spark, location, "counts").collect()]
        [3]
        >>> gs.view_to_arrow(location, "counts").to_pylist()
        [{'story': 1, 'count': 3}]
    """

    @jvm.classic_only(
        "gs.snapshot", "SELECT ... FROM groundswell.<pipeline>.<view> VERSION AS OF <epoch>"
    )
    def __init__(self, spark: SparkSession, location: str, epoch: int | None = None) -> None:
        self._spark = spark
        self._location = location
        folder: Folder = jvm.JvmFolder.open(spark, jvm.qualify(spark, location)).child(FOLDER)
        self._root = folder.location
        log = AheadLog(folder.child(EPOCHS), jvm.jvm_id(spark))
        self._published = Published(folder, location, epoch, log)
        self.epoch = self._published.epoch
        self.views = tuple(self._published.views)

    def view(self, name: str) -> DataFrame:
        """One view as a DataFrame.

        Raises:
            ConfigurationError: if there was no such view at that epoch.
        """
        state = self._published.state(name)
        return jvm.view_rows(
            self._spark,
            f"{self._root}/{STATE}/{state}",
            self._published.commits(state),
            schema_json(self._published.layout(state)),
        )

    __getitem__ = view

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
def read_view(spark: SparkSession, location: str, name: str, epoch: int | None = None) -> DataFrame:
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
    location: str,
    names: Iterable[str] | None = None,
    epoch: int | None = None,
) -> dict[str, DataFrame]:
    """Several views (default: all) as they were after one epoch, by name; see read_view."""
    snapshot = Snapshot(spark, location, epoch)
    wanted = snapshot.views if names is None else tuple(names)
    return {name: snapshot.view(name) for name in wanted}
