"""kill -9 around the epochs whose rows a sink's target refuses: none is lost, none comes twice."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from crash import refusing

deltalake = pytest.importorskip("deltalake")
pytestmark = pytest.mark.rest
POINTS = ("before_sink_commit", "after_sink_commit", "after_publish", "before_publish")
DEATHS = {
    "two": ["before_sink_commit:2", "after_sink_commit:1"],
    "twelve": [f"{point}:{nth}" for nth in (1, 2, 3) for point in POINTS],
}
"""Points with how often they are passed before."""
WAYS = pytest.mark.parametrize("deaths", ["two", pytest.param("twelve", marks=pytest.mark.soak)])
NARROW = pa.schema([pa.field("id", pa.int32(), False), pa.field("n", pa.int32())])


def launch(folder: Path, on_failure: str, point: str | None = None) -> dict[str, Any] | None:
    """Runs to the end of the input; None: it died at the point."""
    environment = dict(os.environ)
    marker = folder / "killed-at"
    marker.unlink(missing_ok=True)
    if point:
        environment["GROUNDSWELL_FAILPOINT"] = point
        environment["GROUNDSWELL_FAILPOINT_MARKER"] = str(marker)
    command = [sys.executable, refusing.__file__, str(folder), on_failure]
    run = subprocess.run(
        command, env=environment, capture_output=True, text=True, timeout=240, check=False
    )
    assert run.returncode == 0 or marker.exists(), f"{point}: {run.stderr[-4000:]}"
    lines = [line for line in run.stdout.splitlines() if line.startswith("result ")]
    return json.loads(lines[0][7:]) if lines else None


def there(folder: Path) -> dict[int, int]:
    rows = deltalake.DeltaTable(str(folder / "out")).to_pyarrow_table().to_pylist()
    assert len({row["id"] for row in rows}) == len(rows), rows
    return {row["id"]: row["n"] for row in rows}


@WAYS
def test_rows_are_set_aside_once(tmp_path: Path, deaths: str) -> None:
    """Between keeping the refused rows and committing the rest, and at each point around it."""
    deltalake.DeltaTable.create(str(tmp_path / "out"), schema=NARROW)
    refusing.prepare(tmp_path, 0, 4)
    for point in DEATHS[deaths]:
        launch(tmp_path, "set_aside", point)
    refusing.prepare(tmp_path, 4, 5)
    result = launch(tmp_path, "set_aside")
    assert result is not None
    view = refusing.rows(5)
    assert there(tmp_path) == {i: n for i, n in view.items() if n < refusing.BIG}
    aside = [(each["epoch"], each["row"]["id"], each["row"]["n"]) for each in result["aside"]]
    assert sorted(aside) == sorted(refusing.refused(5)), "each once, in its epoch"


@WAYS
def test_a_sink_that_stopped_goes_on_when_its_rows_are_corrected(
    tmp_path: Path, deaths: str
) -> None:
    deltalake.DeltaTable.create(str(tmp_path / "out"), schema=NARROW)
    refusing.prepare(tmp_path, 0, 4)
    for point in DEATHS[deaths]:
        launch(tmp_path, "stop_sink", point)
    result = launch(tmp_path, "stop_sink")
    assert result is not None
    assert "does not hold 3000000" in result["stopped"]
    refusing.prepare(tmp_path, 4, 6)
    launch(tmp_path, "stop_sink", "before_sink_commit:1")
    launch(tmp_path, "stop_sink")  # all is there now, and goes at once at this start
    result = launch(tmp_path, "stop_sink")
    assert result is not None
    assert result["stopped"] is None
    assert there(tmp_path) == refusing.rows(6)
