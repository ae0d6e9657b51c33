"""Views of constants, and constant branches of views: rows that no source brings."""

from pathlib import Path

import pytest
from pyspark.sql import DataFrame, SparkSession

import groundswell as gs
from cases import first_of
from incremental.harness import Table, assert_view_equals_batch, bag

QUERIES = {
    "one": "select 1 a, 'x' b",
    "listed": "select * from values (1, 'x'), (2, null), (2, null) v(a, b)",
    "counted": "select id % 3 k, count(*) n from range(10) group by id % 3",
    "joined": "select l.id a, r.id b from range(4) l left join range(2) r on l.id = r.id + 1",
    "ranked": "select id, row_number() over (order by id desc) n from range(4)",
    "none": "select 1 a where 1 > 2",
}


def check(session: SparkSession, run: gs.IncrementalQuery, *names: str) -> None:
    for name in names or QUERIES:
        assert_view_equals_batch(run.view(name), session.sql(QUERIES[name]), name)


@pytest.mark.parametrize("trigger", first_of([{}, {"availableNow": True}]))
def test_a_view_of_constants_is_a_view(
    session: SparkSession, tmp_path: Path, trigger: dict[str, bool]
) -> None:
    def begin(*names: str) -> gs.IncrementalQuery:
        p = gs.pipeline(session, str(tmp_path / "c"))
        for name in names:
            assert gs.why(session.sql(QUERIES[name])) == []
            p.view(name, session.sql(QUERIES[name]))
        p.view("on_it", p.read("counted").selectExpr("sum(n) n"))
        return p.start(**trigger)

    for names in (["counted", "none"], [*QUERIES]):
        run = begin(*names)
        run.awaitTermination() if trigger else run.processAllAvailable()
        check(session, run, *names)
        assert bag(run.view("on_it")) == {(10,): 1}
        epochs = len(run.recentProgress)
        run.stop()
        assert epochs == (1 if names == ["counted", "none"] else 0), "nothing comes any more"


@pytest.mark.rest
def test_constants_come_and_go_while_others_run(session: SparkSession, tmp_path: Path) -> None:
    rows = Table(session, tmp_path, "rows", "id bigint")
    rows.source().createOrReplaceTempView("rows")
    p = gs.pipeline(session, str(tmp_path / "c"))

    def both(kept: int) -> DataFrame:
        return session.sql(f"select id from rows union all select * from range({kept})")

    run = p.view("both", both(2)).start()
    run.processAllAvailable()
    assert bag(run.view("both")) == {(0,): 1, (1,): 1}, "before any source has rows"
    run.addView("one", session.sql(QUERIES["one"]))
    check(session, run, "one")
    rows.put([{"id": 1}])
    run.processAllAvailable()
    assert bag(run.view("both")) == {(0,): 1, (1,): 2}
    run.addView("listed", session.sql(QUERIES["listed"]))
    run.dropView("both")
    check(session, run, "one", "listed")
    run.stop()
    with pytest.raises(gs.DefinitionChanged, match="view one"):
        gs.pipeline(session, str(tmp_path / "c")).view("one", session.sql("select 2 a")).start()


def test_clocks_and_chance_in_constants_are_refused(session: SparkSession) -> None:
    assert "current_date" in str(gs.why(session.sql("select current_date() d")))
    assert "rand" in str(gs.why(session.sql("select rand() r from range(3)")))
    refused = str(gs.why(session.sql("select 1 where timestamp'2030-01-01' > now()")))
    assert "its value changes" in refused
