"""Checkpoints at every k-th barrier, with Spark: who sees what when, and what a restart does."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

import groundswell as gs
from cases import first_of
from groundswell.state.read import view_to_arrow
from incremental.harness import Table, bag, published

SCHEMA = "id bigint, g int, w bigint"


@pytest.fixture
def items(session: SparkSession, tmp_path: Path) -> Table:
    return Table(session, tmp_path, "items", SCHEMA)


def put(items: Table, *ids: int) -> None:
    items.put([{"id": i, "g": i % 3, "w": i} for i in ids])


class Sink:
    """Notes what it was given."""

    def __init__(self) -> None:
        self.given: list[tuple[int, list[Any]]] = []

    def __call__(self, changes: Any, epoch: int) -> None:
        self.given.append((epoch, sorted(map(tuple, changes.collect()))))

    @property
    def epochs(self) -> list[int]:
        return [epoch for epoch, _ in self.given]


def pipeline(items: Table, location: Path, sink: Any = None, **options: Any) -> gs.Pipeline:
    p = gs.pipeline(items.spark, str(location), **options)
    source = items.source()
    p.view("sums", source.groupBy("g").agg({"w": "sum", "id": "count"}), sink)
    p.createTempViews()
    p.view("top", items.spark.sql("select * from sums order by `sum(w)` desc, g limit 2"))
    return p


def durable(location: Path) -> list[int]:
    """What every other process sees."""
    return published(location)


def state_objects(location: Path) -> int:
    state = location / "groundswell" / "state"
    return len([*state.rglob("*.commit"), *state.rglob("*.pack")])


def sums(*ids: int) -> dict[int, tuple[int, int]]:
    return {
        g: (sum(i for i in ids if i % 3 == g), sum(1 for i in ids if i % 3 == g))
        for g in {i % 3 for i in ids}
    }


def read(session: SparkSession, location: Path, epoch: int | None = None) -> dict[int, Any]:
    rows = gs.read_view(session, str(location), "sums", epoch).collect()
    return {row["g"]: (row["sum(w)"], row["count(id)"]) for row in rows}


def test_barriers_between_checkpoints_are_seen_here_and_nowhere_else(
    session: SparkSession, items: Table, tmp_path: Path
) -> None:
    location, sink = tmp_path / "c", Sink()
    run = pipeline(items, location, sink, checkpointEvery=3).start()
    ids: list[int] = []
    written = []
    for barrier in range(5):
        ids += [2 * barrier, 2 * barrier + 1]
        put(items, *ids[-2:])
        run.processAllAvailable()
        assert read(session, location) == sums(*ids)
        snapshot = run.snapshot()
        assert snapshot.epoch == barrier
        best = sorted(((w, g) for g, (w, _) in sums(*ids).items()), key=lambda r: (-r[0], r[1]))
        assert sorted(snapshot["top"].select("sum(w)", "g").collect()) == sorted(best[:2])
        assert durable(location) == sink.epochs == ([0] if barrier < 3 else [0, 1, 2, 3])
        written.append(state_objects(location))
    assert written[0] == written[1] == written[2] < written[3] == written[4]
    assert [p["durable"] for p in run.recentProgress] == [True, False, False, True, False]
    assert read(session, location, 1) == sums(*ids[:4])
    assert view_to_arrow(str(location), "sums").num_rows == len(sums(*ids[:8]))
    assert [gs.lookup(session, str(location), "sums", g)[0]["sum(w)"] for g in range(3)] == [
        sums(*ids)[g][0] for g in range(3)
    ]
    run.stop()
    assert durable(location) == sink.epochs == [0, 1, 2, 3, 4]
    assert read(session, location) == sums(*ids)
    rows = view_to_arrow(str(location), "sums").to_pylist()
    assert {r["g"]: (r["sum(w)"], r["count(id)"]) for r in rows} == sums(*ids)


def copy_of(location: Path, to: Path) -> Path:
    """What ``kill -9`` would leave at this moment, in the place of the location."""
    shutil.copytree(location, to)
    return to


def instead(location: Path, copy: Path) -> None:
    shutil.rmtree(location)
    copy.rename(location)


@pytest.mark.parametrize("k_after", first_of([4, 1]))
def test_a_restart_goes_on_from_the_last_checkpoint(
    session: SparkSession, items: Table, tmp_path: Path, k_after: int
) -> None:
    location, sink = tmp_path / "c", Sink()
    run = pipeline(items, location, sink, checkpointEvery=4).start()
    for barrier in range(7):  # checkpoints at 0 and 4
        put(items, barrier)
        run.processAllAvailable()
    copy = copy_of(location, tmp_path / "copy")
    run.stop()
    instead(location, copy)
    seen = sink.given[:5]
    sink.given = list(seen)
    assert durable(location) == [0, 1, 2, 3, 4]
    assert {int(p.name) for p in (location / "commits").glob("[0-9]*")} == set(range(7))
    run = pipeline(items, location, sink, checkpointEvery=k_after).start(availableNow=True)
    run.awaitTermination()
    replayed = [p["epoch"] for p in run.recentProgress]
    assert replayed == [5, 6], "epoch 5 as it was, then all that was there at the restart"
    assert read(session, location) == sums(*range(7))
    assert read(session, location, 5) == sums(*range(6))
    assert sink.given[:5] == seen
    assert sink.epochs == [0, 1, 2, 3, 4, 5, 6]
    assert len(list((location / "groundswell").glob("checkpoint*"))) == (k_after > 1)


@pytest.mark.rest
def test_a_sink_that_fails_is_given_the_rest_by_the_next_start(
    session: SparkSession, items: Table, tmp_path: Path
) -> None:
    location, sink = tmp_path / "c", Sink()

    def fails_at_2(changes: Any, epoch: int) -> None:
        if epoch == 2:
            raise OSError("no such database")
        sink(changes, epoch)

    run = pipeline(items, location, fails_at_2, checkpointEvery=3).start()
    for barrier in range(3):
        put(items, barrier)
        run.processAllAvailable()
    put(items, 3)
    with pytest.raises(gs.PipelineFailed, match="no such database"):
        run.processAllAvailable()
    run.stop()
    assert durable(location) == [0, 1, 2], "what follows an epoch without its delivery waits"
    assert sink.epochs == [0, 1]
    run = pipeline(items, location, sink, checkpointEvery=3).start(availableNow=True)
    run.awaitTermination()
    assert [(p["epoch"], p["computed"]) for p in run.recentProgress] == [(2, False), (3, True)]
    assert sink.epochs == [0, 1, 2, 3]
    assert read(session, location) == sums(0, 1, 2, 3)


@pytest.mark.rest
def test_a_barrier_that_fails_leaves_the_epochs_before_it(
    session: SparkSession, items: Table, tmp_path: Path
) -> None:
    location, sink = tmp_path / "c", Sink()
    session.conf.set("spark.sql.ansi.enabled", "true")
    p = gs.pipeline(session, str(location), checkpointEvery=10)
    p.view("inverse", items.source().selectExpr("id", "100 div w q"), sink)
    run = p.start()
    for barrier in range(1, 4):
        put(items, barrier)
        run.processAllAvailable()
    assert durable(location) == [0]
    put(items, 0)
    with pytest.raises(gs.GroundswellError, match="DIVIDE_BY_ZERO"):
        run.processAllAvailable()
    assert durable(location) == sink.epochs == [0, 1, 2]
    assert bag(gs.read_view(session, str(location), "inverse")) == {
        (1, 100): 1,
        (2, 50): 1,
        (3, 33): 1,
    }


@pytest.mark.rest
def test_views_are_added_between_checkpoints(
    session: SparkSession, items: Table, tmp_path: Path
) -> None:
    location = tmp_path / "c"
    p = pipeline(items, location, checkpointEvery=5)
    run = p.start()
    for barrier in range(3):
        put(items, barrier)
        run.processAllAvailable()
    run.addView("wide", p.read("sums").where("`count(id)` > 0").select("g"))
    assert durable(location) == [0, 1, 2]
    assert bag(run.view("wide")) == {(0,): 1, (1,): 1, (2,): 1}
    put(items, 3)
    run.processAllAvailable()
    run.stop()
    assert read(session, location) == sums(0, 1, 2, 3)


@pytest.mark.rest
def test_a_run_that_is_stopped_twice_leaves_the_next_one_alone(
    session: SparkSession, items: Table, tmp_path: Path
) -> None:
    old = pipeline(items, tmp_path / "c", checkpointEvery=10).start()
    put(items, 0)
    old.processAllAvailable()
    old.stop()
    new = pipeline(items, tmp_path / "c", checkpointEvery=10).start()
    for barrier in (1, 2, 3):
        put(items, barrier)
        new.processAllAvailable()
    old.stop()
    assert read(session, tmp_path / "c") == sums(0, 1, 2, 3)
    new.stop()


def test_tables_keep_their_writes_until_a_checkpoint_has_them(
    session: SparkSession, tmp_path: Path
) -> None:
    location = tmp_path / "c"
    rows = location / "groundswell" / "tables" / "votes" / "rows"

    def start(**trigger: Any) -> tuple[Any, Any]:
        p = gs.pipeline(session, str(location), checkpointEvery=3)
        votes = p.table("votes", "id bigint, n bigint", key="id")
        p.view("total", votes.df.groupBy().sum("n"))
        return votes, p.start(**trigger)

    votes, run = start()
    for i in range(5):  # checkpoints at 0 and 3
        votes.upsert(session.createDataFrame([(i % 2, i)], "id bigint, n bigint"))
        run.processAllAvailable()
    assert len(list(rows.glob("*.parquet"))) == 4, "that of epoch 0 is gone since epoch 3"
    copy = copy_of(location, tmp_path / "copy")
    run.stop()
    instead(location, copy)
    _, run = start(availableNow=True)
    run.awaitTermination()
    assert gs.read_view(session, str(location), "total").collect()[0][0] == 3 + 4
    assert len(list(rows.glob("*.parquet"))) == 1, "that of the last checkpoint"


@pytest.mark.parametrize("value", [0, -1, True, "often", 1.5])
def test_a_value_that_is_no_count_is_refused(
    session: SparkSession, tmp_path: Path, value: Any
) -> None:
    with pytest.raises(gs.ConfigurationError, match="checkpointEvery must be a whole number"):
        gs.pipeline(session, str(tmp_path / "c"), checkpointEvery=value)


@pytest.mark.rest
def test_more_than_spark_keeps_offsets_of_is_refused(
    session: SparkSession, items: Table, tmp_path: Path
) -> None:
    p = pipeline(items, tmp_path / "c", checkpointEvery=100)
    with pytest.raises(gs.ConfigurationError, match="keeps the offsets of 100 barriers only"):
        p.start()
    assert not (tmp_path / "c").exists()


@pytest.mark.rest
def test_sources_that_delete_what_they_have_read_are_refused(
    session: SparkSession, items: Table, tmp_path: Path
) -> None:
    cleaned = (
        session.readStream.schema(SCHEMA).option("CLEANSOURCE", "Delete").json(str(items.folder))
    )
    p = gs.pipeline(session, str(tmp_path / "c"), checkpointEvery=2)
    p.view("all", gs.appends(cleaned, name="items"))
    with pytest.raises(gs.ConfigurationError, match=r"source items deletes .*\(cleanSource\)"):
        p.start()
    assert not (tmp_path / "c").exists()


@pytest.mark.rest
def test_without_the_option_nothing_is_written_about_checkpoints(
    session: SparkSession, items: Table, tmp_path: Path
) -> None:
    location = tmp_path / "c"
    put(items, 1)
    run = pipeline(items, location).start(availableNow=True)
    run.awaitTermination()
    names = {path.name for path in (location / "groundswell").iterdir()}
    assert names == {
        f"definition-{1:020d}.json",
        f"graph-{1:020d}.json",
        "epochs",
        "owners",
        "state",
    }
    (manifest,) = (location / "groundswell" / "epochs").iterdir()
    assert "heckpoint" not in json.dumps(json.loads(manifest.read_text()))


@pytest.mark.rest
def test_offsets_of_a_run_that_was_followed_are_not_run(
    session: SparkSession, items: Table, tmp_path: Path
) -> None:
    """It goes on when the run that followed it has ended, and creates the next entry."""
    location, sink = tmp_path / "c", Sink()
    run = pipeline(items, location, sink, checkpointEvery=4).start()
    for barrier in range(3):  # a checkpoint at 0
        put(items, barrier)
        run.processAllAvailable()
    planned = 2
    copy = copy_of(location, tmp_path / "copy")
    run.stop()
    instead(location, copy)
    put(items, 3)
    run = pipeline(items, location, sink).start(availableNow=True)
    run.awaitTermination()
    assert durable(location)[-1] == planned
    [note] = (location / "groundswell").glob("doubtful-*.json")
    assert f'"offsets":[{planned + 1}]' in note.read_text()
    offsets = location / "offsets"
    old = (offsets / str(planned - 1)).read_bytes()  # other offsets than those that follow
    (offsets / str(planned + 1)).write_bytes(old)
    put(items, 4)
    run = pipeline(items, location, sink).start(availableNow=True)
    run.awaitTermination()
    assert [p["epoch"] for p in run.recentProgress] == [planned + 1, planned + 2]
    assert (offsets / str(planned + 1)).read_bytes() == (offsets / str(planned)).read_bytes()
    assert read(session, location) == sums(*range(5))
    assert read(session, location, planned + 1) == sums(*range(4))
    pipeline(items, location, sink).start(availableNow=True).awaitTermination()
    assert not list((location / "groundswell").glob("doubtful-*.json")), "its epoch is published"
