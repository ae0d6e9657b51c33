"""Gives the states of a stopped pipeline another number of partitions. docs/rfcs has the why.

The new states are a generation of their own, in a folder of their own, and refer to files of the
one before. Nobody knows of them before
the last epoch is published again, as one that stands on them: that step is the rescale. What was
written before a crash is swept by the next start; what is written after it is a start as any other.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import Any

from pyspark.sql import SparkSession

from groundswell import jvm
from groundswell.contract.commits import RescaleRequest
from groundswell.contract.dataflow.flow import DataflowSpec
from groundswell.errors import ConfigurationError
from groundswell.runtime.backfill.generations import MOST_PARTITIONS, next_generation
from groundswell.runtime.planning.planned import PlannedViews
from groundswell.runtime.record.definition import Definition
from groundswell.runtime.record.epochs import EpochManifest
from groundswell.runtime.record.location import state_root

_log = logging.getLogger("groundswell")


@dataclass(frozen=True)
class Scale:
    """How the states of a pipeline stand.

    Attributes:
        generation: 0, and another one after each rescale.
        partitions: of every state.
    """

    generation: int
    partitions: int


def scale_of(owner: Definition, last: EpochManifest | None) -> Scale:
    """How the states of the last epoch stand; it says so itself once it was rescaled."""
    if last is None or not last.generation:
        return Scale(0, owner.partitions)
    return Scale(last.generation, last.partitions)


def check_partitions(count: int) -> None:
    """Refuses a number of partitions that no pipeline can have.

    Raises:
        ConfigurationError: with the numbers that one can have.
    """
    if isinstance(count, bool) or not isinstance(count, int) or not 1 <= count <= MOST_PARTITIONS:
        raise ConfigurationError(
            f"option partitions is {count!r}: a state can have 1 to {MOST_PARTITIONS} partitions"
        )


def check_rescale(
    location: str,
    now: int,
    wanted: int,
    filled: tuple[str, ...],
    aside: Mapping[str, Any],
    told: Collection[str],
) -> None:
    """Refuses a rescale together with what reads or writes states otherwise.

    Args:
        location: of the pipeline.
        now: how many partitions its states have.
        wanted: how many they are to have.
        filled: names of the views that are to be filled by the same start.
        aside: the views that stand still.
        told: the views that stood still, and whose changes since are not delivered.

    Raises:
        ConfigurationError: if it cannot be done now.
    """
    what = f"the states at {location} have {now} partitions and are to have {wanted}"
    if filled:
        raise ConfigurationError(
            f"{what}, and {', '.join(filled)} is to be filled by the same start: do one after the "
            f"other, first with partitions={now} or without the option"
        )
    if aside:
        raise ConfigurationError(
            f"{what}, and {', '.join(aside)} is set aside, so its rows stand still: resume or drop "
            "it first"
        )
    if told:
        raise ConfigurationError(
            f"{what}, and a sink or foreachBatch of {', '.join(sorted(told))} has yet to get what "
            f"changed while that view stood still: start with partitions={now} or without the "
            "option first, and see in query.lastProgress that no sink has stopped"
        )


@dataclass(frozen=True)
class Rescaled:
    """What a rescale has made.

    Attributes:
        scale: how states stand now.
        epoch: the last epoch, standing on them; not published.
        flow: what was compiled to write them, for the barriers to come.
        rows: entries that were written.
        bytes: that were written.
    """

    scale: Scale
    epoch: EpochManifest
    flow: jvm.Dataflow
    rows: int
    bytes: int


def rescale(
    planned: PlannedViews,
    spec: DataflowSpec,
    home: str,
    last: EpochManifest,
    to: Scale,
) -> Rescaled:
    """Writes the states of the last epoch anew, with another number of partitions.

    Args:
        planned: the views.
        spec: the dataflow that is to run, on the new states.
        home: location of the pipeline's folder.
        last: the last epoch.
        to: how its states are to stand.
    """
    begun = time.monotonic()
    version = 1 + max(
        [last.epoch, *(c.version for commits in last.commits.values() for c in commits)]
    )
    flow = jvm.Dataflow(planned.capture, spec)
    try:
        root = state_root(home, last.generation)
        made = flow.rescale(RescaleRequest(root, version, last.commits))
    except BaseException:
        flow.close()
        raise
    epoch = replace(
        last,
        commits=made.commits,
        generation=to.generation,
        partitions=to.partitions,
        views={view: state for view, state in last.views.items() if state in made.commits},
    )
    _log.info(
        "%s: %s rows, %s bytes written into %s partitions in %.1f s",
        home,
        f"{made.rows:,}",
        f"{made.bytes:,}",
        to.partitions,
        time.monotonic() - begun,
    )
    return Rescaled(to, epoch, flow, made.rows, made.bytes)


def scale_to(spark: SparkSession, home: str, now: Scale, partitions: int) -> Scale:
    """A generation that no folder has, what a broken-off rescale has left included."""
    return Scale(next_generation(jvm.folders(spark, home), now.generation), partitions)
