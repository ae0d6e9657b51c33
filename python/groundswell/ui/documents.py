"""Reads what a page shows from a location, without a JVM. What never changes is read once."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from importlib.util import find_spec
from itertools import islice
from typing import Any

from groundswell.errors import ConfigurationError, GroundswellError
from groundswell.format import Folder, States, Store, open_folder
from groundswell.runtime.ownership.living import has_ended, last_claim
from groundswell.runtime.planning import graph
from groundswell.runtime.record import definition
from groundswell.runtime.record.checkpoints import check_newest
from groundswell.runtime.record.definition import Definition
from groundswell.runtime.record.epochs import EpochLog, EpochManifest
from groundswell.runtime.record.location import EPOCHS, no_pipeline, states_in
from groundswell.state.documents import Documents
from groundswell.ui import model
from groundswell.ui.counts import counts, seconds_of
from groundswell.ui.lsm import StorePicture, store_picture
from groundswell.ui.model import DIVERTED, Picture

PIPELINE = "groundswell"
RECENT = 60
MOST_FAILING = 5
MOST_TEXT = 400
MOST_PARTITIONS = 16
FREQUENT, EVERY = "frequent", 64
"""The table of an index that counts its frequent keys, and of how many rows one is counted."""


class PipelineReader:
    """A location, looked at again and again.

    Args:
        location: a pipeline's checkpointLocation: a path, ``file:`` or ``s3://``.
    """

    def __init__(self, location: str) -> None:
        self.location = location
        self._root = open_folder(location)
        self._home = self._root.child(PIPELINE)
        self._epochs: dict[int, EpochManifest] = {}
        self._hot: dict[str, list[tuple[int, int]]] = {}

    def picture(self, now_millis: int | None = None) -> Picture:
        """What there is to see now.

        Raises:
            ConfigurationError: no pipeline was started there.
            Corruption, StorageFailed: a document cannot be read.
        """
        now = now_millis if now_millis is not None else time.time_ns() // 1_000_000
        home = Documents(self._home)
        manifests, kept = self._recent()  # before the definition: it has every state by then
        owner = definition.load(home)
        if owner is None:
            raise no_pipeline(self.location)
        check_newest(Documents(self._root), home)
        drawn = graph.load(home)
        seconds, counted = seconds_of(manifests), counts(drawn, manifests)
        sources = model.source_facts(owner, manifests, seconds)
        newest = manifests[-1] if manifests else None
        boxes, exact = model.boxes(drawn, manifests, counted.seconds)
        diverting = (
            {str(op.id) for op in drawn.operators if op.op == "diverted" and not op.constraint}
            if drawn
            else set()
        )
        last = last_claim(home)
        followed = zip(manifests, [*manifests, None][1:], strict=True)
        return Picture(
            self.location,
            now,
            "" if last is None else f"{last.run} on {last.host}, pid {last.pid}",
            tuple(model.epoch_facts(m, then, diverting) for m, then in followed),
            model.view_facts(owner, drawn, newest, now, sources),
            sources,
            boxes,
            model.state_facts(newest),
            self._lag(newest, now),
            seconds,
            exact,
            kept,
            self._failing(owner, newest),
            self._hot_keys(owner, newest),
            () if drawn else (NO_GRAPH,),
            last is not None and has_ended(last),
            counted,
        )

    def _recent(self) -> tuple[list[EpochManifest], tuple[int, int] | None]:
        log = EpochLog(Documents(self._home.child(EPOCHS)))
        epochs = log.epochs()
        wanted = epochs[-RECENT:]
        # The newest may be published again by the next owner; those below are settled.
        settled = {e: self._epochs[e] for e in wanted[:-1] if e in self._epochs}
        for epoch in wanted:
            if epoch not in settled:
                found = log.find(epoch)
                if found is not None:
                    settled[epoch] = found
        self._epochs = settled
        manifests = [settled[epoch] for epoch in wanted if epoch in settled]
        return manifests, (epochs[0], epochs[-1]) if epochs else None

    def _lag(self, newest: EpochManifest | None, now: int) -> int:
        """How long the batch at work has been so: it has offsets, and is no epoch yet."""
        offsets = Documents(self._root.child("offsets"))
        name = str(newest.epoch + 1 if newest else 0)
        data = offsets.read(name)
        if data is None:
            return 0
        for line in data.decode("utf-8", "replace").splitlines():
            if "batchTimestampMs" in line:
                try:
                    return int(max(now - int(json.loads(line)["batchTimestampMs"]), 0))
                except (ValueError, KeyError, TypeError):
                    return 0
        return 0

    def _failing(
        self, owner: Definition, newest: EpochManifest | None
    ) -> dict[str, list[Mapping[str, Any]]]:
        """A few of the rows that are set aside, by view; none without pyarrow."""
        found: dict[str, list[Mapping[str, Any]]] = {}
        for name, state in (newest.views if newest else {}).items():
            of = name.removesuffix(DIVERTED)
            if of != name and of in owner.views and find_spec("pyarrow") and newest:
                rows = self._rows(newest, state, owner.layouts[state])
                found |= {of: rows} if rows else {}
        return found

    def _rows(
        self, newest: EpochManifest, state: str, layout: Mapping[str, Any]
    ) -> list[Mapping[str, Any]]:
        from groundswell.state import read, unsafe_row  # pyarrow is slow to import

        rows: list[bytes] = []
        for p, commit in enumerate(newest.commits[state]):
            if commit.rows and len(rows) < MOST_FAILING:
                folder = self._state(newest, state, p)
                rows += islice(read.view_rows(folder, commit), MOST_FAILING - len(rows))
        if not rows:
            return []
        decoded = unsafe_row.columns(rows, {"fields": layout["columns"]}).to_pylist()
        return [{k: str(v)[:MOST_TEXT] for k, v in row.items()} for row in decoded]

    def _hot_keys(
        self, owner: Definition, newest: EpochManifest | None
    ) -> dict[str, list[tuple[int, int]]]:
        """By index: hash of a key and about how many rows it has, as the index itself counts."""
        found: dict[str, list[tuple[int, int]]] = {}
        for state, layout in owner.layouts.items():
            if newest is None or state not in newest.commits or not layout.get("indexes"):
                continue
            commits = newest.commits[state]
            place = f"{state} {[c.id for c in commits]}"
            if place not in self._hot:
                self._hot = {p: h for p, h in self._hot.items() if not p.startswith(f"{state} ")}
                self._hot[place] = self._frequent(newest, state)
            found[", ".join(layout["indexes"])] = self._hot[place]
        return found

    def _frequent(self, newest: EpochManifest, state: str) -> list[tuple[int, int]]:
        counts: list[tuple[int, int]] = []
        for p, commit in enumerate(newest.commits[state][:MOST_PARTITIONS]):
            if not commit.rows:
                continue
            version = Store(self._state(newest, state, p)).version(commit.version, commit.id or "")
            if any(table.name == FREQUENT for table in version.manifest.tables):
                for row in version.scan(FREQUENT):
                    counts += frequent_pairs(row.value)
        return sorted(counts, key=lambda pair: -pair[1])[:10]

    def store(self, state: str, partition: int) -> StorePicture:
        """The levels of a state's partition at the newest epoch.

        Raises:
            ConfigurationError: the newest epoch has no such state, or partition.
        """
        newest = EpochLog(Documents(self._home.child(EPOCHS))).newest()
        commits = newest.commits.get(state, ())
        if not 0 <= partition < len(commits):
            raise ConfigurationError(
                f"epoch {newest.epoch} has no partition {partition} of a state {state!r}"
            )
        commit = commits[partition]
        if not commit.version or commit.id is None:
            return StorePicture(state, partition, 0, (), {}, None, 0)
        return store_picture(
            self._state(newest, state, partition), state, partition, commit.version, commit.id
        )

    def _state(self, newest: EpochManifest, state: str, partition: int) -> Folder:
        return States(states_in(self._home, newest.generation), self._home).store(state, partition)


NO_GRAPH = (
    "There is no picture of the dataflow: the last run was of an older release. "
    "It is noted at the next start."
)


def frequent_pairs(value: bytes) -> list[tuple[int, int]]:
    """What the table ``frequent`` has: pairs of hash and counted rows, behind one byte."""
    words = [
        int.from_bytes(value[at : at + 4], "big", signed=True) for at in range(1, len(value), 4)
    ]
    return [(words[i], words[i + 1] * EVERY) for i in range(0, len(words) - 1, 2)]


def try_picture(reader: PipelineReader) -> Picture | str:
    """What there is to see, or why nothing is."""
    try:
        return reader.picture()
    except (GroundswellError, OSError) as error:
        return str(error)
