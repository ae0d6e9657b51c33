"""Merges files of a pipeline's states from another process than the one that runs it.

The pipeline runs with the option ``compaction="elsewhere"``. This process reads the newest epoch,
merges what is due, and tells the run by a log (:mod:`~groundswell.runtime.record.merges`). The run
takes a merge in with the next commit to its partition, if it still fits. So this process changes no
version: it may be killed at any time, and two of them do no harm, for the older one ends.
"""

from __future__ import annotations

import os
import socket
import threading
import uuid
from collections.abc import Callable
from dataclasses import dataclass

from pyspark.sql import SparkSession

from groundswell import jvm
from groundswell.contract.commits import MergeRequest, MergeResult, MergeWork
from groundswell.errors import ConfigurationError, EpochUnavailable
from groundswell.runtime.ownership.leases import WHOLE, Lease
from groundswell.runtime.record import definition
from groundswell.runtime.record.epochs import EpochLog, EpochManifest
from groundswell.runtime.record.location import EPOCHS, FOLDER, no_pipeline, state_root
from groundswell.runtime.record.merges import Entry, Merge, MergeLog


@dataclass(frozen=True)
class Pass:
    """What one look at a pipeline did.

    Attributes:
        epoch: that was looked at; None: there is none yet.
        merges: that were done.
        read: bytes that were read.
        written: bytes that were written.
        failed: why some partition could not be merged; None: all could.
    """

    epoch: int | None = None
    merges: int = 0
    read: int = 0
    written: int = 0
    failed: str | None = None


class Compactor:
    """Merges for one pipeline.

    Args:
        spark: the session whose tasks merge.
        location: the pipeline's checkpointLocation.
    """

    def __init__(self, spark: SparkSession, location: str) -> None:
        self._spark = spark
        self._location = location
        self._home = jvm.JvmFolder.open(spark, location).child(FOLDER)
        self._log = MergeLog(self._home)
        self._process = f"{socket.gethostname()}:{os.getpid()}:{uuid.uuid4().hex[:8]}"
        self._next: int | None = None
        self._entries: dict[int, Entry] = {}
        self._idle: dict[tuple[str, int], tuple[int, str | None]] = {}

    def run(self, seconds: float, stop: threading.Event, said: Callable[[Pass], None]) -> None:
        """Merges until it is told to stop.

        Args:
            seconds: from the end of one look to the next.
            stop: ends it.
            said: is told of each look that did something, or could not.

        Raises:
            Fenced: another process has begun to merge for the pipeline.
            ConfigurationError: the pipeline does not take merges of others.
        """
        while not stop.is_set():
            done = self.once()
            if done.merges or done.failed:
                said(done)
            if not done.merges:
                stop.wait(seconds)

    def once(self) -> Pass:
        """One look: does all merges that are due in the newest epoch, and tells of them."""
        if self._next is None and definition.load(self._home) is None:
            raise no_pipeline(self._location)
        if not self._log.is_open():
            raise ConfigurationError(
                f"the pipeline in {self._location} takes no merges of other processes: start "
                'it with the option compaction="elsewhere"'
            )
        self._learn()
        log = EpochLog(self._home.child(EPOCHS))
        try:
            manifest = log.newest()
            with Lease(self._home, manifest.epoch, WHOLE):
                return self._merge(manifest)
        except EpochUnavailable:  # none yet, or a newer one by now
            return Pass()

    def _learn(self) -> None:
        numbers = self._log.numbers()
        if self._next is None:
            self._next = max(numbers, default=-1) + 1
            self._add(())
            numbers.append(self._next - 1)
        known = {n: self._entries.get(n) or self._log.read(n) for n in numbers}
        self._entries = {n: entry for n, entry in known.items() if entry is not None}
        if (newest := self._entries.get(max(numbers))) is not None:
            self._log.check(newest, self._process)

    def _add(self, merges: tuple[Merge, ...], generation: int = 0) -> None:
        assert self._next is not None
        entry = Entry(self._next, self._process, generation, merges)
        self._log.add(entry)
        self._entries[entry.number] = entry
        self._next += 1

    def _merge(self, manifest: EpochManifest) -> Pass:
        parts = self._parts(manifest)
        root = state_root(self._home.location, manifest.generation)
        versions = {(part.state, part.partition): (part.version, part.id) for part in parts}
        result = jvm.merge(self._spark, MergeRequest(root, tuple(parts)))
        try:
            self._tell(result, manifest.generation, versions)
        except BaseException:
            jvm.discard_merges(self._spark, root, result)
            raise
        if result.failed is None:
            self._idle.update(versions)
        return Pass(
            manifest.epoch,
            len(result.done),
            sum(done.read for done in result.done),
            sum(done.written for done in result.done),
            result.failed,
        )

    def _parts(self, manifest: EpochManifest) -> list[MergeWork]:
        told: dict[tuple[str, int], list[str]] = {}
        for entry in self._entries.values():
            if entry.generation == manifest.generation:
                for merge in entry.merges:
                    told.setdefault((merge.state, merge.partition), []).append(merge.record)
        return [
            MergeWork(state, p, ref.version, ref.id, tuple(told.get((state, p), ())))
            for state, refs in manifest.commits.items()
            for p, ref in enumerate(refs)
            if ref.version > 0
            and ref.id is not None
            and self._idle.get((state, p)) != (ref.version, ref.id)
        ]

    def _tell(
        self,
        result: MergeResult,
        generation: int,
        versions: dict[tuple[str, int], tuple[int, str]],
    ) -> None:
        if result.done:
            self._add(
                tuple(
                    Merge(
                        done.state,
                        done.partition,
                        versions[done.state, done.partition][0],
                        done.record,
                    )
                    for done in result.done
                ),
                generation,
            )
