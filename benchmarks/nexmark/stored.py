"""Events that are generated once, and read by every later run."""

from __future__ import annotations

import shutil
from pathlib import Path

from nexmark import events
from shared.process import BENCHMARKS
from shared.session import size

ROOT = BENCHMARKS.parent / "build" / "nexmark"
MOST_BYTES = 8 << 30
"""Size of the folder that makes a run delete the inputs that were used longest ago."""


def stored(count: int, barriers: int, root: Path = ROOT, most: int = MOST_BYTES) -> Path:
    """Folder with ``count`` events in ``barriers`` files of each stream, written if missing.

    Other inputs below ``root`` are deleted, those unused for longest first, until all of them
    together take at most ``most`` bytes.
    """
    root.mkdir(parents=True, exist_ok=True)
    folder = root / f"{count}-{barriers}"
    if not folder.exists():
        unfinished = root / f".{folder.name}"
        shutil.rmtree(unfinished, ignore_errors=True)
        events.write(unfinished, count, barriers)
        unfinished.rename(folder)
    folder.touch()
    others = sorted(root.glob("[0-9]*-*"), key=lambda path: path.stat().st_mtime)
    left = {path: size(path) for path in others}
    for path in others[:-1]:
        if sum(left.values()) > most:
            shutil.rmtree(path)
            del left[path]
    return folder
