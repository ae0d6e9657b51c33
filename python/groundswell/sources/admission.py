"""How much of what a source has goes into one barrier, and to one task."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TypeVar

from groundswell.runtime.planning.sources import Size

PART_BYTES = 64 << 20
"""So many bytes of files are read by one task, at least."""

T = TypeVar("T")


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


def grouped(sizes: Sequence[tuple[T, int]], most: int = PART_BYTES) -> Iterator[list[T]]:
    """Things and their bytes, in order, in groups of at least so many bytes but for the last."""
    group: list[T] = []
    total = 0
    for each, size in sizes:
        group.append(each)
        total += size
        if total >= most:
            yield group
            group, total = [], 0
    if group:
        yield group
