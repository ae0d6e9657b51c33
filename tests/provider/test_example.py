"""The example job, as docs/state-store.md says to run it."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pyspark
import pytest

pytestmark = pytest.mark.rest

ROOT = Path(__file__).resolve().parents[2]
EVENTS = [("ann", "00:00"), ("ann", "00:10"), ("bob", "00:05"), ("ann", "03:00"), ("cy", "09:00")]


def test_spark_submit_with_jars_and_conf_alone(jar: Path, tmp_path: Path) -> None:
    events = tmp_path / "events"
    events.mkdir()
    for number, (user, time) in enumerate(EVENTS):
        row = {"user": user, "at": f"2024-01-01 {time}:00"}
        (events / f"{number}.json").write_text(json.dumps(row) + "\n")
    text = (ROOT / "docs" / "state-store.md").read_text("utf-8")
    confs = [
        line.strip().removeprefix("--conf ").removesuffix("\\").strip()
        for line in text.splitlines()
        if line.strip().startswith("--conf ")
    ]
    assert confs == ["spark.plugins=io.groundswell.GroundswellPlugin"]
    submit = Path(pyspark.__file__).parent / "bin" / "spark-submit"
    command = [str(submit), "--master", "local[2]", "--jars", str(jar)]
    for conf in [*confs, "spark.ui.enabled=false", "spark.sql.shuffle.partitions=2"]:
        command += ["--conf", conf]
    command += [str(ROOT / "examples" / "sessions.py"), str(events), str(tmp_path / "checkpoint")]
    # Without the package on the path: the job imports nothing of it.
    environment = {**os.environ, "PYTHONPATH": "", "PYSPARK_PYTHON": sys.executable}
    done = subprocess.run(
        command, env=environment, cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr[-3000:]
    assert "visits 0: Row(user='ann', visits=3)" in done.stdout
    assert "Row(user='ann', start=datetime.datetime(2024, 1, 1, 0, 0), count=2)" in done.stdout
    assert "visits: 3 rows in our store" in done.stdout
    assert "session: 1 rows in our store" in done.stdout
