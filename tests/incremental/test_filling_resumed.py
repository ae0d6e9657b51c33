"""Fills that are cut off between two parts, and go on where they were."""

import logging
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

import groundswell as gs
from groundswell import jvm
from groundswell.errors import Fenced
from groundswell.marks import Mark
from groundswell.runtime.backfill.fill import Fill
from groundswell.runtime.planning import unfilled as filling
from groundswell.runtime.record.fills import BackfillLog
from groundswell.runtime.record.location import FOLDER
from incremental.test_filling_beside import ORDERS, QUERIES, Shop
from reaching import reaches

pytestmark = pytest.mark.rest

LOUD = "SELECT o.id, upper(c.page) page FROM orders o JOIN clicks c USING (customer)"
SUMS = 6
"""Parts of the fill of a sum over the 120 orders that a shop begins with."""


class CutOffError(Exception):
    """Stands for the end of the process: nothing that comes after it is noted."""


@pytest.fixture
def shop(session: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Shop]:
    monkeypatch.setattr(filling, "PART_ROWS", 20)
    made = Shop(session, tmp_path)
    yield made
    with suppress(Exception):
        made.run.stop()


class Parts:
    """Counts the parts that are computed, and acts before each."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.numbers: list[int] = []
        self.act: Callable[[int], Any] = lambda _: None
        run = Fill._run

        def counted(fill: Fill, epoch: Any, read: Any, part: Any) -> None:
            if not part.since:
                self.act(part.number)
                self.numbers.append(part.number)
            run(fill, epoch, read, part)

        monkeypatch.setattr(Fill, "_run", counted)

    def cut_at(self, number: int) -> None:
        def act(now: int) -> None:
            if now == number:
                raise CutOffError(number)

        self.act = act

    def go_on(self) -> None:
        self.act = lambda _: None

    def taken(self) -> list[int]:
        found, self.numbers = self.numbers, []
        return found


@pytest.fixture
def parts(monkeypatch: pytest.MonkeyPatch) -> Parts:
    return Parts(monkeypatch)


def cut_off(shop: Shop, parts: Parts, at: int, view: str = "sums") -> None:
    parts.cut_at(at)
    with pytest.raises(CutOffError):
        shop.run.addView(view, shop.frame(view))
    parts.go_on()
    parts.taken()


def files_of(shop: Shop, state: str) -> list[Path]:
    found = Path(shop.location, "groundswell", "state").glob(f"*{state}*/**/*.commit")
    return sorted(found)


def leases(shop: Shop) -> list[str]:
    folder = Path(shop.location, "groundswell", "leases")
    return [each.name for each in folder.glob("whole-*.json")]


def test_a_restart_fills_the_rest_alone(
    shop: Shop, parts: Parts, caplog: pytest.LogCaptureFixture
) -> None:
    """Epochs come and go meanwhile; the one that the fill has begun with is kept for it."""
    shop.begin(retainEpochs=2, retireEvery=1)
    begun = shop.run.lastProgress["epoch"]
    cut_off(shop, parts, 4)
    shop.run.stop()
    with caplog.at_level(logging.WARNING, "groundswell"):
        shop.start(retainEpochs=2, retireEvery=1)
    assert "the fill of sums was cut off after part 4 of 6, 67 %, as of epoch" in caplog.text
    (waiting,) = shop.run.status["unfinished"]
    assert waiting["views"] == ["sums"] and waiting["epoch"] == begun
    assert (waiting["partsDone"], waiting["parts"], waiting["percent"]) == (4, SUMS, 67)
    shop.change()
    shop.change()
    told: list[Any] = []
    parts.act = lambda _: told.append((shop.change(), shop.run.lastProgress["filling"])[1])
    with caplog.at_level(logging.WARNING, "groundswell"), reaches(Mark.FILL_GOES_ON):
        shop.run.addView("sums", shop.frame("sums"))
    assert "the fill of sums goes on after part 4 of 6, 67 %, as of epoch" in caplog.text
    assert parts.taken() == [4, 5]
    assert [(t["partsDone"], t["parts"], t["resumedAt"]) for t in told] == [(4, 6, 4), (5, 6, 4)]
    assert told[0]["percent"] == 67
    shop.check("sums")
    shop.change()
    shop.check("sums")
    assert shop.run.status["unfinished"] == [] and leases(shop) == []
    shop.run.stop()  # rounds of retention go on beside the barriers until then
    oldest = min(Path(shop.location, "groundswell", "epochs").iterdir()).name
    assert int(oldest[:20]) > begun, "retention goes on"


def test_it_goes_on_several_times_and_in_one_run(
    shop: Shop, parts: Parts, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its join is there already, so it has one of its own until the switch."""
    monkeypatch.setitem(QUERIES, "loud", LOUD)
    shop.begin()
    shop.run.addView("pairs", shop.frame("pairs"))
    cut_off(shop, parts, 2, "loud")
    assert [w["partsDone"] for w in shop.run.status["unfinished"]] == [2]
    shop.change()
    parts.cut_at(5)
    with pytest.raises(CutOffError):
        shop.run.addView("loud", shop.frame("loud"))
    assert parts.taken() == [2, 3, 4]
    parts.go_on()
    shop.run.stop()
    shop.start("pairs")
    assert files_of(shop, "scratch-join")
    shop.change()
    shop.run.addView("loud", shop.frame("loud"))
    assert parts.taken() == [5, 6, 7]
    shop.check("pairs", "loud")
    assert files_of(shop, "scratch-join") == []


def test_a_start_that_declares_the_view_goes_on(shop: Shop, parts: Parts) -> None:
    """So does the next one, if that start is cut off, too."""
    shop.begin()
    cut_off(shop, parts, 2)
    shop.change()
    shop.run.stop()
    parts.cut_at(4)
    with pytest.raises(CutOffError):
        shop.start("sums")
    assert parts.taken() == [2, 3]
    parts.go_on()
    shop.start("sums")
    assert parts.taken() == [4, 5]
    shop.check("sums")
    shop.change()
    shop.check("sums")
    assert leases(shop) == []


def test_a_fill_that_a_start_has_completed_is_noted_no_longer(shop: Shop, parts: Parts) -> None:
    """Also if it is the first fill of the location, whose folder of fills was not there before."""
    shop.begin()
    shop.run.stop()
    shop.start("sums")
    assert parts.taken() == [*range(SUMS)]
    assert (shop.run.status["unfinished"], leases(shop)) == ([], [])
    home = jvm.JvmFolder.open(shop.session, shop.location).child(FOLDER)
    assert BackfillLog(home).read() == ()
    shop.check("sums")


@pytest.mark.soak
def test_what_was_followed_is_noted_too(
    shop: Shop, parts: Parts, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop.begin()
    parts.act = lambda number: (shop.change(), shop.change()) if number == 3 else None

    def ends(fill: Fill) -> None:
        raise CutOffError

    with monkeypatch.context() as patch:
        patch.setattr(Fill, "make_ready", ends)
        with pytest.raises(CutOffError):
            shop.run.addView("sums", shop.frame("sums"))
    (waiting,) = shop.run.status["unfinished"]
    assert waiting["partsDone"] == SUMS and waiting["epoch"] == shop.run.lastProgress["epoch"]
    parts.taken()
    shop.change()
    shop.run.addView("sums", shop.frame("sums"))
    assert parts.taken() == []
    shop.check("sums")


def test_another_query_begins_anew(
    shop: Shop, parts: Parts, caplog: pytest.LogCaptureFixture
) -> None:
    shop.begin()
    cut_off(shop, parts, 3)
    before = files_of(shop, "sums")
    assert before
    with caplog.at_level(logging.WARNING, "groundswell"):
        shop.run.addView("sums", shop.frame("pairs"))
    assert "of sums, part 3 of 6, 50 %, is given up: its query is another one now" in caplog.text
    assert parts.taken()[0] == 0
    assert not {*before} & {*files_of(shop, "sums")}
    assert shop.run.status["unfinished"] == [] and leases(shop) == []


def test_an_epoch_that_is_gone_begins_anew(
    shop: Shop, parts: Parts, caplog: pytest.LogCaptureFixture
) -> None:
    """As if the lease had run out before."""
    shop.begin(retainEpochs=1, retireEvery=1)
    cut_off(shop, parts, 3)
    for name in leases(shop):
        Path(shop.location, "groundswell", "leases", name).unlink()
    shop.change()
    shop.change()
    with caplog.at_level(logging.WARNING, "groundswell"), reaches(Mark.FILL_OF_A_GONE_EPOCH):
        shop.run.addView("sums", shop.frame("sums"))
    assert "is given up: epoch" in caplog.text and "is not kept any more" in caplog.text
    assert parts.taken() == list(range(filling.parts_of(shop.run.view("all_orders").count())))
    shop.check("sums")


@pytest.mark.soak
def test_other_partitions_begin_anew(
    shop: Shop, parts: Parts, caplog: pytest.LogCaptureFixture
) -> None:
    shop.begin(partitions=2)
    cut_off(shop, parts, 3)
    with caplog.at_level(logging.WARNING, "groundswell"):
        shop.run.rescale(3)
    assert "is given up: states have 3 partitions now, and had 2" in caplog.text
    assert leases(shop) == []
    shop.run.addView("sums", shop.frame("sums"))
    assert parts.taken()[0] == 0
    shop.check("sums")


def test_a_view_that_is_dropped_leaves_nothing(shop: Shop, parts: Parts) -> None:
    shop.begin()
    cut_off(shop, parts, 3)
    query = shop.run._query
    assert files_of(shop, "sums") and leases(shop)
    shop.run.dropView("sums")
    assert shop.run._query is query, "nothing had to start again"
    assert files_of(shop, "sums") == [] and leases(shop) == []
    assert shop.run.status["unfinished"] == []
    shop.run.addView("sums", shop.frame("sums"))
    assert parts.taken() == list(range(SUMS))
    shop.check("sums")


def test_what_nobody_goes_on_with_is_removed(
    shop: Shop, parts: Parts, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The hourly look at what is left finds that its time is over."""
    shop.begin(fillLease="1 second")
    cut_off(shop, parts, 3)
    for name in leases(shop):
        Path(shop.location, "groundswell", "leases", name).unlink()
    assert files_of(shop, "sums")
    monkeypatch.setattr("groundswell.runtime.gc.orphans.EVERY_SECONDS", -1.0)
    shop.change()
    assert files_of(shop, "sums") == []
    shop.run.addView("sums", shop.frame("sums"))
    assert parts.taken() == list(range(SUMS))
    shop.check("sums")


def test_a_row_that_fails_is_not_met_again(shop: Shop, parts: Parts) -> None:
    """The fill would take the same row of the same epoch again, so it begins anew."""
    shop.begin()
    shop.orders.upsert(shop.session.createDataFrame([(500, 1, 1000)], ORDERS))
    shop.run.processAllAvailable()
    shares = shop.session.sql("SELECT id, 60 DIV (amount - 1000) share FROM orders")
    with pytest.raises(gs.RowFailed):
        shop.run.addView("shares", shares)
    assert shop.run.status["unfinished"] == [] and leases(shop) == []
    shop.orders.delete(shop.session.createDataFrame([(500,)], "id bigint"))
    shop.run.processAllAvailable()
    shop.run.addView("shares", shares)


@pytest.mark.soak
def test_a_later_run_has_the_fill(shop: Shop, parts: Parts) -> None:
    """One that was followed while it fills notes nothing more, and ends."""
    shop.begin()

    def follow(number: int) -> None:
        if number == 2:
            home = jvm.JvmFolder.open(shop.session, shop.location).child(FOLDER)
            BackfillLog(home, "another process").change(shop.run.ownerToken + 1, tuple)

    parts.act = follow
    with pytest.raises(Fenced, match="of another process has the fills"):
        shop.run.addView("sums", shop.frame("sums"))
    assert parts.taken() == [0, 1, 2]


def test_a_query_that_is_stopped_says_where_it_goes_on(shop: Shop, parts: Parts) -> None:
    shop.begin()
    stopping = threading.Thread(target=lambda: shop.run.stop())
    parts.act = lambda number: stopping.start() if number == 3 else None
    with pytest.raises(gs.IllegalState, match=r"add it again if you want it, and it goes on at"):
        shop.run.addView("sums", shop.frame("sums"))
    stopping.join()
    done = parts.taken()
    parts.go_on()
    shop.start()
    shop.run.addView("sums", shop.frame("sums"))
    assert done and parts.taken()[-1] == SUMS - 1
    shop.check("sums")
