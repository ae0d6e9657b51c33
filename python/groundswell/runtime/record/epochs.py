"""The published epochs of a location: which there are, what they say, and a new one."""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass
from typing import Any, Self

from groundswell.errors import Corruption, EpochUnavailable, IllegalState
from groundswell.format.envelope import (
    FORMAT_VERSION,
    LOADING_VERSION,
    PACKED_VERSION,
    RESCALED_VERSION,
    SHARED_VERSION,
    seal,
)
from groundswell.format.epoch_packs import is_packed
from groundswell.marks import Mark
from groundswell.runtime.record import manifests, removal
from groundswell.runtime.record.location import Folder, Owner, read_document
from groundswell.runtime.record.manifests import Base, EpochManifest, commits_of, counters, noted
from groundswell.runtime.record.seen import Held
from groundswell.runtime.record.slots import (
    Slot,
    base_name,
    base_slot_of,
    counted,
    slot_name,
    slot_of,
)

__all__ = ["EpochLog", "EpochManifest", "OffsetsEntry", "commits_of", "counters", "noted"]

KIND = "epoch"
BASE_KIND = "base"
CLOSED_BY = "closedBy"
SMALL = 256
"""Up to so many commits an epoch is one document that older releases read."""
BASE_EVERY = 128
"""So many epochs at most are told against one base."""
QUIET = 4
"""A barrier is quiet if it changes at most one partition of so many."""
_READ = 4
"""Documents that a log keeps in memory: what stands in a slot never changes."""


class EpochLog:
    """The published epochs of one location.

    Args:
        folder: of the manifests.
        owner: who publishes; None: nobody does, this is read only.
        small: up to so many commits an epoch is one document.
    """

    def __init__(self, folder: Folder, owner: Owner | None = None, small: int = SMALL) -> None:
        self._folder = folder
        self._owner = owner
        self._small = small
        self._documents: dict[Slot, dict[str, Any]] = {}
        self._guard = threading.Lock()  # of these: epochs are retired beside the barriers
        self._known: Base | None = None  # the last one read or written
        self._writing: Base | None = None  # what the next epoch may be told against
        self._last: EpochManifest | None = None
        self._quiet = 0
        self._shares = False  # whether commits have been in packs

    def through(self, folder: Folder) -> Self:
        """The same log, its folder looked at in another way; both know the documents read."""
        log = copy(self)
        log._folder = folder
        return log

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
                if self._published(slot) is None:
                    Mark.NEWEST_SLOT_IS_CLOSED.hit()
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
        document = self._published(slot)
        if document is None:
            return None
        where = f"{self._folder.location}/{slot_name(*slot)}"
        try:
            named = manifests.base_named(document)
            base = None if named is None else self._base(named, slot)
            if named is not None and base is None:
                return None
            manifest = manifests.manifest_in(document, base, slot[1])
        except (KeyError, IndexError, TypeError) as e:
            raise Corruption(f"{where} lacks {e}; restore the file") from e
        if manifest.epoch != slot[0]:
            raise Corruption(f"{where} says it is epoch {manifest.epoch}; restore the file")
        return manifest

    def _published(self, slot: Slot) -> dict[str, Any] | None:
        """The document of an epoch; None if the slot was closed, or is gone."""
        known = self._documents.get(slot)
        if known is not None:
            return known
        document = read_document(self._folder, slot_name(*slot), KIND)
        if document is None or CLOSED_BY in document:
            return None
        with self._guard:
            while len(self._documents) >= _READ:
                self._documents.pop(next(iter(self._documents)))
            self._documents[slot] = document
        return document

    def _base(self, named: Slot, slot: Slot) -> Base | None:
        """What an epoch is told against; None if the epoch is gone since, and so is the base."""
        if self._known is not None and self._known.slot == named:
            return self._known
        name = base_name(*named)
        content = read_document(self._folder, name, BASE_KIND)
        if content is None:
            if self._folder.read(slot_name(*slot)) is None:
                Mark.EPOCH_RETIRED_WHILE_READ.hit()
                return None
            raise Corruption(
                f"{self._folder.location}/{slot_name(*slot)} is computed against {name}, which is "
                "not there; restore the file"
            )
        found = manifests.base_in(content)
        if found.slot != named:
            raise Corruption(
                f"{self._folder.location}/{name} says it is of epoch {found.slot[0]}, owner "
                f"{found.slot[1]}; restore the file"
            )
        self._known = found
        return found

    def get(self, epoch: int) -> EpochManifest:
        """The manifest of an epoch; a named error if it is not there."""
        manifest = self.find(epoch)
        if manifest is None:
            kept = self.epochs()
            have = f"kept are {kept[0]} to {kept[-1]}" if kept else "none is published yet"
            raise EpochUnavailable(f"epoch {epoch} is not in {self.location}: {have}")
        return manifest

    def of_generation(self, epoch: int, generation: int) -> EpochManifest | None:
        """An epoch as it stood on a generation of states: a rescale publishes its epoch again.

        Args:
            epoch: a published one.
            generation: of the states.

        Returns:
            None if it never stood on that, or is retired.
        """
        for slot in reversed(self.slots()):
            found = self.read(slot) if slot[0] == epoch else None
            if found is not None and found.generation == generation:
                return found
        return None

    def newest(self) -> EpochManifest:
        """The last published epoch."""
        found = self.counted()
        newest = self.read(max(found.items())) if found else None
        if newest is None:
            raise EpochUnavailable(
                f"no epoch is published in {self._folder.location} yet: wait "
                "for the first barrier, or check the location"
            )
        return newest

    def publish(self, manifest: EpochManifest) -> None:
        """Makes an epoch visible, all its views at once.

        Raises:
            Fenced: if another run has the location; nothing was published.
        """
        assert self._owner is not None
        slot = (manifest.epoch, self._owner.token)
        data = self._sealed(manifest, slot)
        self._put_new(slot_name(*slot), data)
        self._last = manifest

    def _sealed(self, manifest: EpochManifest, slot: Slot) -> bytes:
        """An epoch's document; a base that it is computed against is written before it.

        One is written when two barriers have changed few partitions each: where most change in
        every other barrier, an epoch takes one object as before.
        """
        count = manifests.partitions(manifest.commits)
        self._shares = self._shares or any(
            is_packed(commit.id) for commits in manifest.commits.values() for commit in commits
        )
        small, large = FORMAT_VERSION, PACKED_VERSION
        if self._shares:
            small = large = SHARED_VERSION
        if manifest.generation:
            small = large = RESCALED_VERSION
        if manifest.loads:
            small = large = LOADING_VERSION
        if count <= self._small:
            self._writing = None
            return seal(KIND, manifests.whole(manifest), small)
        few = count // QUIET
        last = self._last.commits if self._last is not None else manifest.commits
        is_quiet = manifests.changed(manifest.commits, last) <= few
        self._quiet = self._quiet + 1 if is_quiet else 0
        base = self._writing
        if (
            base is None
            or manifest.epoch - base.slot[0] >= BASE_EVERY
            or manifests.changed(manifest.commits, base.commits) > few
        ):
            if self._quiet < 2:
                self._writing = None
                return seal(KIND, manifests.packed(manifest), large)
            base = manifests.base_of(manifest, slot)
            content = manifests.base_content(base)
            self._put_new(base_name(*slot), seal(BASE_KIND, content, large))
            self._writing = base
        return seal(KIND, manifests.against(manifest, base), large)

    def _put_new(self, name: str, data: bytes) -> None:
        assert self._owner is not None
        if not self._folder.put_new(name, data):
            Mark.SLOT_WAS_CLOSED_BY_A_LATER_RUN.hit()
            self._owner.check()
            raise IllegalState(
                f"{self._folder.location}/{name} is there already, and no other run "
                "has claimed the location: start again"
            )

    def close(self, slot: Slot, by: int) -> bool:
        """Sees to it that nothing is published in a slot; False if something was before."""
        data = seal(KIND, {CLOSED_BY: by})
        return self._folder.put_new(slot_name(*slot), data) or self._published(slot) is None

    def forget_epoch(self, epoch: int) -> None:
        """Retires an epoch: no reader finds it from now on. Closed slots stay closed."""
        slots = [slot for slot in self.slots() if slot[0] == epoch]
        for slot in slots:
            if len(slots) == 1 or self._published(slot) is not None:
                removal.epoch(self._folder, slot_name(*slot))
                with self._guard:
                    self._documents.pop(slot, None)

    def retire(self, epochs: Sequence[int], oldest: int) -> EpochManifest:
        """Retires epochs and what is told of them, and lists the folder once for all of it.

        Args:
            epochs: ascending. They go in that order, so that no gap is below one that stays.
            oldest: that stays.

        Returns:
            The manifest of the oldest.
        """
        log = self.through(Held(self._folder))
        for epoch in epochs:
            log.forget_epoch(epoch)
        log.forget_bases(oldest)
        return log.get(oldest)

    def forget_bases(self, oldest: int) -> None:
        """Removes what no epoch from ``oldest`` on is told against; those below are retired.

        Later epochs are told against bases of the same owner that are no older, or of later
        owners. So bases go by order, and one that a run wrote before it died goes in time.
        """
        bases = [base for base in map(base_slot_of, self._folder.names()) if base is not None]
        if not bases:
            return
        token = self.counted().get(oldest)
        document = None if token is None else self._published((oldest, token))
        if token is None or document is None:
            return
        first = manifests.base_named(document) or (oldest, token)
        for base in bases:
            if (base[1], base[0]) < (first[1], first[0]):
                removal.epoch(self._folder, base_name(*base))


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
