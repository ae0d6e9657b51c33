"""Copies of a location as a crash would leave it, taken before each of its durable steps.

A process that dies by ``kill -9`` leaves what it has written so far. So a copy of the location,
taken just before a write, is what is left of a process that died there. Unlike a killed process a
copy costs no start of a JVM, and one run of a change gives all of them.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from groundswell import jvm

STEPS: tuple[tuple[type, str], ...] = (
    (jvm.JvmFolder, "put"),
    (jvm.JvmFolder, "put_new"),
    (jvm.JvmFolder, "delete"),
    (jvm.FileTree, "delete"),
    (jvm.Ownership, "__init__"),
    (jvm.Dataflow, "run"),
)
"""What Python calls to change a location: documents, files of states, the claim, a fill's part."""


@dataclass(frozen=True)
class Image:
    """What a crash leaves.

    Attributes:
        before: the step that the process did not come to.
        place: the copy.
    """

    before: str
    place: Path


@contextmanager
def images(place: Path, into: Path) -> Iterator[list[Image]]:
    """Copies a location before each step of what is done in the block, and after it.

    Args:
        place: the location; nobody else may change it meanwhile.
        into: where the copies go. Two copies in a row that are equal are one.
    """
    taken: list[Image] = []
    seen: list[dict[str, tuple[int, int]]] = [{}]

    def take(step: str) -> None:
        there = _files(place)
        if there != seen[-1]:
            seen.append(there)
            taken.append(Image(step, into / f"image-{len(taken)}"))
            _copy(place, there, taken[-1].place)

    with pytest.MonkeyPatch.context() as patch:
        for owner, name in STEPS:
            step = f"{owner.__name__}.{name}"
            patch.setattr(owner, name, _telling(getattr(owner, name), step, take))
        yield taken
    take("the end")


def _telling(
    real: Callable[..., Any], step: str, take: Callable[[str], None]
) -> Callable[..., Any]:
    def called(self: Any, *given: Any, **named: Any) -> Any:
        what = f" {given[0]}" if given and isinstance(given[0], str) else ""
        take(f"{step}{what}")
        return real(self, *given, **named)

    return called


def _files(place: Path) -> dict[str, tuple[int, int]]:
    """By name, what tells that a file is another one."""
    found: dict[str, tuple[int, int]] = {}
    for folder, _, names in os.walk(place):
        for name in names:
            path = Path(folder, name)
            try:
                told = path.stat()
            except FileNotFoundError:  # gone since
                continue
            found[str(path.relative_to(place))] = (told.st_ino, told.st_mtime_ns)
    return found


def _copy(place: Path, names: dict[str, tuple[int, int]], into: Path) -> None:
    """Links: a file of a location is never written again."""
    for name in names:
        (into / name).parent.mkdir(parents=True, exist_ok=True)
        try:
            os.link(place / name, into / name)
        except FileNotFoundError:  # gone since
            continue
        except OSError:
            shutil.copy2(place / name, into / name)
