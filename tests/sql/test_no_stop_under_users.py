"""Users go on while views come, go, are replaced and rescaled: nobody hangs, nothing is lost.

``make soak-changes MINUTES=10`` does that for so long, and then no user may wait longer than the
longest barrier and five seconds.
"""

from __future__ import annotations

import faulthandler
import json
import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from groundswell.sql.executor import REGISTRY
from sql import users
from sql.users import Told, User, together

pytestmark = pytest.mark.rest

MINUTES = float(os.environ.get("GROUNDSWELL_MINUTES", "0"))
HANGS = 240.0
"""Seconds after which a wait is no wait any more."""

CHANGES = (
    "CREATE MATERIALIZED VIEW extra AS SELECT k, max(id) AS most FROM t GROUP BY k",
    "CREATE MATERIALIZED VIEW over AS SELECT sum(most) AS s FROM extra",
    "CREATE OR REPLACE MATERIALIZED VIEW extra AS SELECT k, min(id) AS most FROM t GROUP BY k",
    "ALTER PIPELINE p SET PARALLELISM 3",
    "CREATE INDEX t_k ON t (k)",
    "DROP INDEX t_k",
    "CREATE OR REPLACE MATERIALIZED VIEW extra AS SELECT k, count(*) AS most FROM t GROUP BY k",
    "DROP MATERIALIZED VIEW over",
    "ALTER PIPELINE p SET PARALLELISM 2",
    "DROP MATERIALIZED VIEW extra",
)


class Watcher(User):
    """Asks whether it runs, and waits for its end, which does not come.

    Attributes:
        longest: of the barriers that it saw, in seconds.
    """

    longest = 0.0

    def turn(self) -> None:
        pipeline = REGISTRY.find(self._spark, "p")
        assert pipeline is not None
        query = pipeline.query
        assert query is not None
        for _ in range(20):
            if not self.ask("isActive", lambda: query.isActive):
                self.told.wrong.append("isActive was false while it ran")
            time.sleep(0.02)
        if self.ask("awaitTermination(1)", lambda: query.awaitTermination(1)):
            self.told.wrong.append("awaitTermination said that it has ended")
        self.ask("status", lambda: query.status)
        barriers = [each["barrierMillis"] / 1000 for each in query.recentProgress]
        self.longest = max([self.longest, *barriers])


def test_users_go_on_while_a_pipeline_changes(session: SparkSession, tmp_path: Path) -> None:
    run = session.sql
    run(f"CREATE PIPELINE p LOCATION '{tmp_path / 'p'}'")
    run("USE groundswell.p")
    run("CREATE TABLE t (id bigint PRIMARY KEY, k bigint)")
    run("CREATE MATERIALIZED VIEW all_rows AS SELECT * FROM t")
    run("CREATE MATERIALIZED VIEW by_k AS SELECT k, count(*) AS n FROM t GROUP BY k")
    run("INSERT INTO t VALUES (-1, 1)")
    run("FLUSH")
    ends, out = tmp_path / "ends", tmp_path / "told.json"
    command = [sys.executable, users.__file__, str(tmp_path / "p"), "10", str(ends), str(out)]
    with (tmp_path / "said").open("w") as said:
        elsewhere = subprocess.Popen(command, stdout=said, stderr=said)
    over = threading.Event()
    watchers = [Watcher(session, n, over.is_set) for n in (3, 4)]
    here = [*(User(session, n, over.is_set) for n in (1, 2)), *watchers]
    try:
        until = time.monotonic() + HANGS
        while not out.with_suffix(".begun").exists():
            assert elsewhere.poll() is None and time.monotonic() < until, _end_of(tmp_path)
            time.sleep(0.2)
        for user in here:
            user.start()
        until, rounds = time.monotonic() + 60 * MINUTES, 0
        while rounds == 0 or time.monotonic() < until:
            for text in CHANGES:
                run(text)
            rounds += 1
        over.set()
        ends.touch()
        for user in here:
            user.join(HANGS)
            if user.is_alive():
                faulthandler.dump_traceback(all_threads=True)
            assert not user.is_alive(), f"{user.name} hangs in {user.at}"
        assert elsewhere.wait(HANGS) == 0, _end_of(tmp_path)
    finally:
        over.set()
        elsewhere.kill()
        elsewhere.wait()
    told = together([user.told for user in here] + [Told(**json.loads(out.read_text()))])
    run("FLUSH")
    longest = max(watcher.longest for watcher in watchers)
    rows = {row.id for row in run("SELECT id FROM all_rows").collect()}
    waits = ", ".join(f"{n} {what}: {told.waits[what]:.1f} s" for what, n in told.asked.items())
    print(f"{rounds} rounds, longest barrier {longest:.1f} s, longest waits: {waits}")
    assert told.wrong == []
    assert rows == {-1, *told.inserted}, "a statement that returned is lost, or one came twice"
    assert told.asked["FLUSH"] > 3 and told.asked["isActive"] > 20
    if MINUTES:
        limit, own = longest + 5, {"awaitTermination(1)": 1}  # that is what it asks for
        late = {w: s for w, s in told.waits.items() if s - own.get(w, 0) > limit}
        assert late == {}, f"limit {limit:.1f} s"


def _end_of(folder: Path) -> str:
    return (folder / "said").read_text()[-3000:]
