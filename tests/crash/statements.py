"""Run as a script: a pipeline of SQL goes on after a crash, and dies in its next statement.

Arguments: the folder; the kind of statement, of :data:`KINDS`; and the stage at which this process
dies, of :data:`STAGES`, or ``none``. What it finds at its start is written to ``found.json``.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import groundswell as gs
from crash.rivals import killer, session
from groundswell.runtime import launch
from groundswell.runtime.backfill.beside import OnlineBackfill
from groundswell.runtime.record.epochs import EpochLog
from groundswell.runtime.starting import Starter
from groundswell.sql.executor import REGISTRY
from groundswell.sql.history.log import StatementLog

BASE = (
    "CREATE TABLE IF NOT EXISTS t (id bigint PRIMARY KEY, v string)",
    "CREATE MATERIALIZED VIEW IF NOT EXISTS good AS SELECT id FROM t",
    "CREATE MATERIALIZED VIEW IF NOT EXISTS old AS SELECT id + 1 AS n FROM t",
)
KINDS = {
    "created": "CREATE MATERIALIZED VIEW new AS SELECT count(*) AS n FROM t",
    "refused": "CREATE MATERIALIZED VIEW new AS SELECT CAST(v AS INT) AS n FROM t",
    "altered": "ALTER TABLE t ADD COLUMN c{lives} int DEFAULT {lives}",
    "replaced": "CREATE OR REPLACE MATERIALIZED VIEW old AS SELECT id + {one_or_two} AS n FROM t",
    "dropped": "ALTER TABLE t DROP COLUMN d{lives}",
    "renamed": "ALTER TABLE t RENAME COLUMN d{lives} TO e{lives}",
}
"""``{lives}``: how many processes there were before; ``{one_or_two}``: 1 and 2 in turn."""
BACK = {
    "created": "DROP MATERIALIZED VIEW IF EXISTS new",
}
BEFORE = dict.fromkeys(
    ("dropped", "renamed"), "ALTER TABLE t ADD COLUMN d{lives} int DEFAULT {lives}"
)
"""What is run just before the statement that the process dies in."""
TAKEN_BACK = "taken back"
"""The stage of statements that are refused; others have all the rest."""
STAGES: dict[str, tuple[Any, str, bool]] = {
    "noted": (StatementLog, "append", True),
    "checked": (Starter, "prepared", True),
    "filled": (OnlineBackfill, "run", True),
    "claimed": (launch, "take_over", True),
    "published": (EpochLog, "publish", True),
    "defined": (launch.definition, "store", True),
    "started": (Starter, "again", True),
    "confirmed": (StatementLog, "confirm", True),
    TAKEN_BACK: (StatementLog, "take_back", False),
}
"""By name: what is called then, and whether the process dies after it, or before."""


def arm(stage: str, die: Callable[[], None]) -> None:
    """Has this process die at a stage."""
    owner, name, after = STAGES[stage]
    real: Callable[..., Any] = getattr(owner, name)

    def dying(*given: Any, **named: Any) -> None:
        if after:
            real(*given, **named)
        die()

    setattr(owner, name, dying)


def main(folder: Path, kind: str, stage: str) -> None:
    """See the module."""
    spark = session({})
    run = spark.sql
    run(f"CREATE PIPELINE IF NOT EXISTS p LOCATION '{folder / 'p'}'")
    run("USE groundswell.p")
    begun = (folder / "found.json").exists()
    if not begun:
        for text in BASE:
            run(text)
    lives = len(list(folder.glob("life-*")))
    (folder / f"life-{lives}").touch()
    run(f"INSERT INTO t (id, v) VALUES ({lives}, 'x')")
    run("FLUSH")
    pipeline = REGISTRY.find(spark, "p")
    assert pipeline is not None
    objects = pipeline.contents.objects.values()
    views = [each.name for each in objects if each.kind == "materialized view"]
    found = {
        "lives": lives + 1,
        "objects": sorted(each.name for each in objects),
        "views": {
            view: sorted(row[0] for row in run(f"SELECT * FROM {view}").collect()) for view in views
        },
        "table": [row.asDict() for row in run("SELECT * FROM t ORDER BY id").collect()],
        "pending": [each.text for each in pipeline.log.read() if each.pending],
    }
    (folder / "found.json").write_text(json.dumps(found))
    if stage == "none":
        pipeline.stop()
        return
    if kind in BACK:
        run(BACK[kind])
    if kind in BEFORE:
        run(BEFORE[kind].format(lives=lives))
    arm(stage, killer(spark))
    try:
        run(KINDS[kind].format(lives=lives, one_or_two=1 + lives % 2))
    except gs.GroundswellError:
        if kind != "refused":
            raise
    os._exit(0)  # no such stage in this kind of statement


if __name__ == "__main__":
    main(Path(sys.argv[1]), *sys.argv[2:])
