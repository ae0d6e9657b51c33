"""Moves a checkpoint: plan, copy, Spark job, commit log."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from groundswell import jvm
from groundswell.contract.migration import MigrationPlan
from groundswell.errors import InvalidArgument
from groundswell.migrate import files, plan
from groundswell.state.checkpoint import Checkpoint

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


FORMAT = "spark.sql.streaming.stateStore.checkpointFormatVersion"


@dataclass(frozen=True)
class Migrated:
    """What was moved.

    Attributes:
        location: the new checkpoint.
        batch: the batch whose state it holds; the query goes on with the next.
        provider: the class that had kept the state.
        rows: state rows by operator id.
        partitions: number of state partitions by operator id.
    """

    location: str
    batch: int
    provider: str
    rows: dict[int, int]
    partitions: dict[int, int]


def import_checkpoint(
    spark: SparkSession, old: str, new: str, progress: Callable[[str], None] = lambda _: None
) -> Migrated:
    """Makes a checkpoint of ours out of one that another state store has kept.

    Args:
        spark: a session with the jar; its executors move the rows.
        old: checkpointLocation of the stopped query; only read.
        new: where to write; must be empty. Start the query with this checkpointLocation.
        progress: told what is being done, in words.

    Raises:
        InvalidArgument: ``old`` is no checkpoint that can be moved, or ``new`` is not empty.
    """
    return _migrate(spark, old, new, None, progress)


def rescale(
    spark: SparkSession,
    old: str,
    new: str,
    partitions: int,
    progress: Callable[[str], None] = lambda _: None,
) -> Migrated:
    """Like `import_checkpoint`, from any provider, into another number of state partitions.

    Args:
        spark: a session with the jar; its executors move the rows.
        old: checkpointLocation of the stopped query; only read.
        new: where to write; must be empty.
        partitions: the new number, 1 to 100,000; it becomes the query's
            ``spark.sql.shuffle.partitions``. Operators without a key keep their one partition.
        progress: told what is being done, in words.
    """
    if not 1 <= partitions <= 100_000:
        raise InvalidArgument(f"{partitions} partitions; from 1 to 100000 can be had")
    return _migrate(spark, old, new, partitions, progress)


def _migrate(
    spark: SparkSession,
    old: str,
    new: str,
    partitions: int | None,
    progress: Callable[[str], None],
) -> Migrated:
    source = jvm.JvmTree(spark, jvm.qualify(spark, old))
    target = jvm.JvmTree(spark, jvm.qualify(spark, new))
    if found := [*target.names(), *target.folders()]:
        raise InvalidArgument(
            f"{new} is not empty: it has {', '.join(found[:3])}; name a new folder"
        )
    checkpoint = Checkpoint(source)
    at = checkpoint.committed()
    confs = files.pinned(source, at.batch)
    if at.ids:
        confs[FORMAT] = "2"  # not among what Spark pins
    operators = plan.operators(checkpoint, at, partitions, confs)
    counts = {o.id: o.new_partitions for o in operators}
    progress(
        f"batch {at.batch}: "
        + ", ".join(f"operator {o.id} with {o.partitions} partitions" for o in operators)
        + f", kept by {confs.get(files.PROVIDER, 'an unnamed provider')}"
    )
    files.copy(source, jvm.JvmFolder.open(spark, target.location), counts, partitions)
    moved = jvm.migrate(
        spark,
        MigrationPlan(
            origin=f"{source.location}/state",
            target=f"{target.location}/state",
            version=at.batch + 1,
            confs=confs,
            operators=operators,
        ),
    )
    ids = {operator: found.ids for operator, found in moved.operators.items()}
    files.copy_commits(source, jvm.JvmFolder.open(spark, target.location), at.batch, ids)
    rows = {int(operator): found.rows for operator, found in moved.operators.items()}
    for operator, count in rows.items():
        progress(f"operator {operator}: {count:,} rows in {counts[operator]} partitions")
    return Migrated(new, at.batch, confs.get(files.PROVIDER, ""), rows, counts)
