"""First loads in several barriers: how much a barrier takes of each source.

Spark asks every source of a streaming query for itself how far a micro-batch goes
(``latestOffset(start, limit)``), and each source has its limit from the options of its reader.
So the limits of a pipeline are divided among its sources when a run starts.

A *first load* is what the sources of a new pipeline have when it starts. If it is more than one
barrier may take, a run with Spark's trigger ``availableNow`` reads it: Spark notes for every source
where its data ends, and takes it in parts. The epochs of that run name no views, so nobody reads
what is half there. When the run has ended, the last epoch is published once more, with the views,
and a run with the trigger of the user goes on. docs/rfcs/0017-parts.md has the why.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from groundswell.runtime.planning.sources import Size
from groundswell.runtime.record.manifests import EpochManifest

ROW_BYTES = 256
"""Of the heap, for each row that a barrier takes unless the options say otherwise."""
HEAP_SHARE = 4
"""A barrier takes bytes of files for this share of the heap, unless the options say otherwise."""
_LAST = 99.0


def limit_of(rows: int | None, size: int | None, heap: int, share: int = 1) -> Size:
    """What one barrier takes at most.

    Args:
        rows: option ``maxBarrierRows``; None: as many as fit the heap.
        size: option ``maxBarrierBytes``; None: as many as fit the heap.
        heap: largest size of the heap, in bytes.
        share: the part of that which it takes, for more did not fit: 4 is a quarter.
    """
    rows, size = rows or heap // ROW_BYTES, size or heap // HEAP_SHARE
    return Size(max(rows // share, 1), max(size // share, 1))


@dataclass(frozen=True)
class Load:
    """A first load that is not over.

    Attributes:
        step: about how many per cent of it a barrier takes.
    """

    step: float

    def after(self, before: EpochManifest | None) -> float:
        """How many per cent are loaded after one more barrier; never 100, for Spark says that."""
        had = before.loaded if before is not None and before.loaded is not None else 0.0
        return min(round(had + self.step, 2), _LAST)


@dataclass(frozen=True)
class Parts:
    """How much of each source one barrier takes.

    Attributes:
        limits: by stream.
        load: the first load in several barriers; None: there is none.
        bounded: whether a smaller limit would make barriers smaller.
    """

    limits: Mapping[str, Size] = field(default_factory=dict)
    load: Load | None = None
    bounded: bool = False


def parts_of(
    backlogs: Mapping[str, Size | None], limit: Size, new: Collection[str], loads: bool
) -> Parts:
    """Divides a barrier among streams.

    In a first load each stream gives its share of what it has, so that all end with the same
    barrier. Later each may give an equal share of the limit: nobody knows which will have much.

    A stream that is new to a pipeline, and is not loaded in parts, gives all that it has to its
    first barrier: its views must not be seen half-filled.

    Args:
        backlogs: by stream, what it has to be read; None: nobody knows.
        limit: of one barrier.
        new: the streams of which nothing was read so far, or not all of a first load.
        loads: whether a first load may come in parts.
    """
    total = sum((had for had in backlogs.values() if had is not None), Size())
    count = max(_ceil(total.rows, limit.rows), _ceil(total.bytes, limit.bytes), 1)
    if loads and count > 1:
        shares = {stream: _share(had or limit, count, limit) for stream, had in backlogs.items()}
        return Parts(shares, Load(100 / count), bounded=True)
    equal = Size(_ceil(limit.rows, len(backlogs)), _ceil(limit.bytes, len(backlogs)))
    return Parts(
        {
            stream: equal if stream not in new else _whole(had, limit)
            for stream, had in backlogs.items()
        },
        bounded=loads or not new,
    )


def _share(had: Size, count: int, limit: Size) -> Size:
    """Of what a stream has; a limit holds for what is not known of it."""
    return Size(_ceil(had.rows, count) or limit.rows, _ceil(had.bytes, count) or limit.bytes)


def _whole(had: Size | None, limit: Size) -> Size:
    """All that a stream has, and what may be added to it until it is read."""
    if had is None:
        return Size()
    return Size(max(limit.rows, 2 * had.rows), max(limit.bytes, 2 * had.bytes))


def _ceil(size: int, parts: int) -> int:
    return -(-size // parts) if parts else 0
