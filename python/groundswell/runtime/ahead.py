"""Epochs between two checkpoints: computed, not durable yet, seen by readers of this process alone.

What they consist of is in the memory of the Spark application; their manifests are here. A process
is told by its JVM, for a Python process may have several, one after the other.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from groundswell.runtime.epochs import Commits, EpochLog, EpochManifest
from groundswell.runtime.location import Folder, Owner

_ahead: dict[tuple[str, str], dict[int, EpochManifest]] = {}


class AheadLog(EpochLog):
    """The published epochs of a location, and those that this process has ahead of them.

    Args:
        folder: of the manifests.
        process: which JVM keeps the views.
        owner: who publishes, if anybody.
    """

    def __init__(self, folder: Folder, process: str, owner: Owner | None = None) -> None:
        super().__init__(folder, owner)
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


def made_by(before: Commits, epochs: Sequence[EpochManifest]) -> dict[str, list[dict[str, Any]]]:
    """The commits that consecutive epochs made on top of ``before``: what to persist or to forget.

    Returns:
        By state, each with ``partition``, ``version`` and ``id``.
    """
    made: dict[str, list[dict[str, Any]]] = {}
    for manifest in epochs:
        for state, entries in manifest.commits.items():
            old = before.get(state, ())
            for partition, entry in enumerate(entries):
                name = (entry["version"], entry["id"])
                known = partition < len(old) and name == (
                    old[partition]["version"],
                    old[partition]["id"],
                )
                if entry["id"] is not None and not known:
                    made.setdefault(state, []).append(
                        {"partition": partition, "version": name[0], "id": name[1]}
                    )
        before = manifest.commits
    return made
