"""Whether what was sampled in a long run grows."""

from __future__ import annotations

from collections.abc import Sequence

Samples = Sequence[tuple[float, float]]
"""When, and how much, ascending by when."""


def slope(samples: Samples) -> float:
    """How much more there is by unit of when, by least squares."""
    n = len(samples)
    x = sum(at for at, _ in samples) / n
    y = sum(size for _, size in samples) / n
    spread = sum((at - x) ** 2 for at, _ in samples)
    return sum((at - x) * (size - y) for at, size in samples) / spread if spread else 0.0


def growth(samples: Samples) -> float:
    """The slope of the last half and that of the last quarter of the run, what is less.

    A leak goes on in both. Bounded caches that fill up for a while are in the first one alone.
    """
    last = samples[-1][0]
    parts = [[s for s in samples if s[0] >= last * from_] for from_ in (0.5, 0.75)]
    return min(slope(part) for part in parts)
