"""A query that changes its state store, or its number of partitions, in the middle of its life."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyspark
import pytest
from pyspark.sql import DataFrame, Row, SparkSession
from pyspark.sql import functions as F

import groundswell as gs
from groundswell import errors
from groundswell.cli.main import main
from groundswell.migrate.run import import_checkpoint, rescale
from provider.cases import CASES
from provider.processors import OUTPUT, Forgetful, forgetful
from provider.replay import OURS, ROCKSDB, Case, Replay

pytestmark = pytest.mark.rest

HDFS = "org.apache.spark.sql.execution.streaming.state.HDFSBackedStateStoreProvider"


def half_and_half(spark: SparkSession, case: Case, folder: Path, provider: str) -> Replay:
    """A query that has seen the first half of its input."""
    run = Replay(spark, case, provider, folder)
    run.arrive(0, batches(case) // 2)
    run.ended(run.start())
    return run


def finish(run: Replay, case: Case) -> None:
    run.arrive(batches(case) // 2, batches(case))
    run.ended(run.start())


def batches(case: Case) -> int:
    return max(len(source.batches) for source in case.sources.values())


FORMAT_4 = pytest.mark.skipif(pyspark.__version__ < "4.3", reason="Spark 4.2 has no such format")
TIMERS = "transformWithStateInPandas, timers"
EXPIRY = "transformWithStateInPandas, time to live, checkpoint format 2"
MOVES = [
    ("aggregation, checkpoint format 2", ROCKSDB, 3),
    ("full outer join, state format 2", ROCKSDB, 5),
    ("session windows", HDFS, 3),
    (TIMERS, OURS, 5),
    (f"{TIMERS}, avro", ROCKSDB, 3),
    pytest.param("left outer join, state format 4", ROCKSDB, 3, marks=FORMAT_4),
    *(
        pytest.param(*move, marks=pytest.mark.soak)
        for move in [
            ("aggregation, update", ROCKSDB, None),
            ("aggregation, update", HDFS, 5),
            ("inner join, state format 2", HDFS, None),
            ("inner join, state format 3", ROCKSDB, 5),
            ("full outer join, state format 4", OURS, 5),
            (f"{TIMERS}, avro", OURS, 5),
            ("dropDuplicatesWithinWatermark", ROCKSDB, 3),
            ("windows over deduplication", OURS, 1),
            ("applyInPandasWithState", OURS, 5),
            (TIMERS, ROCKSDB, None),
            (EXPIRY, ROCKSDB, 5),
        ]
    ),
]
# Else the batch without data after the last rows lets all state expire before it can be moved.
LASTING = {"spark.sql.streaming.noDataMicroBatches.enabled": "false"}


@pytest.mark.parametrize(("name", "provider", "partitions"), MOVES, ids=str)
def test_a_moved_query_goes_on_as_if_nothing_had_happened(
    stores: SparkSession, tmp_path: Path, name: str, provider: str, partitions: int | None
) -> None:
    case = CASES[name]
    case = replace(case, confs={**case.confs, **LASTING})
    stayed = half_and_half(stores, case, tmp_path / "stayed", provider)
    moved = half_and_half(stores, case, tmp_path / "moved", provider)
    new = tmp_path / "moved" / "new"
    if partitions is None:
        done = import_checkpoint(stores, str(moved.checkpoint), str(new))
    else:
        done = rescale(stores, str(moved.checkpoint), str(new), partitions)
    assert done.provider.endswith(provider.split(".")[-1])
    assert sum(done.rows.values()) > 0
    before = len(moved.progress)
    moved.checkpoint = new
    finish(stayed, case)
    finish(moved, case)
    assert moved.rows == stayed.rows
    assert moved.pinned_provider() == OURS
    if partitions is not None:
        after = {o.numShufflePartitions for p in moved.progress[before:] for o in p.stateOperators}
        assert after <= {partitions, 1}
    totals = [
        [o.numRowsTotal for o in p.stateOperators]
        for p in (stayed.progress[-1], moved.progress[-1])
    ]
    assert totals[0] == totals[1]


@pytest.mark.parametrize("name", ["aggregation, update", "limit"])
def test_one_partition_can_become_several_again(
    stores: SparkSession, tmp_path: Path, name: str
) -> None:
    case = replace(CASES[name], confs={**CASES[name].confs, **LASTING})
    stayed = half_and_half(stores, case, tmp_path / "stayed", OURS)
    moved = half_and_half(stores, case, tmp_path / "moved", OURS)
    for partitions in (1, 3):
        new = tmp_path / "moved" / str(partitions)
        done = rescale(stores, str(moved.checkpoint), str(new), partitions)
        assert set(done.partitions.values()) == {1 if name == "limit" else partitions}
        moved.checkpoint = new
    finish(stayed, case)
    finish(moved, case)
    assert moved.rows == stayed.rows


def by_two(streams: dict[str, DataFrame]) -> DataFrame:
    """As `forgetful`, by two columns of which one is a struct and has a name that Spark uses."""
    grouped = streams["events"].withColumn("key", F.struct("k", F.lit(1).alias("n")))
    return grouped.groupBy("k", "key").transformWithStateInPandas(
        Forgetful(), OUTPUT, "Update", "ProcessingTime"
    )


def named(row: Any) -> str:
    """The grouping column ``k`` somewhere in a key row."""
    return row["k"] if "k" in row else named(row.get("elementKey") or row["key"])


@pytest.mark.parametrize("build", [forgetful, by_two])
def test_all_tables_of_a_key_move_to_one_partition(
    stores: SparkSession, tmp_path: Path, build: Callable[[dict[str, DataFrame]], DataFrame]
) -> None:
    case = replace(CASES[EXPIRY], build=build)
    run = half_and_half(stores, case, tmp_path / "q", OURS)
    rescale(stores, str(run.checkpoint), str(tmp_path / "new"), 5)
    expected = {row["k"]: row["p"] for row in places(stores, case, build, 5)}
    for name in ("count", "recent", "by_value"):
        for table in (name, f"$ttl_{name}"):
            rows = gs.read_state(tmp_path / "new", table=table).to_pylist()
            assert rows
            assert {(named(r["key"]), r["partition_id"]) for r in rows} == set(expected.items())


def places(
    spark: SparkSession, case: Case, build: Callable[..., DataFrame], partitions: int
) -> list[Row]:
    """Where Spark sends the keys of the first half."""
    [source] = case.sources.values()
    keys = {r["k"] for rows in source.batches[: batches(case) // 2] for r in rows}
    rows = spark.createDataFrame([(k,) for k in keys], "k string")
    by = [F.col("k"), *([F.struct("k", F.lit(1))] if build is by_two else [])]
    return rows.select("k", F.pmod(F.hash(*by), F.lit(partitions)).alias("p")).collect()


def test_moves_of_one_session_do_not_share_row_encoders(
    stores: SparkSession, tmp_path: Path
) -> None:
    """Spark keeps RocksDB's row encoders by run, operator and table: each move is a run."""
    for number, name in enumerate(["aggregation, update", "dropDuplicatesWithinWatermark"]):
        case = replace(CASES[name], confs={**CASES[name].confs, **LASTING})
        run = half_and_half(stores, case, tmp_path / str(number), ROCKSDB)
        new = tmp_path / str(number) / "new"
        done = import_checkpoint(stores, str(run.checkpoint), str(new))
        moved = gs.read_state(new)
        assert moved.num_rows == sum(done.rows.values()) > 0
        old = stores.read.format("statestore").load(str(run.checkpoint)).toArrow()
        assert sorted(map(str, moved.select(["key", "value"]).to_pylist())) == sorted(
            map(str, old.select(["key", "value"]).to_pylist())
        )


def test_the_command_line_shows_and_moves(
    stores: SparkSession, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    case = CASES["aggregation, update"]
    run = half_and_half(stores, case, tmp_path / "q", OURS)
    assert main(["inspect", str(run.checkpoint)]) == 0
    report = capsys.readouterr().out
    assert "operator 0 (stateStoreSave), 2 partitions" in report
    rows = run.progress[-1].stateOperators[0].numRowsTotal
    assert f" {rows}  " in next(line for line in report.splitlines() if " all " in line)
    assert main(["inspect", str(run.checkpoint), "--store", "0/1"]) == 0
    detail = capsys.readouterr().out
    assert "█" in detail
    assert f"table default: {gs.read_state(run.checkpoint, partition=1).num_rows:,} live" in detail
    assert main(["inspect", str(run.checkpoint), "--store", "0/7"]) == 1
    assert "has partitions 0 to 1, not 7" in capsys.readouterr().err
    assert main(["inspect", str(tmp_path / "nothing")]) == 1


def test_what_cannot_be_moved_is_refused_before_anything_is_written(
    stores: SparkSession, tmp_path: Path
) -> None:
    run = half_and_half(stores, CASES["aggregation, update"], tmp_path / "q", ROCKSDB)
    new = tmp_path / "new"
    with pytest.raises(errors.InvalidArgument, match="not a checkpoint of a stateful query"):
        import_checkpoint(stores, str(tmp_path), str(new))
    with pytest.raises(errors.InvalidArgument, match="0 partitions"):
        rescale(stores, str(run.checkpoint), str(new), 0)
    offsets = max((run.checkpoint / "offsets").glob("[0-9]*"), key=lambda path: int(path.name))
    pinned = offsets.read_text("utf-8")
    key = "spark.sql.streaming.stateStore.encodingFormat"
    assert f'"{key}":"unsaferow"' in pinned
    offsets.write_text(pinned.replace(f'"{key}":"unsaferow"', f'"{key}":"protobuf"'), "utf-8")
    with pytest.raises(errors.InvalidArgument, match="encoded as protobuf, which cannot be moved"):
        import_checkpoint(stores, str(run.checkpoint), str(new))
    offsets.write_text(pinned, "utf-8")
    assert not new.exists()
    new.mkdir()
    (new / "offsets").mkdir()
    with pytest.raises(errors.InvalidArgument, match="is not empty: it has offsets"):
        import_checkpoint(stores, str(run.checkpoint), str(new))
