"""Views that read views: one database state at every epoch, added and dropped on the way."""

from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

import groundswell as gs
from incremental.harness import Table, Upserts, bag, one_barrier

VOTES = "id bigint, story bigint, w double"
STORIES = "id bigint, owner bigint"


@pytest.fixture
def votes(session: SparkSession, tmp_path: Path) -> Table:
    return Table(session, tmp_path, "votes", VOTES)


@pytest.fixture
def stories(session: SparkSession, tmp_path: Path) -> Upserts:
    return Upserts(session, tmp_path, "stories", STORIES, "id")


def vote(i: int, story: int) -> dict[str, Any]:
    return {"id": i, "story": story, "w": float(i)}


def rows(location: Path, session: SparkSession, view: str, epoch: int | None = None) -> set[Any]:
    return set(bag(gs.read_view(session, str(location), view, epoch)))


def diamond(session: SparkSession, location: Path, votes: Table) -> gs.Pipeline:
    """votes -> counts -> (big, small) -> both, and every vote beside the count of its story."""
    p = gs.pipeline(session, str(location))
    p.view("counts", votes.stream().groupBy("story").count())
    counts = p.read("counts")
    p.view("big", counts.where("count >= 2"))
    p.view("small", counts.where("count < 2"))
    p.createTempViews()
    p.view(
        "both",
        session.sql(
            "select 'big' kind, count(*) n, sum(count) votes from big "
            "union all select 'small', count(*), sum(count) from small"
        ),
    )
    return p


def test_a_diamond_agrees_at_every_epoch(
    session: SparkSession, votes: Table, tmp_path: Path
) -> None:
    location = tmp_path / "c"
    run = diamond(session, location, votes).start()
    for i in range(5):
        votes.put([vote(3 * i + j, (i * j) % 4) for j in range(3)])
        run.processAllAvailable()
    run.stop()
    for epoch in range(5):
        views = gs.read_views(session, str(location), epoch=epoch)
        both = {row.kind: row for row in views["both"].collect()}
        assert both["big"].n == views["big"].count()
        assert both["small"].n == views["small"].count()
        assert (both["big"].votes or 0) + (both["small"].votes or 0) == 3 * (epoch + 1)
    assert gs.snapshot(session, str(location), 2).epoch == 2


@pytest.mark.rest
def test_what_several_views_need_is_computed_once(
    session: SparkSession, votes: Table, tmp_path: Path
) -> None:
    p = gs.pipeline(session, str(tmp_path / "c"))
    votes.source().createOrReplaceTempView("votes")
    per_story = "select story, sum(w) t, count(*) n from votes group by story"
    p.view("popular", session.sql(f"select * from ({per_story}) where n > 1"))
    p.view("heavy", session.sql(f"select * from ({per_story}) where t > 4"))
    p.view(
        "alike",
        session.sql(
            f"select a.story, b.story other from ({per_story}) a join ({per_story}) b "
            "on a.n = b.n and a.story < b.story"
        ),
    )
    votes.put([vote(1, 1), vote(2, 1), vote(5, 2), vote(6, 3)])
    run = p.start(availableNow=True)
    run.awaitTermination()
    ops = [op["op"] for op in run.lastProgress["operators"]]
    assert ops.count("aggregate") == 2, "`alike` needs no sum, and reads its input twice"
    assert rows(tmp_path / "c", session, "popular") == {(1, 3.0, 2)}
    assert rows(tmp_path / "c", session, "heavy") == {(2, 5.0, 1), (3, 6.0, 1)}
    assert rows(tmp_path / "c", session, "alike") == {(2, 3)}


def test_views_are_added_and_dropped_while_it_runs(
    session: SparkSession, votes: Table, stories: Upserts, tmp_path: Path
) -> None:
    location = tmp_path / "c"
    p = gs.pipeline(session, str(location))
    owners = stories.source()
    ballots = votes.source()
    p.view("counts", ballots.groupBy("story").count())
    p.view("owners", owners)
    votes.put([vote(1, 1), vote(2, 1), vote(3, 2)])
    stories.put([{"id": 1, "owner": 7}, {"id": 2, "owner": 7}, {"id": 3, "owner": 8}])
    run = p.start()
    run.processAllAvailable()
    counts = p.read("counts")
    by_owner = counts.join(owners, counts.story == owners.id).groupBy("owner").sum("count")
    run.addView("by_owner", by_owner)
    assert rows(location, session, "by_owner") == {(7, 3)}, "filled without any new data"
    assert rows(location, session, "counts") == {(1, 2), (2, 1)}
    with one_barrier(run):
        votes.put([vote(4, 3), vote(5, 1)])
        stories.put([{"id": 2, "owner": 8}])
    run.processAllAvailable()
    assert rows(location, session, "by_owner") == {(7, 3), (8, 2)}
    with pytest.raises(gs.DefinitionChanged, match="source votes has been read"):
        run.addView("again", ballots.groupBy("story").max("w"))
    assert run.isActive
    with pytest.raises(gs.ConfigurationError, match="read by by_owner"):
        run.dropView("counts")
    last = run.lastProgress["epoch"]
    run.dropView("by_owner")
    votes.put([vote(6, 3)])
    run.processAllAvailable()
    run.stop()
    assert run.views == ("counts", "owners")
    with pytest.raises(gs.ConfigurationError, match=f"no view 'by_owner' at epoch {last + 1}"):
        rows(location, session, "by_owner")
    assert rows(location, session, "by_owner", last) == {(7, 3), (8, 2)}
    assert rows(location, session, "counts") == {(1, 3), (2, 1), (3, 2)}


@pytest.mark.rest
def test_a_changed_view_is_rebuilt_where_asked(
    session: SparkSession, stories: Upserts, tmp_path: Path
) -> None:
    location = tmp_path / "c"
    source = stories.source()

    def start(least: int, **options: Any) -> None:
        p = gs.pipeline(session, str(location), **options)
        p.view("owned", source.where(f"owner > {least}"))
        p.view("n", p.read("owned").groupBy().count())
        p.start(availableNow=True).awaitTermination()

    stories.put([{"id": i, "owner": i} for i in range(10)])
    start(3)
    assert rows(location, session, "n") == {(6,)}
    with pytest.raises(
        gs.DefinitionChanged, match=r"(?s)view owned:\n +- Filter .*owner > 3.*onChange"
    ):
        start(5)
    start(5, onChange="rebuild")
    assert rows(location, session, "n") == {(4,)}
    stories.put([{"id": 20, "owner": 20}])
    start(5)
    assert rows(location, session, "n") == {(5,)}
    with pytest.raises(gs.ConfigurationError, match="onChange must be one of"):
        start(5, onChange="maybe")


@pytest.mark.rest
def test_kept_rows_stay_right_where_a_source_changes_its_columns(
    session: SparkSession, tmp_path: Path
) -> None:
    location = tmp_path / "c"
    items = Upserts(session, tmp_path, "items", "id bigint, a bigint, b bigint", "id")

    def start(columns: str, *names: str, **options: Any) -> None:
        source = session.readStream.schema(columns).json(str(items.folder))
        p = gs.pipeline(session, str(location), **options)
        p.view("v", gs.upserts(source, key="id", name="items").select(*names))
        p.start(availableNow=True).awaitTermination()

    items.put([{"id": 1, "a": 10, "b": 100}, {"id": 2, "a": 20, "b": 200}])
    start("id bigint, a bigint, b bigint", "id", "a", "b")
    assert rows(location, session, "v") == {(1, 10, 100), (2, 20, 200)}
    other = "b bigint, id bigint, a bigint"
    with pytest.raises(gs.DefinitionChanged, match=r"view v:\n +\+ Project"):
        start(other, "id", "a", "b")
    start(other, "id", "a", "b", onChange="rebuild")
    assert rows(location, session, "v") == {(1, 10, 100), (2, 20, 200)}
    items.put([{"id": 1, "a": 11, "b": 100}])
    start(other, "id", "a", "b")
    assert rows(location, session, "v") == {(1, 11, 100), (2, 20, 200)}
    with pytest.raises(gs.DefinitionChanged, match="source items: it lacks a, which its kept rows"):
        start("id bigint, b bigint", "id", "b", onChange="rebuild")
    start("id bigint, b bigint, a bigint", "id", "b", onChange="rebuild")
    assert rows(location, session, "v") == {(1, 100), (2, 200)}


@pytest.mark.rest
@pytest.mark.parametrize("on_change", ["error", "rebuild"])
def test_a_source_without_a_name_is_not_taken_for_another(
    session: SparkSession, tmp_path: Path, on_change: str
) -> None:
    items = Upserts(session, tmp_path, "items", "id bigint, kind string", "id")
    items.put([{"id": i, "kind": "ab"[i % 2]} for i in range(4)])

    def pipeline(**names: str) -> gs.Pipeline:
        p = gs.pipeline(session, str(tmp_path / "c"), onChange=on_change)
        for kind in "abc":
            stream = items.stream().where(f"kind = '{kind}'").select("id")
            source = gs.upserts(stream, key="id", name=names.get(kind))
            if kind in names or not names:
                p.view(f"v{kind}", source)
        return p

    run = pipeline().drop("vc").start()
    run.processAllAvailable()
    assert rows(tmp_path / "c", session, "vb") == {(1,), (3,)}
    with pytest.raises(
        gs.DefinitionChanged,
        match=r'source_1 may be another one: va read it, vb .*name="source_2" to the one that vb',
    ):
        run.dropView("va")
    run.stop()
    pipeline().drop("vc").start(availableNow=True).awaitTermination()
    named = pipeline(b="source_2", c="source_3").drop("va").start()
    items.put([{"id": 5, "kind": "b"}, {"id": 6, "kind": "c"}])
    named.processAllAvailable()
    named.stop()
    assert rows(tmp_path / "c", session, "vb") == {(1,), (3,), (5,)}
    assert rows(tmp_path / "c", session, "vc") == {(6,)}


@pytest.mark.rest
def test_a_changed_python_function_is_noticed(
    session: SparkSession, stories: Upserts, tmp_path: Path
) -> None:
    from pyspark.sql.functions import udf

    source = stories.source()
    stories.put([{"id": 1, "owner": 1}])

    def start(factor: int) -> None:
        times = udf(lambda x: x * factor, "bigint")
        p = gs.pipeline(session, str(tmp_path / "c"))
        p.view("v", source.select("id", times("owner").alias("y")))
        p.start(availableNow=True).awaitTermination()

    start(2)
    start(2)
    with pytest.raises(gs.DefinitionChanged, match="view v"):
        start(3)
