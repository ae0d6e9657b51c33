"""A crash before each durable step of each kind of change: the old pipeline, or the new one."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

import groundswell as gs
from crash.images import images
from groundswell.sql.executor import REGISTRY
from groundswell.sql.pipelines import SqlPipeline
from incremental.harness import PLAIN, confs_of

MADE = (
    "CREATE TABLE t (id bigint PRIMARY KEY, v string, d int DEFAULT 7)",
    "CREATE MATERIALIZED VIEW good AS SELECT id FROM t",
    "CREATE MATERIALIZED VIEW old AS SELECT id + 1 AS n FROM t",
    "CREATE MATERIALIZED VIEW last AS SELECT n FROM old",
    "CREATE INDEX by_v ON t (v)",
    "CREATE TABLE copy (id bigint PRIMARY KEY)",
    "CREATE MATERIALIZED VIEW copied AS SELECT id FROM copy",
    "CREATE SINK rows INTO copy AS SELECT id FROM t",
    "INSERT INTO t (id, v) VALUES (0, 'x'), (1, 'y')",
    "FLUSH",
    "FLUSH",
)
OBJECTS = {"t", "good", "old", "last", "by_v", "copy", "copied", "rows"}


@dataclass(frozen=True)
class Kind:
    """A kind of change.

    Attributes:
        text: the statement.
        come: objects that are there after it.
        gone: objects that are not.
        refused: whether the statement is.
        columns: of table ``t``, after it.
        more: what view ``old`` adds, after it.
    still: views that stand still after it.
    """

    text: str
    come: frozenset[str] = frozenset()
    gone: frozenset[str] = frozenset()
    refused: bool = False
    columns: tuple[str, ...] = ("id", "v", "d")
    more: int = 1
    still: frozenset[str] = frozenset()


KINDS = {
    "a view": Kind(
        "CREATE MATERIALIZED VIEW new AS SELECT count(*) AS n FROM t", frozenset({"new"})
    ),
    "a refused view": Kind(
        "CREATE MATERIALIZED VIEW new AS SELECT CAST(v AS INT) AS n FROM t", refused=True
    ),
    "a view dropped": Kind("DROP MATERIALIZED VIEW last", gone=frozenset({"last"})),
    "views dropped": Kind("DROP MATERIALIZED VIEW old CASCADE", gone=frozenset({"old", "last"})),
    "a view replaced": Kind(
        "CREATE OR REPLACE MATERIALIZED VIEW old AS SELECT id + 2 AS n FROM t", more=2
    ),
    "a view renamed": Kind(
        "ALTER MATERIALIZED VIEW last RENAME TO final", frozenset({"final"}), frozenset({"last"})
    ),
    "a column": Kind("ALTER TABLE t ADD COLUMN c int DEFAULT 5", columns=("id", "v", "d", "c")),
    "a column dropped": Kind("ALTER TABLE t DROP COLUMN d", columns=("id", "v")),
    "a column renamed": Kind("ALTER TABLE t RENAME COLUMN d TO e", columns=("id", "v", "e")),
    "a column widened": Kind("ALTER TABLE t ALTER COLUMN d TYPE bigint"),
    "a table": Kind("CREATE TABLE u (a int)", frozenset({"u"})),
    "an index": Kind("CREATE INDEX by_d ON t (d)", frozenset({"by_d"})),
    "an index dropped": Kind("DROP INDEX by_v", gone=frozenset({"by_v"})),
    "a sink": Kind(
        "CREATE SINK more INTO copy AS SELECT id + 100 AS id FROM t",
        frozenset({"more"}),
    ),
    "a rescale": Kind("ALTER PIPELINE p SET PARALLELISM 3"),
    "a suspended view": Kind(
        "ALTER MATERIALIZED VIEW old SUSPEND", still=frozenset({"old", "last"})
    ),
    "a sink dropped": Kind("DROP SINK rows", gone=frozenset({"rows"})),
}


def opened(session: SparkSession, name: str, place: Path) -> SqlPipeline:
    session.sql(f"CREATE PIPELINE IF NOT EXISTS {name} LOCATION '{place}'")
    session.sql(f"USE groundswell.{name}")
    found = REGISTRY.find(session, name)
    assert found is not None
    return found


def closed(session: SparkSession, pipeline: SqlPipeline) -> None:
    pipeline.stop()
    REGISTRY.remove(session, pipeline.name)


def state(session: SparkSession, pipeline: SqlPipeline) -> dict[str, Any]:
    """What people see of a pipeline, after one more row."""
    session.sql("INSERT INTO t (id, v) VALUES (9, 'z')")
    session.sql("FLUSH")
    session.sql("FLUSH")  # what a sink brings into a table comes one barrier later
    objects = pipeline.contents.objects.values()
    views = [each.name for each in objects if each.kind == "materialized view"]
    table = session.table("t")
    with confs_of(session, PLAIN):
        return {
            "objects": {each.name for each in objects},
            "pending": [each.text for each in pipeline.log.read() if each.pending],
            "views": {v: sorted(row[0] for row in session.table(v).collect()) for v in views},
            "columns": tuple(table.columns),
            "table": sorted(tuple(row) for row in table.collect()),
        }


def check(seen: dict[str, Any], kind: Kind, told: str) -> None:
    """Old or new as a whole, whatever it is of."""
    told = f"{told}: {seen}"
    new = (OBJECTS | kind.come) - kind.gone
    assert seen["pending"] == [], told
    old_is_more = seen["views"].get("old", [1])[0]
    as_old = (seen["objects"], seen["columns"], old_is_more) == (OBJECTS, ("id", "v", "d"), 1)
    as_new = (seen["objects"], seen["columns"], old_is_more) == (
        new,
        kind.columns,
        old_is_more if "old" in kind.gone else kind.more,
    )
    assert as_old or as_new, told
    ids, added = [0, 1, 9], {"d": 7, "e": 7, "c": 5}
    values = {"id": ids, "v": ["x", "y", "z"], **{c: 3 * [v] for c, v in added.items()}}
    assert seen["table"] == list(zip(*(values[c] for c in seen["columns"]), strict=True)), told
    copied = ids if "rows" in seen["objects"] else [0, 1]
    copied = [*copied, *([each + 100 for each in ids] if "more" in seen["objects"] else [])]
    right = {
        "good": ids,
        "copied": copied,
        "new": [3],
        **{name: [each + old_is_more for each in ids] for name in ("old", "last", "final")},
    }
    for view, rows in seen["views"].items():
        before = right[view][:2] if view in kind.still else right[view]
        assert rows in (right[view], before), told
    assert len({len(seen["views"][view]) for view in kind.still}) < 2, told


# Of the steps that changes have in common, one kind each; `make soak` runs all.
FIRST = {"a refused view", "views dropped", "a view replaced", "a column widened", "a rescale"}


@pytest.mark.rest
@pytest.mark.parametrize(
    "kind",
    [pytest.param(kind, marks=() if kind in FIRST else pytest.mark.soak) for kind in KINDS],
)
def test_a_crash_before_each_step(
    session: SparkSession, place: str, tmp_path: Path, kind: str
) -> None:
    change, pipeline = KINDS[kind], opened(session, "p", Path(place))
    with images(Path(place), tmp_path) as taken:
        try:
            session.sql(change.text)
        except gs.GroundswellError:
            assert change.refused
        else:
            assert not change.refused
    closed(session, pipeline)
    print(f"{kind}: a crash before each of {len(taken)} steps")
    assert len(taken) >= 3, taken
    for image in taken:
        begun = opened(session, "p", image.place)
        check(state(session, begun), change, f"{kind}, a crash before {image.before}")
        closed(session, begun)
