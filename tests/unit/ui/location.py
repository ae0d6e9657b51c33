"""A pipeline's location as its documents make it, without Spark."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from groundswell.format.envelope import seal

SCRIPT = "<script>alert(1)</script>"
START = 1_795_568_000_000


def write(folder: Path, name: str, kind: str, content: dict[str, Any]) -> None:
    path = folder / "groundswell" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(seal(kind, content))


def epoch(number: int, view: str, **more: Any) -> dict[str, Any]:
    """An epoch of 1,000 rows that took 100 ms."""
    started = START + 1000 * number
    return {
        "epoch": number,
        "commits": {
            "aggregate-1": [{"version": 0, "id": None, "rows": 30, "bytes": 900}],
            "view-1": [{"version": 0, "id": None, "rows": 20, "bytes": 500}],
        },
        "offsets": "",
        "operators": {
            "1": {"rowsIn": 1000, "rowsOut": 60, "ownMicros": 60_000, "commitMicros": 20_000},
            "4": {"rowsIn": 60, "rowsOut": 5},
            "3": {"rowsIn": 60, "rowsOut": 60, "ownMicros": 20_000, "commitMicros": 10_000},
        },
        "sources": {"clicks": 1000},
        "startedMillis": started,
        "publishedMillis": started + 100,
        "computeMillis": 80,
        "views": {view: "view-1"},
        "eventTimes": {"clicks": {"late": 2, "newest": (started - 5000) * 1000}},
        "times": {
            "wait": 10,
            "build": 2,
            "job": 78,
            "readMicros": {"clicks": 20_000},
            "before": {"persist": 0, "publish": 3, "deliver": 4},
        },
        "uses": {"1": [50, 40, 2, 1, 4096]},
        "cache": [90, 10],
        **more,
    }


def make(folder: Path, view: str = "pages", aside: dict[str, Any] | None = None) -> str:
    """A location with three epochs."""
    write(
        folder,
        "definition-00000000000000000001.json",
        "definition",
        {
            "views": {view: []},
            "sources": {"clicks": {"mode": "append", "columns": {"page": "string"}}},
            "pinned": {},
            "partitions": 1,
            "layouts": {},
            "aside": aside or {},
        },
    )
    write(
        folder,
        "graph-00000000000000000001.json",
        "graph",
        {
            "since": 0,
            "operators": [
                {"id": 0, "op": "source", "source": "clicks"},
                {
                    "id": 1,
                    "op": "aggregate",
                    "inputs": [0],
                    "state": "aggregate-1",
                    "text": f"Aggregate by ({view})",
                },
                {"id": 2, "op": "stateless", "inputs": [1], "text": "Project (page)"},
                {"id": 3, "op": "materialize", "inputs": [2], "state": "view-1", "view": view},
                {
                    "id": 4,
                    "op": "diverted",
                    "inputs": [1],
                    "constraint": "positive",
                    "owner": view,
                },
            ],
            "sinks": {"out": {"view": view, "format": "kafka"}},
        },
    )
    for number in range(3):
        name = f"epochs/{number:020d}-00000000000000000001.json"
        write(folder, name, "epoch", epoch(number, view))
    return str(folder)
