"""What stands in a checkpoint: what readers find there, what is let go, what is refused."""

from pathlib import Path
from typing import Any

import pytest
from pyspark.errors import StreamingQueryException
from pyspark.sql import SparkSession

from provider.cases import totals
from provider.events import one
from provider.joins import joined
from provider.processors import forgetful
from provider.replay import OURS, Case, Replay, replay

STATE_STORE = "spark.sql.streaming.stateStore."


def read_state(spark: SparkSession, run: Replay, **options: str) -> list[tuple[Any, ...]]:
    reader = spark.read.format("statestore")
    for key, value in options.items():
        reader = reader.option(key, value)
    rows = reader.load(str(run.checkpoint)).collect()
    return sorted(((row.key[0], *row.value) for row in rows), key=repr)


def test_the_state_data_source_reads_any_retained_batch(
    stores: SparkSession, tmp_path: Path
) -> None:
    case = Case(one(batches=4), totals, "update")
    (run,) = replay(stores, case, tmp_path, OURS)
    state: dict[str, tuple[Any, ...]] = {}
    for batch, rows in sorted(run.rows.items()):
        state.update({row[0]: row for row in rows})
        expected = sorted(state.values(), key=repr)
        assert read_state(stores, run, batchId=str(batch)) == expected
    before = run.state_files("*")
    assert len(read_state(stores, run)) == len(state)
    assert run.state_files("*") == before, "reading wrote into the checkpoint"


def test_the_state_data_source_reads_the_stores_of_a_join(
    stores: SparkSession, tmp_path: Path
) -> None:
    (run,) = replay(stores, joined("inner"), tmp_path, OURS)
    for side in ("left", "right"):
        reader = stores.read.format("statestore").option("joinSide", side)
        rows = reader.load(str(run.checkpoint)).collect()
        assert rows
        assert {row.value.k for row in rows} <= {f"key-{i}" for i in range(8)} | {None}


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("groundswell.blokBytes", "4096", "blokBytes = 4096: known options are"),
        ("groundswell.bitsPerKey", "many", "bitsPerKey = many: a whole number is wanted"),
    ],
)
def test_wrong_options_end_the_query_with_their_name(
    stores: SparkSession, tmp_path: Path, key: str, value: str, message: str
) -> None:
    case = Case(one(batches=2), totals, "update", {STATE_STORE + key: value})
    with pytest.raises(StreamingQueryException, match=message):
        replay(stores, case, tmp_path, OURS)
    assert not list(tmp_path.rglob("*.commit"))


def test_avro_state_is_refused_with_the_way_out(stores: SparkSession, tmp_path: Path) -> None:
    confs = {STATE_STORE + "encodingFormat": "avro"}
    case = Case(one(batches=2), forgetful, "update", confs)
    with pytest.raises(StreamingQueryException, match="set it to unsaferow"):
        replay(stores, case, tmp_path, OURS)
