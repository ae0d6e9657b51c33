"""Tables of Iceberg, kept up to date by the snapshots of a branch."""

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
from groundswell.sources.iceberg_reader import IcebergReader, backlog
from groundswell.sources.iceberg_table import IcebergPlan, inspect
from groundswell.sources.lake import Lake, stands_for
from groundswell.sources.new_columns import ADD, OF_LAKES, check_new_columns
from groundswell.sources.stream import stream


@jvm.classic_only("gs.iceberg", "CREATE TABLE ... WITH (connector = 'iceberg', table = '...')")
def iceberg(
    spark: SparkSession,
    table: str | Path,
    *,
    key: str | Sequence[str] | None = None,
    appends: bool = False,
    columns: Sequence[str] | None = None,
    branch: str = "main",
    max_snapshots: int | None = None,
    new_columns: str = ADD,
    catalog: str | None = None,
    properties: Mapping[str, str] | None = None,
    name: str | None = None,
) -> DataFrame:
    """An Iceberg table for views: first all rows, then what every snapshot changed.

    A barrier holds whole snapshots of the table, but for the first. If that is larger than
    ``maxBarrierRows`` or ``maxBarrierBytes`` of the pipeline, it comes in parts: of whole files, or
    of row groups of larger ones. Changes are the data files that a snapshot adds and removes, and
    the rows that its delete files take away, by position or by value. The package pyiceberg reads
    the metadata; Spark needs no connector for it.

    Args:
        spark: the session that runs the pipeline.
        table: name in the catalog, as ``shop.orders``; or, without a catalog, the folder of a table
            that has ``metadata/version-hint.text``, or one metadata file of any table, which is
            then read as it was at that time. Tasks must reach the files, too.
        key: name or names of the columns that identify a row. Without it the whole row does, and
            equal rows are counted; that takes more state.
        appends: whether rows are only ever added; then a snapshot that takes some away ends the
            pipeline.
        columns: names of the columns to read; default: all.
        branch: whose snapshots are followed.
        max_snapshots: so many snapshots are in a barrier at most; default: all that there are, or
            as many as ``maxBarrierRows`` and ``maxBarrierBytes`` allow.
        new_columns: what a column does that the table gets while the pipeline runs: ``add`` ends
            it, and the next start has the column; ``ignore`` goes on without it until the next
            start; ``stop`` ends it, and asks for a new location. With ``columns`` it does nothing.
        catalog: name of the catalog in pyiceberg's own settings; default: ``default``, if ``table``
            is no path.
        properties: of the catalog and its storage, as pyiceberg takes them: ``type``, ``uri``,
            ``warehouse``, ``credential``, ``s3.access-key-id``, ...
        name: what the checkpoint calls the source: letters, digits and underscores; default: the
            last part of ``table``.

    Returns:
        A DataFrame to build views on.

    Raises:
        SourceError: the table, or what reading it needs, is missing.
        ConfigurationError: an argument does not fit, or pyiceberg is not installed.
    """
    if isinstance(table, Path) or "/" in table:
        path = str(table)
        where = path if re.match(r"[a-z0-9+]+:", path) else str(Path(path).absolute())
        if catalog is not None:
            raise ConfigurationError(
                f"give the table's name in catalog {catalog!r}, as 'shop.orders', not a path: "
                f"{path!r}"
            )
    else:
        where, catalog = table, catalog or "default"
    if name is None:
        last = re.split(r"[/.]", re.sub(r"(/metadata/[^/]*)?/*$", "", where))[-1]
        name = re.sub(r"\W", "_", last, flags=re.ASCII)
    check_name("source", name)
    if max_snapshots is not None and max_snapshots < 1:
        raise ConfigurationError(f"max_snapshots must be at least 1, got {max_snapshots}")
    check_new_columns(new_columns, OF_LAKES)
    if appends and key is not None:
        raise ConfigurationError(
            "give key= or appends=True, not both: rows that are only ever added replace none"
        )
    wanted = IcebergPlan(
        where,
        catalog,
        branch,
        appends=appends,
        max_snapshots=max_snapshots,
        new_columns=new_columns,
        properties=dict(properties or {}),
    )
    plan = inspect(wanted, columns)
    stream_name = f"groundswell_iceberg_{uuid.uuid4().hex}"
    rows = stream(spark, stream_name, plan.schema, partial(IcebergReader, plan))
    return stands_for(
        rows,
        Lake(plan.called, stream_name, plan.appends, partial(backlog, plan)),
        key=key,
        columns=None,
        name=name,
    )
