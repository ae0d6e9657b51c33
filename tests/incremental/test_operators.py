"""Every operator and combinations of them, under one barrier: after each epoch every view equals
its query run by batch Spark on the same input."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

import groundswell as gs
from incremental.harness import (
    Bags,
    Changelog,
    Table,
    Tables,
    Upserts,
    assert_same,
    bags,
    one_barrier,
    plain,
    replay,
)

QUERIES = {
    "filter_project": "select id + 1 as x, upper(usr) as u, w from votes where story > 1",
    "drops_key": "select title from stories where id % 2 = 1",
    "aggregate": """select story, count(*) n, count(w) c, sum(w) s, avg(w) a, min(w) lo, max(w) hi,
        count(distinct usr) u, sum(points) p, avg(points) ap from votes group by story""",
    "filtered_calls": """select story, sum(points * 2) filter (where w > 1) q,
        count(distinct usr) filter (where points > 2) u from votes group by story""",
    "over_upserts": """select owner, count(*) n, min(score) lo, max(score) hi, sum(score) s,
        avg(score) a, count(distinct score) d, sum(distinct score) sd
        from stories group by owner""",
    "global_agg": """select count(*) n, max(score) m, min(title) t, sum(price) p, avg(price) ap
        from stories""",
    "distinct_rows": "select distinct owner, score > 5 as high from stories",
    "having": "select owner, count(*) n from stories group by owner having count(*) > 1",
    "agg_of_agg": """select n, count(*) k, max(owner) last from
        (select owner, count(*) n from stories group by owner) group by n""",
    "join_by_key": """select v.id, s.title, v.w * s.score as ws from votes v
        join stories s on v.story = s.id""",
    "join_many": """select a.title t, b.title u, a.score + b.score as both_scores from stories a
        join stories b on a.owner = b.owner and a.id < b.id""",
    "join_expression": """select v.id, s.title from votes v join stories s
        on v.story + 1 = s.id * 2 where s.score > 1""",
    "join_three": """select v.id, s.title, l.amount from votes v join stories s on v.story = s.id
        join ledger l on l.account = s.owner""",
    "self_join": """select a.id x, b.id y from votes a join votes b
        on a.story = b.story and a.usr = b.usr and a.id < b.id""",
    "union_all": """select id, w from votes union all select id, score from stories
        union all select null, cast(amount as double) from ledger""",
    "union_then_group": """select k, count(*) n from (select story k from votes
        union all select id from stories) group by k""",
    "top_n": "select id, title, score from stories order by score desc, id limit 3",
    "top_n_offset": """select owner, count(*) n from stories group by owner
        order by n desc, owner limit 2 offset 1""",
    "top_of_agg_of_join": """select s.title, count(distinct v.usr) n, sum(v.points) p from votes v
        join stories s on v.story = s.id where s.score >= 0 group by s.title
        having count(*) >= 1 order by n desc, title limit 4""",
    "agg_of_top": """select count(*) n, sum(score) s from
        (select score from stories order by score, id limit 4)""",
    "signed_totals": "select account, sum(amount) s, count(*) n, min(amount) m from ledger "
    "group by account",
    "types": """select id, struct(title, score) st, array(id, score) ar, cast(price as string) ps,
        date_add(date'2024-01-01', cast(id as int)) d, price * 2 p2 from stories""",
}
EPOCHS = 5
DELIVERED = ["drops_key", "over_upserts", "join_many", "union_all", "top_of_agg_of_join"]


@dataclass
class Run:
    """All epochs of all views, read after the pipeline had stopped."""

    progress: list[dict[str, Any]] = field(default_factory=list)
    views: list[Bags] = field(default_factory=list)
    batch: list[Bags] = field(default_factory=list)
    types: dict[str, tuple[Any, Any]] = field(default_factory=dict)
    changes: dict[str, list[tuple[int, list[tuple[Any, str]]]]] = field(default_factory=dict)


def steps(votes: Table, stories: Table, ledger: Table) -> Iterator[None]:
    def story(
        i: int,
        title: str | None,
        owner: str | None,
        score: float | None,
        price: float | None = None,
    ) -> dict[str, Any]:
        return {"id": i, "title": title, "owner": owner, "score": score, "price": price}

    def vote(
        i: int, story: int | None, usr: str | None, w: float | None, points: int | None = 1
    ) -> dict[str, Any]:
        return {"id": i, "story": story, "usr": usr, "w": w, "points": points}

    def change(kind: str, account: str, amount: float) -> dict[str, Any]:
        return {"_change_type": kind, "account": account, "amount": amount}

    stories.put(
        [
            story(1, "one", "ann", 5, 1.25),
            story(2, "two", "bob", 7, 2.5),
            story(3, "three", "ann", 1, 3.75),
            story(4, None, None, None),
        ]
    )
    votes.put([vote(i, i % 4, f"u{i % 3}", i / 4, i) for i in range(12)])
    ledger.put([change("insert", "ann", 1.5), change("insert", "bob", 2.5)])
    yield
    # only one source has news; the same vote may come twice
    votes.put([vote(3, 1, "u0", None), vote(3, 1, "u0", None), vote(20, None, None, 2.0, None)])
    yield
    # join partners change on both sides at once, keys move between owners, rows vanish
    stories.put(
        [
            story(1, "uno", "bob", 9, 1.25),
            {"id": 2, "gone": True},
            story(5, "five", "ann", 7, 0.01),
            story(3, "three", "cyd", 1, 3.75),
        ]
    )
    votes.put([vote(30 + i, 1 + i % 5, f"u{i}", -i, i * 3) for i in range(6)])
    ledger.put(
        [
            change("delete", "ann", 1.5),
            change("insert", "ann", 4.5),
            change("update_preimage", "bob", 2.5),
            change("update_postimage", "bob", 3.5),
        ]
    )
    yield
    # several versions of one key in one barrier: the last one counts; no-op updates vanish
    stories.put(
        [
            story(5, "x", "zed", 1, 1),
            story(5, "five", "ann", 7, 0.01),
            {"id": 1, "gone": True},
            story(1, "one", "ann", 5, 1.25),
            story(2, "two again", "bob", 7, 2.5),
            {"id": 9, "gone": True},
        ]
    )
    yield
    stories.put([{"id": i, "gone": True} for i in (1, 2, 3, 4, 5)])
    votes.put([vote(50, 1, "late", 1.0)])
    ledger.put([change("delete", "bob", 3.5)])
    yield


@pytest.fixture(scope="module")
def run(session: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Run:
    folder: Path = tmp_path_factory.mktemp("operators")
    votes = Table(
        session, folder, "votes", "id bigint, story bigint, usr string, w double, points int"
    )
    stories = Upserts(
        session,
        folder,
        "stories",
        "id bigint, title string, owner string, score double, price decimal(10,2)",
        "id",
    )
    ledger = Changelog(session, folder, "ledger", "account string, amount decimal(10,2)", "account")
    tables = Tables(votes, stories, ledger)
    tables.as_sources()
    location = str(folder / "checkpoint")
    run = Run()
    pipeline = gs.pipeline(session, location)
    for name, text in QUERIES.items():
        seen = run.changes.setdefault(name, [])

        def keep(frame: Any, epoch: int, seen: list[Any] = seen) -> None:
            rows = [(plain(row)[:-1], row[-1]) for row in frame.collect()]
            seen.append((epoch, rows))

        pipeline.view(name, session.sql(text), foreachBatch=keep if name in DELIVERED else None)
    query = pipeline.start()
    try:
        arriving = steps(votes, stories, ledger)
        for _ in range(EPOCHS):
            with one_barrier(query):
                next(arriving)
            tables.snapshot()
            query.processAllAvailable()
    finally:
        query.stop()
    run.progress = query.recentProgress
    for epoch in range(EPOCHS):
        views = gs.read_views(session, location, QUERIES, epoch)
        tables.as_batch(epoch)
        batch = {name: session.sql(text) for name, text in QUERIES.items()}
        run.types = {name: (views[name].dtypes, batch[name].dtypes) for name in QUERIES}
        run.views.append(bags(views))
        run.batch.append(bags(batch))
    return run


def test_there_was_one_epoch_a_step(run: Run) -> None:
    assert [p["epoch"] for p in run.progress] == list(range(EPOCHS))
    assert run.progress[1]["sources"] == {"votes": 3, "stories": 0, "ledger": 0}


@pytest.mark.parametrize("name", QUERIES)
def test_view_equals_batch_after_every_epoch(run: Run, name: str) -> None:
    view_types, batch_types = run.types[name]
    assert view_types == batch_types
    for epoch in range(EPOCHS):
        assert_same(run.views[epoch][name], run.batch[epoch][name], f"epoch {epoch}")
    assert any(epoch[name] for epoch in run.batch), "a view that is always empty tests nothing"


@pytest.mark.parametrize("name", DELIVERED)
def test_replayed_changelog_is_the_view(run: Run, name: str) -> None:
    table: Counter[tuple[Any, ...]] = Counter()
    assert [epoch for epoch, _ in run.changes[name]] == list(range(EPOCHS))
    for epoch, rows in run.changes[name]:
        table = replay(rows, table)
        assert_pairs_are_adjacent([kind for _, kind in rows])
        assert_same(table, run.views[epoch][name], f"epoch {epoch}")


def assert_pairs_are_adjacent(kinds: list[str]) -> None:
    for i, kind in enumerate(kinds):
        if kind == "update_preimage":
            assert kinds[i + 1] == "update_postimage"
        if kind == "update_postimage":
            assert kinds[i - 1] == "update_preimage"
