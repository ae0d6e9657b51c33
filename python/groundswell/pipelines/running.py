"""Runs a project as a pipeline of ours, once, and says what was done."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from pyspark.sql import SparkSession

from groundswell import jvm
from groundswell.catalog.change import SetOption
from groundswell.errors import ConfigurationError
from groundswell.pipelines import files
from groundswell.pipelines.resolving import Resolving
from groundswell.pipelines.spec import Spec
from groundswell.pipelines.sql_files import TABLE
from groundswell.runtime.gc import trees
from groundswell.runtime.pipeline import Pipeline
from groundswell.runtime.record.epochs import EpochLog
from groundswell.runtime.record.location import EPOCHS, FOLDER
from groundswell.sql.console.printing import table
from groundswell.sql.refreshing import COLUMNS, Refreshed, refreshed

Print = Callable[[str], None]


def location_of(spec: Spec) -> str:
    """The checkpointLocation of a project's pipeline: a folder of its own in the storage."""
    return f"{spec.storage.rstrip('/')}/groundswell"


def check_options(refresh: Sequence[str], full_refresh: Sequence[str]) -> None:
    """Refuses what Spark's command line has and a pipeline of ours cannot do.

    Raises:
        ConfigurationError: with what to do instead.
    """
    if refresh:
        raise ConfigurationError(
            f"--refresh {','.join(refresh)} is not supported: all datasets of a project are "
            "brought up to date together, so that they always agree. Leave it out"
        )
    if full_refresh:
        raise ConfigurationError(
            f"--full-refresh {','.join(full_refresh)} is not supported: only all datasets together "
            "can be recomputed, with --full-refresh-all"
        )


def run(
    spark: SparkSession, spec: Spec, out: Print, *, dry: bool = False, anew: bool = False
) -> list[Refreshed]:
    """Brings every dataset of a project up to date.

    Args:
        spark: a session that :func:`groundswell.configure` made.
        spec: the project.
        out: takes the lines that are printed.
        dry: looks at all definitions, and runs nothing.
        anew: gives up what earlier runs have computed.

    Returns:
        What was done for each dataset; of a dry run, nothing.

    Raises:
        GroundswellError: a definition that cannot be; nothing has run.
    """
    location = location_of(spec)
    resolving, pipeline = _resolved(spark, spec, location)
    if dry:
        for name in resolving.views:
            out(f"{name} can be maintained incrementally")
        return []
    now = files.listed(spark, resolving.files)
    why = "--full-refresh-all" if anew else files.changed(files.kept(spark, location), now)
    if why is not None:
        if not anew and any(d.kind == TABLE for d in resolving.datasets):
            raise ConfigurationError(
                f"{why} since the last run, so materialized views must be recomputed, and the "
                "streaming tables of the project with them: run with --full-refresh-all"
            )
        _forget(spark, location)
        resolving, pipeline = _resolved(spark, spec, location)
    before = _newest(spark, location)
    had = _views_at(spark, location, before)
    for gone in sorted(had - set(resolving.views)):
        pipeline.drop(gone)
    begun = time.monotonic()
    query = pipeline.start(availableNow=True, queryName=spec.name)
    query.awaitTermination()
    seconds = time.monotonic() - begun
    files.keep(spark, location, now, files.listed(spark, resolving.files))
    barriers = [b for b in query.recentProgress if before is None or b["epoch"] > before]
    done = [
        refreshed(name, name, barriers, name in had, seconds, why or "the view is new")
        for name in resolving.views
    ]
    for line in table([c.split()[0] for c in COLUMNS.split(", ")], [each.row() for each in done]):
        out(line)
    return done


def _resolved(spark: SparkSession, spec: Spec, location: str) -> tuple[Resolving, Pipeline]:
    """A changed query computes its view anew, as Spark does; of streaming tables that is no way."""
    pipeline = Pipeline(spark, location)
    resolving = Resolving(spark, spec, pipeline)
    resolving.run()
    if not any(dataset.kind == TABLE for dataset in resolving.datasets):
        pipeline.program.apply(SetOption("onChange", "rebuild"))
    return resolving, pipeline


def _forget(spark: SparkSession, location: str) -> None:
    trees.clear(spark, location)


def _log(spark: SparkSession, location: str) -> EpochLog:
    return EpochLog(jvm.JvmFolder.open(spark, location).child(FOLDER).child(EPOCHS))


def _newest(spark: SparkSession, location: str) -> int | None:
    epochs = _log(spark, location).epochs()
    return epochs[-1] if epochs else None


def _views_at(spark: SparkSession, location: str, epoch: int | None) -> set[str]:
    return set() if epoch is None else set(_log(spark, location).get(epoch).views)
