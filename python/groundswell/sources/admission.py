"""How much of what a source has goes into one barrier."""

from __future__ import annotations

from collections.abc import Iterable

from groundswell.runtime.planning.sources import Size


def fitting(sizes: Iterable[Size], most: Size) -> int:
    """How many of some things, in order, are within a limit; the first always is.

    Args:
        sizes: of each.
        most: of all together; 0 in it: any number.
    """
    count, total = 0, Size()
    for size in sizes:
        total += size
        if count and (0 < most.rows < total.rows or 0 < most.bytes < total.bytes):
            break
        count += 1
    return count
