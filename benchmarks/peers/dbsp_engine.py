"""Feldera's engine, in a process of its own: the program of ``dbsp/``; see ``peers``."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

PROGRAM = Path(__file__).parent / "dbsp"
QUERIES = ("totals", "q3", "q4", "q18", "q20", "distinct")


def main(name: str, large: str, small: str, target: str) -> None:
    """Runs the small input cold, the large one warm; the program prints the result itself."""
    program = Path(target) / "release" / "dbsp-peer"
    subprocess.run([str(program), name, large, small], check=True, env=dict(os.environ))


if __name__ == "__main__":
    main(*sys.argv[1:])
