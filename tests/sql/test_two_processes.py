"""A pipeline that one process runs, and another one defines, writes and reads."""

import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

import groundswell as gs
from crash.processes import children, kill
from groundswell.sql.executor import REGISTRY
from groundswell.sql.history.log import here
from sql.conftest import rows

pytestmark = pytest.mark.rest

FILE = """
CREATE PIPELINE q LOCATION '{place}';
CREATE TABLE t (a int PRIMARY KEY, b int);
CREATE MATERIALIZED VIEW sums AS SELECT sum(b) AS s FROM t;
INSERT INTO t VALUES (1, 1);
FLUSH;
"""


@pytest.fixture
def job(jar: Path, tmp_path: Path) -> Iterator[subprocess.Popen[bytes]]:
    """``python -m groundswell run``, which owns pipeline ``q`` when this comes back."""
    file, said = tmp_path / "q.sql", tmp_path / "said"
    file.write_text(FILE.format(place=tmp_path / "q"))
    command = [sys.executable, "-m", "groundswell", "run", str(file), "--master", "local[1]"]
    with said.open("w") as out:
        env = {**os.environ, "TZ": "UTC"}  # as the tests' session, for what a takeover goes on with
        child = subprocess.Popen(command, stdout=out, stderr=out, env=env)
    try:
        until = time.monotonic() + 300
        while "FLUSH" not in said.read_text():
            assert child.poll() is None and time.monotonic() < until, said.read_text()[-3000:]
            time.sleep(0.2)
        yield child
    finally:
        kill(*children(child.pid), child.pid)
        child.wait()


def test_statements_of_another_process_are_run_by_the_owner_or_taken_over(
    session: SparkSession, tmp_path: Path, job: subprocess.Popen[bytes]
) -> None:
    session.sql(f"CREATE PIPELINE IF NOT EXISTS q LOCATION '{tmp_path / 'q'}'")
    session.sql("USE groundswell.q")
    pipeline = REGISTRY.find(session, "q")
    assert pipeline is not None
    assert [row.state for row in session.sql("SHOW PIPELINES").collect()] == ["running"]
    session.sql("CREATE MATERIALIZED VIEW big AS SELECT a, b FROM t WHERE b > 5")
    session.sql("CREATE TABLE u (a int)")
    assert rows(session, "SELECT * FROM u") == [], "the owner ran it, and has an epoch with it"
    session.sql("INSERT INTO t VALUES (2, 50)")
    session.sql("UPDATE t SET b = b + 1 WHERE a = 2")  # of a row that has had no barrier yet
    ((name, epoch),) = rows(session, "FLUSH")
    newest = pipeline.newest()  # the owner may have gone on since
    assert name == "q" and newest is not None and newest >= epoch
    assert rows(session, "SELECT * FROM big") == [(2, 51)]
    assert rows(session, "SELECT * FROM sums") == [(52,)]
    (done,) = session.sql("REFRESH MATERIALIZED VIEW big").collect()
    assert (done.view, done.how) == ("big", "nothing new")
    by = {row.name: row.created_by for row in session.sql("SHOW MATERIALIZED VIEWS").collect()}
    assert re.fullmatch(rf".*\(process {job.pid} on .*\)", by["sums"])
    assert by["big"].startswith(f"{here()}, carried out by ") and str(job.pid) in by["big"]
    with pytest.raises(gs.ConfigurationError, match="has a materialized view big already"):
        session.sql("CREATE MATERIALIZED VIEW big AS SELECT a FROM t")
    with pytest.raises(gs.GroundswellError, match="nothing_there"):
        session.sql("CREATE MATERIALIZED VIEW x AS SELECT * FROM nothing_there")
    session.sql("DROP TABLE u")
    with pytest.raises(gs.ConfigurationError, match=rf"is run by .*process {job.pid} on"):
        pipeline.start()
    assert pipeline.query is None

    job.send_signal(signal.SIGSTOP)
    statement = "CREATE MATERIALIZED VIEW small AS SELECT a FROM t WHERE b <= 5"
    failed: list[BaseException] = []

    def ask() -> None:
        try:
            session.sql(statement)
        except BaseException as e:  # noqa: BLE001
            failed.append(e)

    asker = threading.Thread(target=ask, daemon=True)
    asker.start()
    requests = tmp_path / "q" / "groundswell" / "sql" / "requests"
    while not any("small" in each.read_text() for each in requests.glob("*[0-9].json")):
        time.sleep(0.05)
    kill(job.pid)
    asker.join(300)
    assert not failed, str(failed[0])
    assert pipeline.running, "the owner was gone, so it was taken over"
    assert rows(session, "SELECT * FROM small") == [(1,)]
    made = [e for e in pipeline.log.read() if "MATERIALIZED VIEW small" in e.text]
    assert [e.by for e in made] == [here()], "it was run once"
