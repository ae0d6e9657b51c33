"""The verdicts of the matrix, as they stand in ``cells.json``, and the page that shows them.

A test drives one door (a source, a sink or a reader) with all kinds of values, and gives its
verdicts to :func:`check`. With ``GROUNDSWELL_MATRIX=write`` they are written down instead; then
``python tests/matrix/page.py`` writes the page anew.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

CELLS = Path(__file__).with_name("cells.json")
EQUAL, REFUSED, ROW = "equal", "refused", "row"
"""A verdict is one of these; after the last two come a colon and the reason."""

Verdicts = dict[str, str]
"""By name of the kind."""


def load() -> dict[str, dict[str, Verdicts]]:
    """All verdicts, by door and role."""
    found: dict[str, dict[str, Verdicts]] = json.loads(CELLS.read_text("utf-8"))
    return found


def check(door: str, role: str, found: Verdicts) -> None:
    """Compares the verdicts of a run with those written down; both must be whole."""
    for kind, verdict in found.items():
        word, _, reason = verdict.partition(": ")
        assert word in (EQUAL, REFUSED, ROW), f"{door}, {role}, {kind}: {verdict}"
        assert bool(reason) == (word != EQUAL), f"{door}, {role}, {kind}: {verdict}"
    if os.environ.get("GROUNDSWELL_MATRIX") == "write":
        cells = load() if CELLS.exists() else {}
        cells.setdefault(door, {})[role] = found
        CELLS.write_text(json.dumps(cells, indent=1, ensure_ascii=False) + "\n", "utf-8")
        return
    assert found == load()[door][role]
