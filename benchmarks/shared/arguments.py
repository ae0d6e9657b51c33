"""Numbers of a command line: a benchmark of nothing measures nothing, and may wait for it."""

from __future__ import annotations

from argparse import ArgumentTypeError


def positive_int(text: str) -> int:
    """A whole number from 1 on; thousands may have commas."""
    try:
        number = int(text.replace(",", ""))
    except ValueError:
        raise ArgumentTypeError(f"{text!r} is no whole number") from None
    if number < 1:
        raise ArgumentTypeError(f"{text} is given, and 1 is the least")
    return number


def positive_float(text: str) -> float:
    """A number above zero, as of seconds or a scale."""
    try:
        number = float(text)
    except ValueError:
        raise ArgumentTypeError(f"{text!r} is no number") from None
    if not 0 < number < float("inf"):
        raise ArgumentTypeError(f"{text} is given, and it must be above 0")
    return number
