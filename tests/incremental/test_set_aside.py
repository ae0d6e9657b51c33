"""Views that fail, or are suspended, while the other views of their pipeline go on."""

import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

import groundswell as gs
from groundswell.cli.main import main
from incremental.harness import bag

SHARES = "SELECT id, 60 DIV v AS share FROM orders"
TOTALS = "SELECT count(*) n, sum(v) s FROM orders"


class Shop:
    """A view that fails on v = 0, one that reads it, and one that does not care."""

    def __init__(self, session: SparkSession, folder: Path) -> None:
        self.session, self.location = session, str(folder / "c")
        self.run: Any = None

    def start(self, on_failure: str = "set_aside", **more: Any) -> None:
        self.pipeline = gs.pipeline(self.session, self.location, retainEpochs=2, retireEvery=1)
        self.orders = self.pipeline.table("orders", "id long, v int", key="id")
        self.orders.df.createOrReplaceTempView("orders")
        self.pipeline.view("shares", self.session.sql(SHARES), onFailure=on_failure, **more)
        self.pipeline.view("large", self.pipeline.read("shares").where("share > 5"))
        self.pipeline.view("totals", self.session.sql(TOTALS))
        self.run = self.pipeline.start()

    def put(self, *rows: tuple[int, int]) -> None:
        self.orders.upsert(self.session.createDataFrame(rows, "id long, v int"))
        self.run.processAllAvailable()

    def seen(self, view: str) -> list[tuple[Any, ...]]:
        return sorted(tuple(r) for r in gs.read_view(self.session, self.location, view).collect())


@pytest.fixture
def shop(session: SparkSession, tmp_path: Path) -> Iterator[Shop]:
    made = Shop(session, tmp_path)
    yield made
    with suppress(Exception):
        made.run.stop()


@pytest.mark.rest
def test_a_reader_that_stands_still_keeps_its_rows_when_its_view_fails(shop: Shop) -> None:
    shop.start()
    shop.put((1, 10), (2, 20))
    shop.run.suspend("large")
    shop.put((4, 1))
    shop.put((3, 0))
    for number in range(5, 9):  # beyond what retention keeps
        shop.put((number, 1))
    aside = shop.run.lastProgress["aside"]
    assert {name: (one["because"], one["epoch"]) for name, one in aside.items()} == {
        "large": ("large", 0),
        "shares": ("shares", 1),
    }
    assert shop.seen("shares") == [(1, 6), (2, 3), (4, 60)]
    assert shop.seen("large") == [(1, 6)]


def test_the_others_go_on_and_it_is_filled_again(shop: Shop) -> None:
    shop.start()
    shop.put((1, 10), (2, 20))
    shop.put((3, 0))
    assert shop.run.isActive
    assert shop.seen("totals") == [(3, 30)]
    for number in range(4, 8):  # beyond what retention keeps
        shop.put((number, 1))
    assert shop.seen("totals") == [(7, 34)]
    assert shop.seen("shares") == [(1, 6), (2, 3)]
    assert shop.seen("large") == [(1, 6)]
    aside = shop.run.lastProgress["aside"]
    assert aside.keys() == {"shares", "large"}
    assert aside["shares"]["epoch"] == 0
    assert "DIVIDE_BY_ZERO" in aside["shares"]["reason"]
    assert aside["large"]["because"] == "shares"

    with pytest.raises(gs.RowFailed):
        shop.run.resume("shares")
    with pytest.raises(gs.ConfigurationError, match="resume that one"):
        shop.run.resume("large")
    with pytest.raises(gs.ConfigurationError, match="is not set aside"):
        shop.run.resume("totals")
    shop.put((3, 30))
    assert shop.seen("totals") == [(7, 64)]
    assert shop.seen("shares") == [(1, 6), (2, 3)]

    shop.run.resume("shares")
    shop.put((1, 20))
    assert shop.run.lastProgress["aside"] == {}
    shares = [(1, 3), (2, 3), (3, 2), *((number, 60) for number in range(4, 8))]
    assert shop.seen("shares") == shares
    assert shop.seen("large") == [r for r in shares if r[1] > 5]
    batch = shop.session.createDataFrame(
        [(1, 20), (2, 20), (3, 30), *((n, 1) for n in range(4, 8))], "id long, v int"
    )
    batch.createOrReplaceTempView("orders")
    assert bag(shop.session.sql(SHARES)) == bag(shop.run.view("shares"))


@pytest.mark.rest
def test_it_stays_aside_over_a_restart_and_may_be_dropped(
    shop: Shop, capsys: pytest.CaptureFixture[str]
) -> None:
    shop.start()
    shop.put((1, 10))
    shop.put((2, 0))
    shop.run.stop()
    shop.start()
    shop.put((3, 1))
    assert shop.seen("totals") == [(3, 11)]
    assert shop.seen("shares") == [(1, 6)]
    shop.run.explain()
    assert "view shares is set aside at epoch 0: [ROW_FAILED]" in capsys.readouterr().out
    assert main(["doctor", shop.location]) == 1
    assert "view shares is set aside at epoch 0" in capsys.readouterr().out
    shop.run.dropView("large")
    shop.run.dropView("shares")
    shop.put((4, 1))
    assert shop.seen("totals") == [(4, 12)]
    assert shop.run.lastProgress["aside"] == {}
    with pytest.raises(gs.ConfigurationError, match="no view 'shares'"):
        shop.seen("shares")


@pytest.mark.rest
def test_a_column_that_it_reads_stays_for_it(shop: Shop) -> None:
    """Nothing could fill it again."""
    shop.start()
    shop.put((1, 10))
    shop.put((2, 0))
    shop.orders.renameColumn("v", "w")
    shop.run.replaceView("totals", shop.orders.df.groupBy().count())
    for change in (
        lambda: shop.orders.dropColumns("w"),
        lambda: shop.orders.widenColumn("w", "bigint"),
    ):
        with pytest.raises(gs.ConfigurationError, match="view shares reads column"):
            change()
    shop.orders.upsert([(2, 20)])
    shop.run.processAllAvailable()
    shop.run.resume("shares")
    assert shop.seen("shares") == [(1, 6), (2, 3)]


@pytest.mark.rest
def test_it_is_set_aside_though_nobody_waits(shop: Shop) -> None:
    shop.start()
    shop.put((1, 10))
    rows = shop.session.createDataFrame([(2, 0)], "id long, v int")
    shop.orders.upsert(rows)
    for _ in range(300):
        if shop.seen("totals") == [(2, 10)]:
            break
        time.sleep(0.1)
    assert shop.seen("totals") == [(2, 10)]


@pytest.mark.rest
def test_somebody_suspends_a_view_and_resumes_it(shop: Shop) -> None:
    shop.start()
    shop.put((1, 10), (2, 20))
    with pytest.raises(gs.ConfigurationError, match="no view 'share'"):
        shop.run.suspend("share")
    assert shop.run.isActive
    shop.run.suspend("shares")
    assert shop.run.isActive
    with pytest.raises(gs.ConfigurationError, match=r"somebody has suspended it .*resume"):
        shop.run.suspend("shares")
    with pytest.raises(gs.ConfigurationError, match="every view of the pipeline is set aside"):
        shop.run.suspend("totals")
    for number in range(3, 8):  # a row that the view could not take among them
        shop.put((number, number % 3))
    assert shop.seen("totals") == [(7, 34)]
    assert shop.seen("shares") == [(1, 6), (2, 3)]
    assert shop.seen("large") == [(1, 6)]
    states = {op.get("state") or "" for op in shop.run.lastProgress["operators"]}
    assert not any("shares" in state or "large" in state for state in states), "it costs nothing"
    shop.run.stop()
    shop.start()
    assert shop.run.lastProgress is None or "shares" in shop.run.lastProgress["aside"]
    shop.put((3, 30), (6, 60))
    assert shop.seen("shares") == [(1, 6), (2, 3)]
    shop.run.resume("shares")
    shares = [(1, 6), (2, 3), (3, 2), (4, 60), (5, 30), (6, 1), (7, 60)]
    assert shop.seen("shares") == shares
    assert shop.seen("large") == [r for r in shares if r[1] > 5]


@pytest.mark.rest
def test_a_view_that_could_not_be_resumed_is_not_suspended(
    session: SparkSession, tmp_path: Path
) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "1.json").write_text('{"v": 1}\n')
    p = gs.pipeline(session, str(tmp_path / "c"))
    events = session.readStream.schema("v int").json(str(tmp_path / "in"))
    p.view("counts", events.groupBy("v").count())
    p.view("sums", p.read("counts").groupBy().sum("count"))
    p.view("other", p.table("t", "v int").df)
    run = p.start()
    run.processAllAvailable()
    with pytest.raises(gs.ConfigurationError, match=r"counts cannot be suspended.* not be kept"):
        run.suspend("counts")
    run.suspend("sums")  # what it reads is kept
    (tmp_path / "in" / "2.json").write_text('{"v": 1}\n{"v": 2}\n')
    run.processAllAvailable()
    assert [tuple(r) for r in run.view("sums").collect()] == [(1,)]
    run.resume("sums")
    assert [tuple(r) for r in run.view("sums").collect()] == [(3,)]
    run.stop()


def test_by_default_one_view_ends_all(shop: Shop) -> None:
    shop.start("stop_pipeline")
    with pytest.raises(gs.RowFailed) as failed:
        shop.put((1, 0))
    assert set(failed.value.views) == {"shares", "large"}  # they share what failed
    assert not shop.run.isActive


@pytest.mark.rest
def test_a_state_that_grows_above_its_limit_is_a_failure(shop: Shop) -> None:
    shop.start(maxStateBytes=2_000)
    shop.put((1, 10))
    shop.put(*((number, number) for number in range(1, 2_000)))
    shop.put((1, 11))
    assert shop.run.lastProgress["aside"].keys() == {"shares", "large"}
    assert "maxStateBytes is 2,000" in shop.run.lastProgress["aside"]["shares"]["reason"]
    assert shop.seen("totals") == [(1999, 1_999_010)]


def test_a_policy_that_is_none_is_refused(session: SparkSession, tmp_path: Path) -> None:
    p = gs.pipeline(session, str(tmp_path / "c"))
    frame = p.table("t", "id int", key="id").df
    with pytest.raises(gs.ConfigurationError, match="onFailure must be one of"):
        p.view("v", frame, onFailure="ignore")
    with pytest.raises(gs.ConfigurationError, match="maxStateBytes must be a whole number"):
        p.view("v", frame, maxStateBytes=0)
