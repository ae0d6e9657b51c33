"""How much of what a source has goes into one barrier."""

from __future__ import annotations

from collections.abc import Iterable

from groundswell.runtime.planning.sources import Size


def fits(size: Size, most: Size) -> bool:
    """Whether something is within a limit; 0 in it: any number."""
    return not (0 < most.rows < size.rows or 0 < most.bytes < size.bytes)


def fitting(sizes: Iterable[Size], most: Size) -> int:
    """How many of some things, in order, are within a limit; the first always is.

    Args:
        sizes: of each.
        most: of all together; 0 in it: any number.
    """
    count, total = 0, Size()
    for size in sizes:
        total += size
        if count and not fits(total, most):
            break
        count += 1
    return count
