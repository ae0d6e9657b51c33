"""CREATE MATERIALIZED VIEW on a running pipeline: others read and write, and it may be cut off."""

import threading
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from groundswell.runtime.backfill.fill import Fill
from groundswell.runtime.planning import unfilled as filling
from groundswell.sql.console.file import read_file
from groundswell.sql.console.script import Script
from groundswell.sql.executor import REGISTRY
from groundswell.sql.history.log import StatementLog

SECONDS = 120


def test_others_read_and_write_while_a_view_is_filled(
    session: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What they do happens on the fill's own thread, so a lock that it waits for would hang it."""
    session.sql(f"CREATE PIPELINE p LOCATION '{tmp_path / 'p'}'")
    session.sql("USE groundswell.p")
    session.sql("CREATE TABLE votes (id int PRIMARY KEY, story int)")
    session.sql("CREATE MATERIALIZED VIEW n AS SELECT count(*) n FROM votes")
    session.sql("INSERT INTO votes VALUES (1, 1), (2, 1), (3, 2)")
    session.sql("FLUSH")
    seen: list[Any] = []
    run = Fill._run

    def others() -> None:
        session.sql("INSERT INTO votes VALUES (4, 2), (1, 3)")
        session.sql("DELETE FROM votes WHERE id = 3")
        session.sql("FLUSH")
        seen.append(session.sql("SELECT n FROM n").head()[0])

    def stepped(fill: Fill, *given: Any) -> None:
        if not seen:
            each = threading.Thread(target=others, daemon=True)
            each.start()
            each.join(SECONDS)
        run(fill, *given)

    monkeypatch.setattr(Fill, "_run", stepped)
    session.sql(
        "CREATE MATERIALIZED VIEW by_story AS SELECT story, count(*) n FROM votes GROUP BY 1"
    )
    assert seen == [3]
    found = {tuple(row) for row in session.sql("SELECT * FROM by_story").collect()}
    assert found == {(1, 1), (2, 1), (3, 1)}


class CutOffError(Exception):
    """Stands for the end of the process."""


TABLE = """CREATE PIPELINE p LOCATION '{place}' WITH (partitions = 2);
CREATE TABLE votes (id int PRIMARY KEY, story int);
CREATE MATERIALIZED VIEW n AS SELECT count(*) n FROM votes;
"""
VIEW = "CREATE MATERIALIZED VIEW by_story AS SELECT story, count(*) n FROM votes GROUP BY 1"


@pytest.mark.rest
@pytest.mark.parametrize("door", ["file", "statement"])
def test_a_restart_fills_the_rest(
    session: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, door: str
) -> None:
    """The statement is in the log by then, so the next start has the view.

    It is filled beside the barriers again, but for a run that ends when it has read what is there.
    """
    monkeypatch.setattr(filling, "PART_ROWS", 20)
    taken: list[int] = []
    beside: list[bool] = []
    ends = [4]
    run = Fill._run

    def counted(fill: Fill, epoch: Any, read: Any, part: Any) -> None:
        if not part.since and "by_story" in fill.plan.views:
            if part.number in ends:
                raise CutOffError
            taken.append(part.number)
            beside.append(threading.current_thread().name == "groundswell-fill")
        run(fill, epoch, read, part)

    monkeypatch.setattr(Fill, "_run", counted)
    begin = TABLE.format(place=tmp_path / "p")
    for statement in filter(None, map(str.strip, begin.split(";"))):
        session.sql(statement)
        session.sql("USE groundswell.p")
    session.sql("INSERT INTO votes SELECT id, id % 5 FROM range(120)")
    session.sql("FLUSH")
    with monkeypatch.context() as patch:  # a process that dies takes nothing back
        patch.setattr(StatementLog, "take_back", lambda *_: None)
        with pytest.raises(CutOffError):
            session.sql(VIEW)
    assert taken == [0, 1, 2, 3]
    pipeline = REGISTRY.find(session, "p")
    assert pipeline is not None
    pipeline.stop()
    REGISTRY.remove(session, "p")
    ends.clear()
    if door == "file":
        (tmp_path / "f.sql").write_text(f"{begin}{VIEW};\nSELECT * FROM n;\n", "utf-8")
        file = read_file(str(tmp_path / "f.sql"))
        Script(session, file, once=True, out=lambda _: None).run()
    else:
        session.sql(f"CREATE PIPELINE IF NOT EXISTS p LOCATION '{tmp_path / 'p'}'")
        session.sql("USE groundswell.p")
        session.sql(VIEW.replace("VIEW", "VIEW IF NOT EXISTS", 1))
        session.sql("CREATE INDEX stories ON by_story (n)")
        session.sql("INSERT INTO votes VALUES (1000, 4)")
        session.sql("FLUSH")
    assert taken == [0, 1, 2, 3, 4, 5]
    assert beside == [True] * 4 + [door == "statement"] * 2
    more = door == "statement"
    found = {tuple(row) for row in session.sql("SELECT * FROM by_story").collect()}
    assert found == {(story, 24 + (more and story == 4)) for story in range(5)}
