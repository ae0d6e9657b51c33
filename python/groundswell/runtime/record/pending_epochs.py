"""Epochs between two checkpoints: computed, not durable yet, seen by readers of this process alone.

What they consist of is in the memory of the Spark application; their manifests are here. A process
is told by its JVM, for a Python process may have several, one after the other.
"""

from __future__ import annotations

from collections.abc import Sequence

from groundswell.contract.commits import CommitRef, Commits, PendingCommit, PendingCommits
from groundswell.runtime.record.epochs import SMALL, EpochLog, EpochManifest
from groundswell.runtime.record.location import Folder, Owner

_ahead: dict[tuple[str, str], dict[int, EpochManifest]] = {}


class PendingEpochs(EpochLog):
    """The published epochs of a location, and those that this process has ahead of them.

    Args:
        folder: of the manifests.
        process: which JVM keeps the views.
        owner: who publishes, if anybody.
        small: up to so many commits an epoch is one document.
    """

    def __init__(
        self, folder: Folder, process: str, owner: Owner | None = None, small: int = SMALL
    ) -> None:
        super().__init__(folder, owner, small)
        self._key = (process, folder.location)

    def announce(self, manifest: EpochManifest) -> None:
        """Shows an epoch to readers of this process."""
        _ahead[self._key] = {**self._held(), manifest.epoch: manifest}

    def publish(self, manifest: EpochManifest) -> None:
        """As of any log; the epoch is no longer ahead."""
        super().publish(manifest)
        self._hold({e: m for e, m in self._held().items() if e != manifest.epoch})

    def forget(self) -> None:
        """Gives up what is ahead."""
        self._hold({})

    def epochs(self) -> list[int]:
        """Those that are ahead included."""
        return sorted({*super().epochs(), *self._held()})

    def find(self, epoch: int) -> EpochManifest | None:
        """As of any log."""
        return self._held().get(epoch) or super().find(epoch)

    def newest(self) -> EpochManifest:
        """The last one computed."""
        held = self._held()
        return held[max(held)] if held else super().newest()

    def _held(self) -> dict[int, EpochManifest]:
        return _ahead.get(self._key, {})

    def _hold(self, held: dict[int, EpochManifest]) -> None:
        if held:
            _ahead[self._key] = held  # readers see the one or the other, never a change at work
        else:
            _ahead.pop(self._key, None)


def made_by(before: Commits, epochs: Sequence[EpochManifest]) -> PendingCommits:
    """The commits that consecutive epochs made on top of ``before``: to persist or to forget."""
    made: dict[str, tuple[PendingCommit, ...]] = {}
    for manifest in epochs:
        for state, entries in manifest.commits.items():
            old = before.get(state, ())
            new = [
                PendingCommit(partition, entry.version, entry.id)
                for partition, entry in enumerate(entries)
                if entry.id is not None
                and (partition >= len(old) or _name(entry) != _name(old[partition]))
            ]
            if new:
                made[state] = (*made.get(state, ()), *new)
        before = manifest.commits
    return PendingCommits(made)


def _name(commit: CommitRef) -> tuple[int, str | None]:
    return commit.version, commit.id
