"""Views of a running query get another plan, and stay what they are."""

import json
import threading
from pathlib import Path

import pytest
from pyspark.sql import DataFrame, SparkSession

import groundswell as gs
from groundswell.errors import ConfigurationError, DefinitionChanged
from groundswell.runtime.pipeline import Pipeline
from groundswell.runtime.planning.planned import PlannedViews
from incremental.harness import assert_same, bag, newest_commits

pytestmark = pytest.mark.rest

COLUMNS = {
    "a": "id bigint, k bigint, c bigint, v bigint",
    "b": "id bigint, k bigint, w bigint",
    "c": "id bigint, n bigint",
}
WIDE = "select a.id, b.id bid, c.n from a join b on a.k = b.k join c on c.id = a.c"


class Shop:
    """Three tables: of ``a`` and ``b`` many rows meet, of ``c`` there are few."""

    def __init__(self, session: SparkSession, folder: Path) -> None:
        self.session, self.location = session, str(folder / "checkpoint")

    def begin(self, **options: str) -> Pipeline:
        p = gs.pipeline(self.session, self.location, **options)
        self.tables = {n: p.table(n, schema, key="id") for n, schema in COLUMNS.items()}
        for name, table in self.tables.items():
            assert table.df is not None
            table.df.createOrReplaceTempView(name)
        return p

    def put(self, first: int, count: int) -> None:
        numbers = range(first, first + count)
        rows = {
            "a": [(i, i % 5, i % 3, i % 7) for i in numbers],
            "b": [(i, i % 5, i % 11) for i in numbers],
            "c": [(i, 10 + first) for i in range(3)],
        }
        for name, table in self.tables.items():
            table.upsert(self.session.createDataFrame(rows[name], COLUMNS[name]))

    def check(self, name: str, text: str) -> None:
        """By the tables that the same epoch has."""
        at = gs.snapshot(self.session, self.location)
        batch = self.session.newSession()
        for table in COLUMNS:
            rows: DataFrame = at.view(f"all_{table}")
            batch.createDataFrame(rows.collect(), COLUMNS[table]).createOrReplaceTempView(table)
        assert_same(bag(at.view(name)), bag(batch.sql(text)), name)


@pytest.fixture
def shop(session: SparkSession, tmp_path: Path) -> Shop:
    return Shop(session, tmp_path)


def all_rows(p: Pipeline) -> Pipeline:
    for name in COLUMNS:
        p.view(f"all_{name}", p.program.spark.table(name))
    return p


def joins(planned: PlannedViews) -> set[str]:
    return {s for s in planned.dataflow().states if s.startswith("join-")}


def test_a_running_view_gets_the_order_that_costs_least(shop: Shop) -> None:
    p = all_rows(shop.begin(retainEpochs="2", retireEvery="1"))
    p.view("wide", shop.session.sql(WIDE))
    p.view("total", p.read("wide").groupBy("n").count())
    old = joins(p.program.planned())
    query = p.start()
    shop.put(0, 60)
    query.processAllAvailable()
    told = p.program.planned(shown=True)
    assert joins(told) == old
    assert "  as written, taken: ((a ⋈ b) ⋈ c)  ~" in told.explain(cost=True)
    assert "  cheapest: ((a ⋈ c) ⋈ b)  ~" in told.explain(cost=True)
    assert "rows expected, 120 are there" in told.explain(cost=True)
    with pytest.raises(ConfigurationError, match="'none' cannot be planned again: the query keeps"):
        query.reoptimize("none")
    more = threading.Thread(target=shop.put, args=(60, 40))
    more.start()
    found = {each.view: each for each in query.reoptimize()}
    more.join()
    assert [name for name, each in found.items() if each.changed] == ["wide"]
    assert "joins as ((a ⋈ c) ⋈ b), not ((a ⋈ b) ⋈ c): cost ~" in str(found["wide"])
    assert set(found["wide"].gone) >= old
    assert not found["total"].changed
    shop.put(100, 5)  # the epoch of the switch itself still has the old states
    query.processAllAvailable()
    total = f"select n, count(*) count from ({WIDE}) group by n"
    for name, text in (("wide", WIDE), ("total", total)):
        shop.check(name, text)
    again = query.reoptimize("wide")
    assert not again[0].changed
    assert "joins stay as ((a ⋈ c) ⋈ b): no order costs less" in str(again[0])
    now = set(newest_commits(shop.location))
    assert not old & now
    assert set(found["wide"].made) <= now
    query.stop()
    # a start plans it as it is now, whatever the option says
    restarted = all_rows(shop.begin())
    restarted.view("wide", shop.session.sql(WIDE))
    restarted.view("total", restarted.read("wide").groupBy("n").count())
    assert joins(restarted.program.planned()) == {s for s in now if s.startswith("join-")}
    shop.put(105, 5)
    restarted.start(availableNow=True).awaitTermination()
    shop.check("wide", WIDE)


def test_a_view_that_cannot_be_filled_again_goes_on_as_it_is(
    session: SparkSession, shop: Shop, tmp_path: Path
) -> None:
    folder = tmp_path / "stream"
    folder.mkdir()
    stream = session.readStream.schema("id bigint, k bigint, c bigint").json(str(folder))
    p = all_rows(shop.begin())
    gs.appends(stream, name="s").createOrReplaceTempView("s")
    text = "select s.id, b.id bid, c.n from s join c on c.id = s.c join b on s.k = b.k"
    p.view("open", session.sql(text))
    query = p.start()
    shop.put(0, 60)
    lines = [json.dumps({"id": i, "k": i % 5, "c": i % 3}) for i in range(80)]
    (folder / "1.json").write_text("\n".join(lines))
    query.processAllAvailable()
    before = bag(query.view("open"))
    with pytest.raises(DefinitionChanged, match="source s has been read by this pipeline, and its"):
        query.reoptimize("open")
    assert query.isActive
    (folder / "2.json").write_text(lines[0])
    query.processAllAvailable()
    assert before.total() < bag(query.view("open")).total()
    query.stop()
