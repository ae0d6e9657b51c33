"""Durations as PostgreSQL's settings have them."""

from __future__ import annotations

import re

from groundswell.serve.errors import ServeError

_UNITS = {"": 0.001, "us": 1e-6, "ms": 0.001, "s": 1.0, "min": 60.0, "h": 3600.0, "d": 86_400.0}
_DURATION = re.compile(r"(\d+)\s*(us|ms|s|min|h|d)?")


def seconds_of(text: str) -> float:
    """A duration as settings have it: milliseconds, or a number with a unit.

    Raises:
        ServeError: it is not one (22023).
    """
    found = _DURATION.fullmatch(text.strip().lower())
    if found is None:
        raise ServeError(
            "22023",
            f'"{text}" is not a duration',
            "Give milliseconds, or a number with a unit such as '5s'.",
        )
    return int(found[1]) * _UNITS[found[2] or ""]
