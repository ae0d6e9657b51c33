"""The generations of states: one for each number of partitions that a pipeline has had.

After a rescale the states are a generation of their own, in a folder of their own. Epochs before it
stand on the generation before. :mod:`groundswell.runtime.gc.states` removes what no epoch has.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable

from groundswell.format.packs import GENERATION
from groundswell.runtime.record.epochs import EpochLog, EpochManifest

MOST_PARTITIONS = 4096
"""A state has at most so many: each is a folder, and an entry in every epoch."""


def next_generation(folders: Iterable[str], now: int) -> int:
    """A number that no folder has: what a rescale that was broken off has left is not touched.

    Args:
        folders: names of the folders in the pipeline's own.
        now: the generation of the last epoch.
    """
    return 1 + max([now, *numbers(folders)])


def numbers(folders: Iterable[str]) -> list[int]:
    """The generations that have one of these folders; the first one is not told by its name."""
    ends = [n.removeprefix(GENERATION) for n in folders if n.startswith(GENERATION)]
    return [int(end) for end in ends if end.isdecimal()]


def first_of(log: EpochLog, generation: int, kept: list[int]) -> EpochManifest:
    """The oldest epoch that stands on a generation; later ones stand on it or a later one.

    Args:
        log: of the epochs.
        generation: that some epoch stands on.
        kept: the epochs that there are, ascending.
    """
    return log.get(kept[bisect_left(kept, generation, key=lambda e: log.get(e).generation)])
