"""A pipeline's life: restarts, repeated batches, changed definitions, retention, other readers."""

from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

import groundswell as gs
from groundswell.runtime.record import definition
from incremental.harness import Table, Tables, Upserts, bag, home, newest_stores, one_barrier

VOTES = "id bigint, story bigint, w double"


@pytest.fixture
def votes(session: SparkSession, tmp_path: Path) -> Table:
    return Table(session, tmp_path, "votes", VOTES)


def vote(i: int, story: int = 0, w: float = 1.0) -> dict[str, Any]:
    return {"id": i, "story": story, "w": w}


def counts(votes: Table) -> Any:
    return votes.stream().groupBy("story").count().incremental()


def run_once(frame: Any, location: Path, name: str = "counts", **options: Any) -> list[Any]:
    writer = frame.writeStream.trigger(availableNow=True).options(**options)
    query = writer.option("checkpointLocation", str(location)).toView(name)
    query.awaitTermination()
    return list(query.recentProgress)


def read(session: SparkSession, location: Path, epoch: int | None = None) -> Counter[Any]:
    return bag(gs.read_view(session, str(location), "counts", epoch))


def test_a_restart_continues_exactly(session: SparkSession, votes: Table, tmp_path: Path) -> None:
    location = tmp_path / "checkpoint"
    votes.put([vote(1, 1), vote(2, 2)])
    assert [p["epoch"] for p in run_once(counts(votes), location)] == [0]
    votes.put([vote(3, 1)])
    assert [p["epoch"] for p in run_once(counts(votes), location)] == [1]
    assert run_once(counts(votes), location) == []
    assert read(session, location) == Counter({(1, 2): 1, (2, 1): 1})
    assert read(session, location, 0) == Counter({(1, 1): 1, (2, 1): 1})


def test_a_batch_that_spark_repeats_is_delivered_again_but_not_computed_again(
    session: SparkSession, votes: Table, tmp_path: Path
) -> None:
    location = tmp_path / "checkpoint"
    seen: list[Any] = []

    def sink(frame: Any, epoch: int) -> None:
        seen.append((epoch, sorted(map(tuple, frame.collect()))))

    def once() -> Any:
        query = (
            counts(votes)
            .writeStream.trigger(availableNow=True)
            .foreachBatch(sink)
            .option("checkpointLocation", str(location))
            .toView("counts")
        )
        query.awaitTermination()
        return query.recentProgress

    votes.put([vote(1, 1), vote(2, 2)])
    once()
    before = read(session, location)
    (location / "commits" / "0").unlink()  # as if the process had died before Spark noted the end
    (again,) = once()
    assert again["computed"] is False
    assert seen == [(0, [(1, 1, "insert"), (2, 1, "insert")])] * 2
    assert read(session, location) == before


def test_a_failing_sink_ends_the_query_and_is_delivered_after_the_restart(
    session: SparkSession, votes: Table, tmp_path: Path
) -> None:
    location = tmp_path / "checkpoint"
    votes.put([vote(1, 1)])

    def broken(frame: Any, epoch: int) -> None:
        raise OSError("no such database")

    query = (
        counts(votes)
        .writeStream.foreachBatch(broken)
        .option("checkpointLocation", str(location))
        .toView("counts")
    )
    with pytest.raises(gs.PipelineFailed, match="OSError: no such database") as failed:
        query.processAllAvailable()
    assert isinstance(failed.value.__cause__, OSError)
    assert isinstance(query.exception(), gs.PipelineFailed)
    seen: list[Any] = []
    again = (
        counts(votes)
        .writeStream.trigger(availableNow=True)
        .foreachBatch(lambda frame, epoch: seen.append((epoch, frame.count())))
        .option("checkpointLocation", str(location))
        .toView("counts")
    )
    again.awaitTermination()
    assert seen == [(0, 1)]


def test_another_definition_is_refused_with_the_difference(
    session: SparkSession, votes: Table, tmp_path: Path
) -> None:
    location = tmp_path / "checkpoint"
    votes.put([vote(1, 1)])
    run_once(counts(votes), location)
    other = votes.stream().where("w > 2").groupBy("story").count().incremental()
    with pytest.raises(gs.DefinitionChanged, match=r"(?s)view counts:\n.*\+ .*w > 2"):
        run_once(other, location)
    with pytest.raises(gs.DefinitionChanged, match="view counts is gone"):
        run_once(counts(votes), location, name="others")
    session.conf.set("spark.sql.session.timeZone", "Asia/Tokyo")
    with pytest.raises(gs.DefinitionChanged, match=r"timezone.*was 'UTC', is 'Asia/Tokyo'"):
        run_once(counts(votes), location)
    session.conf.set("spark.sql.session.timeZone", "UTC")
    session.conf.set("spark.sql.shuffle.partitions", "3")  # pinned by the first start
    try:
        votes.put([vote(2, 1)])
        run_once(counts(votes), location)
    finally:
        session.conf.set("spark.sql.shuffle.partitions", "2")
    assert read(session, location) == Counter({(1, 2): 1})
    begun = definition.load(home(location))
    assert begun is not None and begun.partitions == 2


@pytest.mark.rest
def test_tasks_are_as_many_as_cores_whatever_the_partitions(
    session: SparkSession, votes: Table, tmp_path: Path
) -> None:
    tracker = session.sparkContext.statusTracker()
    tasks = []
    for i in (0, 20):
        votes.put([vote(j, j % 7) for j in range(i, i + 20)])
        frame = votes.stream().groupBy("story", "w").count().groupBy("story").count()
        writer = frame.incremental().writeStream.trigger(availableNow=True).options(partitions=6)
        query = writer.option("checkpointLocation", str(tmp_path / "checkpoint")).toView("counts")
        query.awaitTermination()
        assert read(session, tmp_path / "checkpoint") == Counter({(s, 1): 1 for s in range(7)})
        for job in tracker.getJobIdsForGroup(str(query._query.runId)):
            stages = map(tracker.getStageInfo, tracker.getJobInfo(job).stageIds)
            tasks += [stage.numTasks for stage in stages]
    begun = definition.load(home(tmp_path / "checkpoint"))
    assert begun is not None and begun.partitions == 6
    run_once(frame.incremental(), tmp_path / "checkpoint", partitions=4)
    begun = definition.load(home(tmp_path / "checkpoint"))
    assert begun is not None and begun.partitions == 4
    assert max(tasks) == session.sparkContext.defaultParallelism == 2


@pytest.mark.rest
def test_rewound_or_lost_logs_are_noticed(
    session: SparkSession, votes: Table, tmp_path: Path
) -> None:
    location = tmp_path / "checkpoint"
    for i in range(2):
        votes.put([vote(i, 1)])
        run_once(counts(votes), location)
    kept = {path: path.read_bytes() for path in location.glob("*/1")}
    for path in kept:
        path.unlink()
    entry = location / "offsets" / "0"
    original = entry.read_bytes()
    entry.write_bytes(original.replace(b'"batchTimestampMs":1', b'"batchTimestampMs":2'))
    (location / "commits" / "0").unlink()
    with pytest.raises(gs.OffsetsRewound, match="offsets/0 is not the entry"):
        run_once(counts(votes), location)
    entry.write_bytes(original)
    for path, data in kept.items():
        path.write_bytes(data)
    for path in (location / "groundswell/epochs").iterdir():
        path.unlink()
    votes.put([vote(9, 9)])
    with pytest.raises(gs.EpochUnavailable, match="epoch 1 is not in"):
        run_once(counts(votes), location)


def count_votes(votes: Table, location: Path, barriers: int, **options: Any) -> None:
    """A view of counts, a vote in each barrier."""
    writer = counts(votes).writeStream.options(**options)
    query = writer.option("checkpointLocation", str(location)).toView("counts")
    for i in range(barriers):
        votes.put([vote(i, 1)])
        query.processAllAvailable()
    query.stop()


def test_old_epochs_are_retired(session: SparkSession, votes: Table, tmp_path: Path) -> None:
    location = tmp_path / "checkpoint"
    count_votes(votes, location, 6, retainEpochs=2, retireEvery=2)
    assert len(list((location / "groundswell/epochs").iterdir())) == 2
    assert read(session, location, 4) == Counter({(1, 5): 1})
    with pytest.raises(gs.EpochUnavailable, match="kept are 4 to 5"):
        read(session, location, 3)


@pytest.mark.rest
def test_state_that_only_barriers_read_keeps_no_older_versions(
    session: SparkSession, votes: Table, tmp_path: Path
) -> None:
    location = tmp_path / "checkpoint"
    # Versions go once no newer one refers to their files, so after a merge, due at 8 sub-levels.
    count_votes(votes, location, 14, retireEvery=7)
    assert read(session, location, 0) == Counter({(1, 1): 1})
    kept = {
        state.split("-")[0]: set(store.versions()) for state, store, _ in newest_stores(location)
    }
    assert kept == {"view": set(range(1, 15)), "aggregate": kept["aggregate"]}
    assert max(kept["aggregate"]) == 14
    assert kept["aggregate"].isdisjoint({1, 2})
    votes.put([vote(15, 1)])
    run_once(counts(votes), location)
    assert read(session, location) == Counter({(1, 15): 1})


GROWTH = """select s.owner, count(*) n, sum(v.w) t, max(v.w) m from votes v
    join stories s on v.story = s.id group by s.owner order by n desc, owner limit 3"""


@pytest.mark.rest
def test_rows_read_do_not_grow_with_the_tables(session: SparkSession, tmp_path: Path) -> None:
    def reads(scale: int) -> list[int]:
        folder = tmp_path / f"scale-{scale}"
        folder.mkdir()
        votes = Table(session, folder, "votes", VOTES)
        stories = Upserts(session, folder, "stories", "id bigint, owner bigint, score double", "id")
        Tables(votes, stories).as_sources()
        stories.put([{"id": i, "owner": i % (10 * scale)} for i in range(100 * scale)])
        votes.put([vote(i, i % (100 * scale), i / 7) for i in range(300 * scale)])
        query = (
            session.sql(GROWTH)
            .incremental()
            .writeStream.option("checkpointLocation", str(folder / "c"))
            .toView("v")
        )
        query.processAllAvailable()
        with one_barrier(query):
            stories.put([{"id": 1, "owner": 5}, {"id": 2, "gone": True}])
            votes.put([vote(-i, i, i / 3) for i in range(5)])
        query.processAllAvailable()
        query.stop()
        return [p["stateReads"] for p in query.recentProgress]

    small, large = reads(1), reads(10)
    assert large[0] > 5 * small[0], "the first barrier reads more where there is more"
    assert 0 < large[1] <= small[1], f"a barrier of 7 rows read {small[1]}, then {large[1]} rows"
