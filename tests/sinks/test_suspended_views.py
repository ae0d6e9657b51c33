"""What takes the changes of a view that stood still gets the exact difference when it is back."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession

import groundswell as gs
from crash.images import images
from groundswell.runtime.record.location import FOLDER
from groundswell.runtime.record.sinks import known_sinks
from groundswell.state.documents import open_documents

pytestmark = pytest.mark.rest

SCHEMA = "id bigint, g bigint"
QUERY = "SELECT g, count(*) n FROM t GROUP BY g"


class File(gs.Sink):
    """Keeps rows and how far they are in one file: both change together, or neither."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.refuses = False

    def open(self, start: gs.SinkStart) -> None:
        self.start = start

    def recover(self) -> gs.SinkProgress | None:
        if not self.path.exists():
            return None
        token, epoch, _ = json.loads(self.path.read_text())
        return gs.SinkProgress(token, epoch)

    @property
    def rows(self) -> Counter[tuple[int, ...]]:
        _, _, rows = json.loads(self.path.read_text())
        return Counter({tuple(row): n for row, n in rows})

    def write(self, epoch: int, changes: gs.Changes) -> None:
        if self.refuses:
            raise gs.SinkError("out of order")
        self.new = self.rows if self.path.exists() else Counter()
        add_to(self.new, changes.frame)

    def commit(self, epoch: int) -> None:
        made = self.path.with_suffix(".new")
        rows = [[list(row), n] for row, n in self.new.items() if n]
        made.write_text(json.dumps([self.start.token, epoch, rows]))
        made.replace(self.path)


def add_to(rows: Counter[tuple[int, ...]], changes: DataFrame) -> None:
    for *row, change in changes.collect():
        rows[tuple(row)] += 1 if change in ("insert", "update_postimage") else -1


class Bench:
    """A pipeline whose epochs go at once; its target and what a function got are beside it."""

    def __init__(self, session: SparkSession, home: Path) -> None:
        self.session, self.home = session, home
        home.mkdir(exist_ok=True)
        self.sink = File(home / "target.json")
        self.told: Counter[tuple[int, ...]] = Counter()
        self.calls: list[int] = []

    def start(self, query: str = QUERY, **options: Any) -> None:
        self.pipeline = gs.pipeline(
            self.session, str(self.home / "p"), retainEpochs=2, retireEvery=1, **options
        )
        self.table = self.pipeline.table("t", SCHEMA, key="id")
        self.table.df.createOrReplaceTempView("t")
        self.pipeline.view("v", self.session.sql(query), foreachBatch=self.take)
        self.pipeline.view("other", self.session.sql("SELECT count(*) n FROM t"))
        self.run = self.pipeline.sink("file", "v", self.sink).start()

    def take(self, changes: DataFrame, epoch: int) -> None:
        self.calls.append(epoch)
        add_to(self.told, changes)

    def put(self, *rows: tuple[int, int]) -> None:
        self.table.upsert(self.session.createDataFrame(list(rows), SCHEMA))
        self.run.processAllAvailable()

    def away(self) -> None:
        """The view stands still for longer than epochs are kept."""
        self.run.suspend("v")
        for number in range(4):
            self.put((2, 6), (10 + number, 7))

    def view(self) -> Counter[tuple[int, ...]]:
        return Counter(tuple(row) for row in self.run.view("v").collect())

    def seen(self) -> tuple[Counter[tuple[int, ...]], Counter[tuple[int, ...]]]:
        return self.sink.rows, Counter({row: n for row, n in self.told.items() if n})

    def owes(self) -> set[str]:
        return set(known_sinks(open_documents(str(self.home / "p")).child(FOLDER)).told)


BEFORE = Counter({(5, 2): 1})
AFTER = Counter({(5, 1): 1, (6, 1): 1, (7, 4): 1})


@pytest.fixture
def bench(session: SparkSession, tmp_path: Path) -> Any:
    made = Bench(session, tmp_path / "home")
    made.start()
    made.put((1, 5), (2, 5))
    yield made
    made.run.stop()


def test_they_get_it_in_the_barrier_in_which_the_view_is_back(bench: Bench) -> None:
    for _ in range(2):  # epochs without changes are not even numbered in a target
        bench.put((1, 5), (2, 5))
    bench.away()
    assert bench.seen() == (BEFORE, BEFORE)
    bench.run.resume("v")
    assert bench.seen() == (AFTER, AFTER)
    assert bench.owes() == set()
    calls = len(bench.calls)
    bench.put((20, 8))
    assert bench.seen() == (bench.view(), bench.view())
    assert len(bench.calls) == calls + 1


def test_so_they_do_after_a_restart_and_of_another_query(bench: Bench) -> None:
    bench.away()
    bench.run.stop()
    bench.start()
    bench.put((2, 6))
    assert bench.seen() == (BEFORE, BEFORE)
    bench.run.replaceView(
        "v",
        bench.session.sql("SELECT g, count(*) n FROM t WHERE id < 13 GROUP BY g"),
        foreachBatch=bench.take,
    )
    wanted = Counter({(5, 1): 1, (6, 1): 1, (7, 3): 1})
    assert bench.view() == wanted
    assert bench.seen() == (wanted, wanted)


def test_its_rows_stay_until_a_sink_that_stopped_has_them(bench: Bench) -> None:
    bench.away()
    bench.sink.refuses = True
    bench.run.resume("v")
    assert bench.seen() == (BEFORE, AFTER)
    assert bench.owes() == {"v"}
    for number in range(4):
        bench.put((30 + number, 9))
    calls = len(bench.calls)
    bench.run.stop()
    with pytest.raises(gs.ConfigurationError, match="has yet to get what changed"):
        bench.start(partitions=7)
    bench.sink.refuses = False
    bench.start()
    wanted = AFTER + Counter({(9, 4): 1})
    assert bench.view() == wanted
    assert bench.seen() == (wanted, wanted)
    assert len(bench.calls) == calls, "the function has it"
    assert bench.owes() == set()


def test_a_crash_before_each_step_of_it(bench: Bench, tmp_path: Path) -> None:
    bench.away()
    told = Counter(bench.told)
    with images(bench.home, tmp_path) as taken:
        bench.run.resume("v")
    assert len(taken) >= 5, taken
    bench.run.stop()
    given = set()
    for image in taken:
        again = Bench(bench.session, image.place)
        again.told = Counter(told)
        begun = again.sink.rows
        again.start()
        if again.run.status["views"]["v"]["state"] == "suspended":
            assert again.seen() == (BEFORE, BEFORE), image.before
            again.run.resume("v")
        again.put((20, 8))
        wanted = AFTER + Counter({(8, 1): 1})
        assert again.view() == wanted, image.before
        assert again.sink.rows == wanted, image.before
        if begun == BEFORE:  # sinks come first: the function got nothing either
            assert again.seen()[1] == wanted, image.before
        given.add(begun == BEFORE)
        again.run.stop()
    assert given == {True, False}, "before and after the target has it"
