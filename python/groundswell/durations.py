"""Times as people write them: ``"90 minutes"``, ``"7 days"``. Pure."""

from __future__ import annotations

import re

UNITS = {
    "millisecond": 1_000,
    "second": 1_000_000,
    "minute": 60_000_000,
    "hour": 3_600_000_000,
    "day": 86_400_000_000,
    "week": 7 * 86_400_000_000,
}
"""Microseconds by unit; a day is 24 hours."""

_TEXT = re.compile(r"(\d+) *([a-z]+?)s?")


def micros_of(text: str) -> int:
    """Microseconds of a number and a unit; 0 if it is none."""
    found = _TEXT.fullmatch(text.strip().lower())
    return int(found[1]) * UNITS.get(found[2], 0) if found else 0
