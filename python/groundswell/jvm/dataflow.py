"""A dataflow in the JVM, and merges for one that another process runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

from pyspark.sql import SparkSession

from groundswell.contract.barrier import (
    BarrierProgress,
    BarrierRequest,
    BarrierResult,
    BatchSize,
    BatchSizes,
    CommitBatches,
)
from groundswell.contract.codec import decode, encode
from groundswell.contract.commits import (
    Commits,
    MergeRequest,
    MergeResult,
    PendingCommits,
    RescaleRequest,
    RescaleResult,
    RetireRequest,
)
from groundswell.contract.dataflow.flow import DataflowSpec
from groundswell.jvm.capture import Capture
from groundswell.jvm.errors import JVM_ERRORS, engine_errors
from groundswell.jvm.owners import Ownership
from groundswell.jvm.process import entry


class Dataflow:
    """A dataflow made from captured queries, ready to run barriers."""

    def __init__(self, capture: Capture, spec: DataflowSpec) -> None:
        self._left: tuple[int, Commits] | None = None  # what the last run left, as both sides know
        with engine_errors():
            self._handle = entry(capture.spark).Dataflow.compile(encode(spec), capture.handle)

    def run(
        self,
        request: BarrierRequest,
        batch: Any,
    ) -> BarrierResult:
        """One barrier; a batch of None: no source has news. Its commits are those of all states.

        What the JVM has left itself it is not told again, and it tells only what it has changed.
        """
        left, self._left = self._left, None
        base = request.base
        if left is not None and left[1] is base:
            request = replace(request, base={}, after=left[0])
        with engine_errors():
            result = decode(BarrierResult, self._handle.run(batch, encode(request)))
        kept = {state: base[state] for state in result.unchanged}
        told = {**kept, **result.commits}
        commits = {state: told[state] for state in base if state in told} | told
        self._left = (request.epoch, commits)
        return replace(result, commits=commits, unchanged=())

    def progress(self) -> BarrierProgress | None:
        """How far the barrier is that another thread runs; None: none runs."""
        with engine_errors():
            told = self._handle.progress()
        return None if told is None else decode(BarrierProgress, told)

    def rescale(self, request: RescaleRequest) -> RescaleResult:
        """Writes its states from others that have another number of partitions; durable."""
        with engine_errors():
            return decode(RescaleResult, self._handle.rescale(encode(request)))

    def sizes(self, batch: Any) -> Mapping[str, BatchSize]:
        """How much a batch has of each source with news, by id, before it is read."""
        with engine_errors():
            return decode(BatchSizes, self._handle.sizes(batch)).sources

    def persist(self, commits: PendingCommits) -> None:
        """Makes commits durable."""
        with engine_errors():
            self._handle.persist(encode(commits))

    def forget(self, commits: PendingCommits) -> None:
        """Gives up commits that are not durable; quietly, also when the JVM is gone."""
        with suppress(*JVM_ERRORS, OSError):
            self._handle.forget(encode(commits))

    def write(self, waiting: Sequence[int]) -> None:
        """Makes durable what barriers have left in memory, under these numbers."""
        if waiting:
            with engine_errors():
                self._handle.write(encode(CommitBatches(tuple(waiting))))

    def give_up(self, waiting: Sequence[int]) -> None:
        """Gives up what barriers have left in memory; quietly, also when the JVM is gone."""
        if waiting:
            with suppress(*JVM_ERRORS, OSError):
                self._handle.giveUp(encode(CommitBatches(tuple(waiting))))

    def retire(self, request: RetireRequest, ownership: Ownership) -> None:
        """Begins to delete state files that neither the needed commits nor later ones need.

        Returns at once, unless deletes are far behind. The next :meth:`run` tells how far they are.

        Args:
            request: what must stay.
            ownership: of this run; once another run has the location nothing more is deleted.

        Raises:
            Fenced: the deletes asked for before have found that another run has the location.
        """
        with engine_errors():
            self._handle.retire(encode(request), ownership.handle)

    def close(self) -> None:
        """Lets go of what it holds; quietly, also when the JVM is gone."""
        with suppress(*JVM_ERRORS, OSError):
            self._handle.close()


def merge(spark: SparkSession, request: MergeRequest) -> MergeResult:
    """Merges files for a pipeline that another process runs; it has to be told of the result."""
    with engine_errors():
        return decode(MergeResult, entry(spark).Merges.run(spark._jsparkSession, encode(request)))


def discard_merges(spark: SparkSession, root: str, result: MergeResult) -> None:
    """Deletes the files of merges of which nobody was told."""
    with engine_errors():
        entry(spark).Merges.discard(spark._jsparkSession, root, encode(result))
