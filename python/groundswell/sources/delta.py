"""Tables of Delta Lake, kept up to date by their change data feed."""

from __future__ import annotations

import re
import uuid
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession

from groundswell import jvm
from groundswell.catalog.names import check_name
from groundswell.errors import ConfigurationError
from groundswell.sources.delta_reader import DeltaReader
from groundswell.sources.delta_table import backlog, inspect
from groundswell.sources.lake import Lake, stands_for
from groundswell.sources.new_columns import ADD, IGNORE, OF_LAKES, check_new_columns
from groundswell.sources.stream import stream


@jvm.classic_only("gs.delta", "CREATE TABLE ... WITH (connector = 'delta', path = '...')")
def delta(
    spark: SparkSession,
    path: str | Path,
    *,
    key: str | Sequence[str] | None = None,
    appends: bool | None = None,
    columns: Sequence[str] | None = None,
    max_versions: int | None = None,
    new_columns: str = ADD,
    storage_options: Mapping[str, str] | None = None,
    name: str | None = None,
) -> DataFrame:
    """A Delta table for views: first all rows, then the changes of every version.

    A barrier holds whole versions of the table, but for the first. If that is larger than
    ``maxBarrierRows`` or ``maxBarrierBytes`` of the pipeline, it comes in parts: of whole files, or
    of row groups of larger ones. Changes are read from the table's change data feed, so
    ``delta.enableChangeDataFeed`` must be on, but for tables that only grow. The package deltalake
    reads the table; Spark needs no connector for it.

    Args:
        spark: the session that runs the pipeline.
        path: folder or URI of the table, as deltalake takes it; tasks must reach it, too.
        key: name or names of the columns that identify a row. Without it the whole row does, and
            equal rows are counted; that takes more state.
        appends: whether rows are only ever added; then a version that removes some ends the
            pipeline. Default: what ``delta.appendOnly`` of the table says.
        columns: names of the columns to read; default: all.
        max_versions: so many versions are in a barrier at most; default: all that there are, or as
            many as ``maxBarrierBytes`` allows by their files, if the pipeline was given it.
        new_columns: what a column does that the table gets while the pipeline runs: ``add`` ends
            the pipeline, and its next start has it; ``ignore`` goes on without it until the next
            start; ``stop`` ends it, and asks for a new location. With ``columns`` it does nothing.
        storage_options: of the object store, as deltalake takes them; default: its environment.
        name: what the checkpoint calls the source: letters, digits and underscores; default: the
            folder's name.

    Returns:
        A DataFrame to build views on.

    Raises:
        SourceError: the table, or what reading it needs, is missing.
        ConfigurationError: an argument does not fit, or deltalake is not installed.
    """
    path = str(path)
    if name is None:
        name = re.sub(r"\W", "_", path.rstrip("/").rpartition("/")[2], flags=re.ASCII)
    check_name("source", name)
    if max_versions is not None and max_versions < 1:
        raise ConfigurationError(f"max_versions must be at least 1, got {max_versions}")
    check_new_columns(new_columns, OF_LAKES)
    if appends and key is not None:
        raise ConfigurationError(
            "give key= or appends=True, not both: rows that are only ever added replace none"
        )
    only_new = False if key is not None else appends
    new = IGNORE if columns is not None else new_columns
    plan = inspect(_absolute(path), only_new, max_versions, storage_options or {}, new)
    stream_name = f"groundswell_delta_{uuid.uuid4().hex}"
    rows = stream(spark, stream_name, plan.schema, partial(DeltaReader, plan))
    return stands_for(
        rows,
        Lake(f"the Delta table {plan.path}", stream_name, plan.appends, partial(backlog, plan)),
        key=key,
        columns=columns,
        name=name,
    )


def _absolute(path: str) -> str:
    return path if "://" in path else str(Path(path).absolute())
