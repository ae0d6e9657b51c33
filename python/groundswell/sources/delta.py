"""Tables of Delta Lake, kept up to date by their change data feed."""

from __future__ import annotations

import json
import re
import uuid
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from groundswell import jvm
from groundswell.api.sources import appends as append_source
from groundswell.api.sources import changelog
from groundswell.catalog.names import check_name
from groundswell.columns import by_name
from groundswell.errors import ConfigurationError, SourceError
from groundswell.plan.refusals import why_key_type
from groundswell.runtime.planning.sources import measure
from groundswell.sources.data_source import data_source
from groundswell.sources.delta_reader import DeltaReader
from groundswell.sources.delta_table import CHANGE_TYPE, DeltaPlan, backlog, inspect

_COPIES = "_groundswell_copies"


@jvm.classic_only("gs.delta", "CREATE TABLE ... WITH (connector = 'delta', path = '...')")
def delta(
    spark: SparkSession,
    path: str | Path,
    *,
    key: str | Sequence[str] | None = None,
    appends: bool | None = None,
    columns: Sequence[str] | None = None,
    max_versions: int | None = None,
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
    if appends and key is not None:
        raise ConfigurationError(
            "give key= or appends=True, not both: rows that are only ever added replace none"
        )
    only_new = False if key is not None else appends
    plan = inspect(_absolute(path), only_new, max_versions, storage_options or {})
    format_ = f"groundswell_delta_{uuid.uuid4().hex}"
    spark.dataSource.register(data_source(format_, plan.schema, partial(DeltaReader, plan)))
    rows = spark.readStream.format(format_).load()
    if columns is not None:
        rows = rows.select(*map(by_name, _known(plan, columns)), *_change_type(plan))
    if plan.appends:
        return _measured(append_source(rows, name=name), plan, format_)
    if key is not None:
        return _measured(changelog(rows, key, name=name), plan, format_)
    return _whole_rows(rows, plan, name, format_)


def _measured(source: DataFrame, plan: DeltaPlan, stream: str) -> DataFrame:
    """The same source, of which a first start knows how much it has."""
    (read,) = jvm.Capture([source]).description.sources
    measure(jvm.jvm_id(source.sparkSession), read.key, stream, partial(backlog, plan))
    return source


def _absolute(path: str) -> str:
    return path if "://" in path else str(Path(path).absolute())


def _known(plan: DeltaPlan, wanted: Sequence[str]) -> list[str]:
    there = {column.lower(): column for column in plan.facts.schema.names}
    for column in wanted:
        if column.lower() not in there:
            raise SourceError(
                f"the Delta table {plan.path} has no column {column!r}; it has "
                f"{', '.join(there.values())}"
            )
    return [there[column.lower()] for column in wanted]


def _change_type(plan: DeltaPlan) -> list[str]:
    return [] if plan.appends else [CHANGE_TYPE]


def _whole_rows(rows: DataFrame, plan: DeltaPlan, name: str, stream: str) -> DataFrame:
    """Equal rows are one group with a count, which gives as many rows again."""
    for field in rows.schema.fields:
        if reason := why_key_type(json.loads(field.dataType.json())):
            raise SourceError(
                f"column {field.name} of the Delta table {plan.path} cannot identify a row: "
                f"{reason}. Give key= without it, or leave it out of columns="
            )
    changes = _measured(changelog(rows, name=name), plan, stream)
    counted = changes.groupBy(*map(by_name, changes.columns)).agg(F.count("*").alias(_COPIES))
    copies = counted.select("*", F.explode(F.sequence(F.lit(1), F.col(_COPIES))).alias("_copy"))
    return copies.select(*map(by_name, changes.columns))
