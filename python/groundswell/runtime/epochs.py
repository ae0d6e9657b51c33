"""Epoch manifests: what one published epoch consists of."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from groundswell.errors import Corruption, EpochUnavailable, IllegalState
from groundswell.format.envelope import seal
from groundswell.runtime.location import Folder, Owner, read_document
from groundswell.runtime.slots import Slot, counted, slot_name, slot_of
from groundswell.runtime.watermarks import Times

KIND = "epoch"
CLOSED_BY = "closedBy"
Commits = Mapping[str, list[dict[str, Any]]]
"""State name -> the commit of each partition: its version, id and number of rows."""


@dataclass(frozen=True)
class EpochManifest:
    """One published epoch.

    Attributes:
        commits: of every state, the commit that each partition stands at.
        offsets: fingerprint of Spark's offset log entry for this batch.
        operators: counters by operator id.
        sources: rows taken from each source, by name.
        started_millis: when Spark put the batch together.
        published_millis: when this manifest was written.
        compute_millis: how long the dataflow ran.
        views: the state that holds each view.
        clock_micros: the time that temporal filters were compared with.
        event_times: where watermarks stand, see :mod:`groundswell.runtime.watermarks`.
        token: of the owner who published it; set by the log.
        times: where the barrier's time went, for people: milliseconds by phase; see
            docs/format.md.
    """

    epoch: int
    commits: Commits
    offsets: str
    operators: Mapping[str, Mapping[str, int]]
    sources: Mapping[str, int]
    started_millis: int
    published_millis: int
    compute_millis: int
    views: Mapping[str, str] = field(default_factory=dict)
    event_times: Times = field(default_factory=dict)
    clock_micros: int = 0
    token: int = 0
    times: Mapping[str, Any] = field(default_factory=dict)


class EpochLog:
    """The published epochs of one location.

    Args:
        folder: of the manifests.
        owner: who publishes; None: nobody does, this is read only.
    """

    def __init__(self, folder: Folder, owner: Owner | None = None) -> None:
        self._folder = folder
        self._owner = owner

    @property
    def location(self) -> str:
        """Where the manifests are, for messages."""
        return self._folder.location

    def epochs(self) -> list[int]:
        """All published epochs that are still kept, ascending."""
        return list(self.counted())

    def slots(self) -> list[Slot]:
        """All slots that there are, whether they count or not, ascending."""
        return sorted(filter(None, map(slot_of, self._folder.names())))

    def counted(self) -> dict[int, int]:
        """Token by epoch. What names cannot tell is read: mostly one document, seldom more."""
        slots = self.slots()
        while found := counted(slots):
            tokens = list(found.items())
            for slot in dict.fromkeys((tokens[-1], *_doubtful(tokens))):
                if self.read(slot) is None:
                    slots.remove(slot)
                    break
            else:
                break
        return found

    def find(self, epoch: int) -> EpochManifest | None:
        """The manifest of an epoch, or None if it was never published or is retired."""
        found = self.counted()
        return self.read((epoch, found[epoch])) if epoch in found else None

    def read(self, slot: Slot) -> EpochManifest | None:
        """What was published in a slot; None if it was closed, or is gone."""
        epoch, token = slot
        name = slot_name(*slot)
        document = read_document(self._folder, name, KIND)
        if document is None or CLOSED_BY in document:
            return None
        where = f"{self._folder.location}/{name}"
        try:
            manifest = EpochManifest(
                epoch=document["epoch"],
                commits=document["commits"],
                offsets=document["offsets"],
                operators=document["operators"],
                sources=document["sources"],
                started_millis=document["startedMillis"],
                published_millis=document["publishedMillis"],
                compute_millis=document["computeMillis"],
                views=document["views"],
                event_times=document.get("eventTimes", {}),
                clock_micros=document.get("clockMicros", 0),
                token=token,
                times=document.get("times", {}),
            )
        except KeyError as e:
            raise Corruption(f"{where} lacks {e}; restore the file") from e
        if manifest.epoch != epoch:
            raise Corruption(f"{where} says it is epoch {manifest.epoch}; restore the file")
        return manifest

    def get(self, epoch: int) -> EpochManifest:
        """The manifest of an epoch; a named error if it is not there."""
        manifest = self.find(epoch)
        if manifest is None:
            kept = self.epochs()
            have = f"kept are {kept[0]} to {kept[-1]}" if kept else "none is published yet"
            raise EpochUnavailable(f"epoch {epoch} is not in {self.location}: {have}")
        return manifest

    def newest(self) -> EpochManifest:
        """The last published epoch."""
        kept = self.epochs()
        if not kept:
            raise EpochUnavailable(
                f"no epoch is published in {self._folder.location} yet: wait "
                "for the first barrier, or check the location"
            )
        return self.get(kept[-1])

    def publish(self, manifest: EpochManifest) -> None:
        """Makes an epoch visible, all its views at once.

        Raises:
            Fenced: if another run has the location; nothing was published.
        """
        assert self._owner is not None
        slot = (manifest.epoch, self._owner.token)
        data = seal(
            KIND,
            {
                "epoch": manifest.epoch,
                "commits": {state: list(ids) for state, ids in manifest.commits.items()},
                "offsets": manifest.offsets,
                "operators": {op: dict(c) for op, c in manifest.operators.items()},
                "sources": dict(manifest.sources),
                "startedMillis": manifest.started_millis,
                "publishedMillis": manifest.published_millis,
                "computeMillis": manifest.compute_millis,
                "views": dict(manifest.views),
                "clockMicros": manifest.clock_micros,
                "eventTimes": {name: dict(t) for name, t in manifest.event_times.items()},
                "times": dict(manifest.times),
            },
        )
        if not self._folder.put_new(slot_name(*slot), data):
            self._owner.check()
            raise IllegalState(
                f"{self._folder.location}/{slot_name(*slot)} is there already, and no other run "
                "has claimed the location: start again"
            )

    def close(self, slot: Slot, by: int) -> bool:
        """Sees to it that nothing is published in a slot; False if something was before."""
        data = seal(KIND, {CLOSED_BY: by})
        return self._folder.put_new(slot_name(*slot), data) or self.read(slot) is None

    def delete(self, epoch: int) -> None:
        """Retires an epoch: no reader finds it from now on. Closed slots stay closed."""
        slots = [slot for slot in self.slots() if slot[0] == epoch]
        for slot in slots:
            if len(slots) == 1 or self.read(slot) is not None:
                self._folder.delete(slot_name(*slot))


def _doubtful(tokens: list[Slot]) -> list[Slot]:
    """The oldest of the epochs that count, if a later owner's follow it."""
    return tokens[:1] if len(tokens) > 1 and tokens[0][1] < tokens[1][1] else []


@dataclass(frozen=True)
class OffsetsEntry:
    """Spark's offset log entry of a batch: what a batch's input is."""

    fingerprint: str
    started_millis: int | None


def offsets_entry(offsets: Folder, epoch: int) -> OffsetsEntry | None:
    """Reads ``offsets/<epoch>``; None if Spark has none (any more)."""
    data = offsets.read(str(epoch))
    if data is None:
        return None
    return OffsetsEntry(hashlib.sha256(data).hexdigest()[:32], _batch_millis(data))


def _batch_millis(data: bytes) -> int | None:
    for line in data.decode("utf-8", "replace").splitlines():
        if "batchTimestampMs" in line:
            try:
                document: Any = json.loads(line)
                return int(document["batchTimestampMs"])
            except (ValueError, KeyError, TypeError):
                return None
    return None
