"""Takes a stopped query's checkpoint over, and rescales pipelines, from the command line."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path

from groundswell.cli import session
from groundswell.errors import ConfigurationError, GroundswellError


def run(
    old: str, new: str, partitions: int | None, master: str | None, confs: Mapping[str, str]
) -> int:
    """Moves a checkpoint in a Spark session of its own (under spark-submit: in that one's).

    Args:
        old: checkpointLocation of the stopped query; only read.
        new: where to write; must be empty.
        partitions: the new number; None keeps it.
        master: Spark's master; None takes spark-submit's, or all cores of this machine.
        confs: more Spark confs.

    Returns:
        0; 1 if nothing was moved, and why on stderr.
    """
    from groundswell.migrate import run as migrate

    if _is_missing(old, confs):
        return 1
    spark = session.start(master, confs)
    try:
        if partitions is None:
            done = migrate.import_checkpoint(spark, old, new, print)
        else:
            done = migrate.rescale(spark, old, new, partitions, print)
    except GroundswellError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    finally:
        session.stop(spark)
    print(f"start the query with checkpointLocation {done.location}; {old} is as it was")
    return 0


def rescale_pipeline(
    location: str, partitions: int, master: str | None, confs: Mapping[str, str]
) -> int:
    """Gives the states of a pipeline that SQL defines another number of partitions.

    A process that runs it does it while it runs; else it is started, and stopped when that is done.

    Args:
        location: its checkpointLocation.
        partitions: the new number.
        master: Spark's master; None takes spark-submit's, or all cores of this machine.
        confs: more Spark confs.

    Returns:
        0; 1 if it could not be done, and why on stderr.
    """
    from groundswell.columns import quoted
    from groundswell.runtime.backfill.rescale import check_partitions
    from groundswell.sql.defining.building import CATALOG
    from groundswell.sql.executor import REGISTRY, Context, carry_out, run
    from groundswell.sql.pipelines import SqlPipeline

    if _is_missing(location, confs):
        return 1
    spark = session.start(master, confs)
    pipeline: SqlPipeline | None = None
    try:
        check_partitions(partitions)
        found = SqlPipeline(spark, "rescaled", location, carry_out)
        name = found.called
        if found.in_python:
            raise ConfigurationError(
                f"the pipeline in {location} is defined by a Python program: start it there with "
                f"partitions={partitions}, or call rescale({partitions}) of its query"
            )
        if name is None:
            raise ConfigurationError(
                f"{location} holds no pipeline; of another query's checkpoint name the folder of "
                "the new one, too"
            )
        pipeline = SqlPipeline(spark, name, location, carry_out)
        REGISTRY.add(spark, pipeline)
        text = f"ALTER PIPELINE {quoted(name)} SET PARALLELISM {partitions}"
        run(Context(spark, CATALOG, (name,)), text)
    except (GroundswellError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    finally:
        if pipeline is not None:
            pipeline.stop()
        session.stop(spark)
    print(f"the states of pipeline {name} have {partitions} partitions")
    return 0


def _is_missing(location: str, confs: Mapping[str, str]) -> bool:
    """Whether a local folder does not exist, and says so: before a JVM starts.

    A path that only Hadoop can look up is left to Spark.
    """
    scheme, colon, rest = location.partition(":")
    elsewhere = "HADOOP_CONF_DIR" in os.environ or any("defaultFS" in name for name in confs)
    if scheme != "file" if colon else elsewhere:
        return False
    if Path(rest.removeprefix("//") if colon else location).is_dir():
        return False
    print(f"error: {location} is not a folder; give the checkpointLocation", file=sys.stderr)
    return True
