"""Names in an option, with commas between."""

from __future__ import annotations

import argparse
from collections.abc import Collection


def named(
    parser: argparse.ArgumentParser, option: str, given: str, known: Collection[str]
) -> list[str]:
    """The names; ends the program, with those that are known, if one is not."""
    names = given.split(",")
    unknown = set(names) - set(known)
    if unknown:
        parser.error(f"--{option}: {sorted(unknown)}; known are {', '.join(known)}")
    return names
