"""Two processes run one file of statements: the second takes over when the first gives no sign."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import groundswell as gs
from crash.processes import end, send

pytestmark = pytest.mark.rest

LONG = 300  # seconds; the machine may be busy
FILE = """
CREATE PIPELINE q LOCATION '{place}';
CREATE SOURCE votes (story INT) WITH (connector = 'json', path = '{votes}');
CREATE MATERIALIZED VIEW counts AS SELECT story, count(*) AS n FROM votes GROUP BY story;
"""


class Run:
    """``python -m groundswell run ... --standby``, and what it said."""

    def __init__(self, folder: Path, name: str) -> None:
        self.said = folder / f"{name}.log"
        command = [sys.executable, "-m", "groundswell", "run", str(folder / "q.sql")]
        command += ["--standby", "10 seconds", "--master", "local[1]"]
        for key in ("spark.driver.bindAddress", "spark.driver.host"):
            command += ["--conf", f"{key}=127.0.0.1"]
        with self.said.open("w") as out:
            self.process = subprocess.Popen(command, stdout=out, stderr=out)

    def until(self, what: Callable[[], bool]) -> None:
        limit = time.monotonic() + LONG
        while not what():
            assert self.process.poll() is None and time.monotonic() < limit, self.text()[-3000:]
            time.sleep(0.1)

    def text(self) -> str:
        return self.said.read_text()


@pytest.fixture
def pair(jar: Path, tmp_path: Path) -> Iterator[list[Run]]:
    (tmp_path / "votes").mkdir()
    text = FILE.format(place=tmp_path / "q", votes=tmp_path / "votes")
    (tmp_path / "q.sql").write_text(text)
    runs: list[Run] = []
    try:
        yield runs
    finally:
        for run in runs:
            end(run.process)


def test_the_second_takes_over_and_the_first_stands_by_again(
    pair: list[Run], tmp_path: Path
) -> None:
    def vote(number: int) -> None:
        (tmp_path / "votes" / f"{number}.json").write_text('{"story": 1}\n')

    def counted(votes: int) -> bool:
        try:
            return gs.view_to_arrow(str(tmp_path / "q"), "counts")["n"].to_pylist() == [votes]
        except gs.GroundswellError:
            return False  # no epoch with the view is there yet

    vote(1)
    pair.append(Run(tmp_path, "first"))
    first = pair[0]
    first.until(lambda: counted(1))
    pair.append(Run(tmp_path, "second"))
    second = pair[1]
    second.until(lambda: "standing by: run 1 (process " in second.text())
    vote(2)
    first.until(lambda: counted(2))
    assert "takes over" not in second.text(), "the first lives"

    send(signal.SIGSTOP, first.process.pid)
    vote(3)
    second.until(lambda: counted(3))
    assert "gives no sign of life any more: this run takes over" in second.text()
    send(signal.SIGCONT, first.process.pid)
    first.until(lambda: "standing by: run 2 (process " in first.text())
    vote(4)
    second.until(lambda: counted(4))

    end(second.process)
    vote(5)
    first.until(lambda: counted(5))
