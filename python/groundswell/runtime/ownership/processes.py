"""Processes of this machine, as claims and owners name them."""

from __future__ import annotations

import os
from pathlib import Path

GONE = ("Z", "X")
"""States of a process that has ended, as Linux tells them."""


def exists(pid: int) -> bool:
    """Whether a process of this number is there, of whatever user; it may have ended."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:  # of another user
        pass
    return True


def seen(pid: int) -> tuple[str, str]:
    """State of a process, and its start in clock ticks after that of the machine.

    Both are as Linux tells them, and empty where nobody does.
    """
    try:
        told = Path(f"/proc/{pid}/stat").read_text("utf-8", "replace")
    except OSError:
        return "", ""
    fields = told.rpartition(")")[2].split()
    return fields[0], fields[19]
