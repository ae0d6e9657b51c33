"""A flight recording as a flame graph: a page, by the converter of async-profiler."""

from __future__ import annotations

import subprocess
from pathlib import Path

from systems.jars import jars

CONVERTER = "tools.profiler:jfr-converter:4.2"


def converter() -> str:
    """Its class path.

    Raises:
        MissingError: it cannot be fetched.
    """
    return jars(CONVERTER)


def draw(recording: Path, page: Path, title: str) -> None:
    """Writes the page: a tree for each thread; generated classes by what they have in common."""
    page.parent.mkdir(parents=True, exist_ok=True)
    options = ["--cpu", "--threads", "--norm", "--dot", "--title", title]
    command = ["java", "-cp", converter(), "Main", *options, str(recording), str(page)]
    subprocess.run(command, check=True, capture_output=True)
