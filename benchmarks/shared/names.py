"""Names in an option, with commas between."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import NoReturn


def named(
    fail: Callable[[str], NoReturn], option: str, given: str, known: Collection[str]
) -> list[str]:
    """The names.

    Args:
        fail: ends the program with a message, which says those that are known, if one is not.
    """
    names = given.split(",")
    unknown = set(names) - set(known)
    if unknown:
        fail(f"--{option}: {sorted(unknown)}; known are {', '.join(known)}")
    return names
