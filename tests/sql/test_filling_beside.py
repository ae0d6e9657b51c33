"""CREATE MATERIALIZED VIEW on a running pipeline, while others read and write it."""

import threading
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from groundswell.runtime.filling.fill import Fill

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
