"""A real Delta table, without Spark: what tasks read of it, and what is refused."""

from __future__ import annotations

import datetime
import decimal
import random
from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from groundswell.errors import SourceError, SourceLost
from groundswell.sources.delta_reader import DeltaReader
from groundswell.sources.delta_table import inspect

deltalake = pytest.importorskip("deltalake", reason="not installed: pip install '.[delta]'")

FEED = {"delta.enableChangeDataFeed": "true"}


def make(path: Path, rows: pa.Table, feed: bool = True, **more: Any) -> Any:
    deltalake.write_deltalake(str(path), rows, configuration=FEED if feed else None, **more)
    return deltalake.DeltaTable(str(path))


def reader(path: Path, appends: bool | None = None, versions: int | None = None) -> DeltaReader:
    return DeltaReader(inspect(str(path), appends, versions, {}))


def read(of: DeltaReader, start: Any, end: Any) -> Counter[Any]:
    """The sum of the changes between two offsets, by row."""
    found: Counter[Any] = Counter()
    for part in of.partitions(start, end):
        for batch in of.read(part):
            for row in batch.to_pylist():
                sign = row.pop("_change_type", "insert") in ("insert", "update_postimage")
                found[repr(row)] += 1 if sign else -1
    return found


def rows(path: Path, version: int | None = None) -> Counter[Any]:
    table = deltalake.DeltaTable(str(path), version=version).to_pyarrow_table()
    return Counter(map(repr, table.to_pylist()))


def pairs(*ids: int) -> pa.Table:
    return pa.table({"id": pa.array(ids, pa.int64()), "v": [f"v{i}" for i in ids]})


@pytest.mark.parametrize("seed", range(4))
def test_a_snapshot_and_the_changes_behind_it_are_the_table(seed: int, tmp_path: Path) -> None:
    random_ = random.Random(seed)
    path = tmp_path / "t"
    by = ["v"] if seed % 2 else None
    make(path, pairs(1, 2, 2, 3), partition_by=by)
    source = reader(path, versions=random_.choice([None, 1, 2]))
    at, have = DeltaReader.BEGIN, Counter[Any]()
    for _ in range(6):
        for _ in range(random_.randrange(4)):
            table = deltalake.DeltaTable(str(path))
            i = random_.randrange(8)
            match random_.randrange(5):
                case 0:
                    table.delete(f"id = {i}")
                case 1:
                    table.update(updates={"v": f"'u{random_.randrange(9)}'"}, predicate=f"id = {i}")
                case 2:
                    deltalake.write_deltalake(str(path), pairs(i, i + 1), mode="append")
                case 3:
                    table.optimize.compact()
                case _:
                    deltalake.write_deltalake(str(path), pairs(i, 9), mode="overwrite")
        end = source.latestOffset(at, source.getDefaultReadLimit())
        have.update(read(source, at, end)) if end != at else None
        at = end
        source.commit(end)
        assert +have == rows(path, at["version"]), f"seed {seed}, version {at}"
        assert not -have


def test_types_are_those_that_spark_is_told(tmp_path: Path) -> None:
    when = datetime.datetime(2026, 1, 2, 3, 4, 5, 678901)
    row = {
        "s": [{"p": 1, "q": ["x", None]}, None],
        "ts": pa.array([when.replace(tzinfo=datetime.UTC), None], pa.timestamp("us", "UTC")),
        "ntz": pa.array([when, None], pa.timestamp("us")),
        "d": pa.array([decimal.Decimal("1.20"), None], pa.decimal128(10, 2)),
        "day": pa.array([when.date(), None]),
        "b": pa.array([b"\x00", None]),
        "f": pa.array([0.1, None], pa.float32()),
    }
    path = tmp_path / "t"
    table = make(path, pa.table(row))
    source = reader(path)
    assert source._plan.schema.simpleString() == (
        "struct<s:struct<p:bigint,q:array<string>>,ts:timestamp,ntz:timestamp_ntz,"
        "d:decimal(10,2),day:date,b:binary,f:float,_change_type:string>"
    )
    first = source.latestOffset(DeltaReader.BEGIN, source.getDefaultReadLimit())
    assert read(source, DeltaReader.BEGIN, first) == rows(path)
    table.delete()
    after = source.latestOffset(first, source.getDefaultReadLimit())
    assert read(source, first, after) == Counter({k: -n for k, n in rows(path, 0).items()})


def test_only_new_rows_of_a_table_without_a_feed(tmp_path: Path) -> None:
    path = tmp_path / "t"
    make(path, pairs(1), feed=False, partition_by=["v"])
    source = reader(path, appends=True)
    first = source.latestOffset(DeltaReader.BEGIN, source.getDefaultReadLimit())
    spaced = pa.table({"id": [5], "v": ["a b%c"]})
    deltalake.write_deltalake(str(path), spaced, mode="append")
    deltalake.write_deltalake(str(path), pairs(1), mode="append")
    deltalake.DeltaTable(str(path)).optimize.compact()  # version 3: no row is another
    after = source.latestOffset(first, source.getDefaultReadLimit())
    found = read(source, DeltaReader.BEGIN, first) + read(source, first, after)
    assert found == rows(path)
    deltalake.DeltaTable(str(path)).delete("id = 1")
    with pytest.raises(SourceError, match=r"version 4 .* deletes or updates rows"):
        source.latestOffset(after, source.getDefaultReadLimit())


def test_a_table_that_only_grows_needs_no_feed(tmp_path: Path) -> None:
    path = tmp_path / "t"
    deltalake.write_deltalake(str(path), pairs(1), configuration={"delta.appendOnly": "true"})
    assert inspect(str(path), None, None, {}).appends


def test_versions_before_an_altered_one_are_read_first(tmp_path: Path) -> None:
    path = tmp_path / "t"
    table = make(path, pairs(1))
    source = reader(path)
    first = source.latestOffset(DeltaReader.BEGIN, source.getDefaultReadLimit())
    deltalake.write_deltalake(str(path), pairs(2), mode="append")
    table = deltalake.DeltaTable(str(path))
    table.alter.add_columns(deltalake.Field("w", deltalake.schema.PrimitiveType("long")))
    after = source.latestOffset(first, source.getDefaultReadLimit())
    assert after["version"] == 1
    with pytest.raises(SourceError, match=r"version 2 .* w is new.*new location"):
        source.latestOffset(after, source.getDefaultReadLimit())


def test_vacuumed_files_are_lost_by_name(tmp_path: Path) -> None:
    path = tmp_path / "t"
    make(path, pairs(1, 2))
    source = reader(path)
    first = source.latestOffset(DeltaReader.BEGIN, source.getDefaultReadLimit())
    deltalake.DeltaTable(str(path)).delete("id = 1")
    table = deltalake.DeltaTable(str(path))
    after = source.latestOffset(first, source.getDefaultReadLimit())
    for file in (path / "_change_data").rglob("*.parquet"):
        file.unlink()
    with pytest.raises(SourceLost, match=r"versions 1 to 1 .* vacuumed.*new location"):
        read(source, first, after)
    table.vacuum(0, dry_run=False, enforce_retention_duration=False)
    with pytest.raises(SourceLost, match=r"version 0 .* vacuumed"):
        read(source, DeltaReader.BEGIN, first)


def test_a_log_that_was_cleaned_up_is_lost_by_name(tmp_path: Path) -> None:
    path = tmp_path / "t"
    make(path, pairs(1))
    source = reader(path)
    first = source.latestOffset(DeltaReader.BEGIN, source.getDefaultReadLimit())
    deltalake.write_deltalake(str(path), pairs(2), mode="append")
    deltalake.DeltaTable(str(path)).create_checkpoint()
    for version in (0, 1):
        (path / "_delta_log" / f"{version:020}.json").unlink()
    with pytest.raises(SourceLost, match=r"commit of version 1 .* cleaned up"):
        source.latestOffset(first, source.getDefaultReadLimit())


def test_a_table_made_anew_is_named(tmp_path: Path) -> None:
    path = tmp_path / "t"
    make(path, pairs(1))
    deltalake.write_deltalake(str(path), pairs(2), mode="append")
    at = reader(path).latestOffset(DeltaReader.BEGIN, reader(path).getDefaultReadLimit())
    path.rename(tmp_path / "old")
    make(path, pairs(1))
    with pytest.raises(SourceError, match=r"recreated.*version 1 of another table"):
        reader(path).latestOffset(at, reader(path).getDefaultReadLimit())


def test_what_is_there_at_the_start_is_all_that_a_run_once_reads(tmp_path: Path) -> None:
    path = tmp_path / "t"
    make(path, pairs(1))
    source = reader(path)
    source.prepareForTriggerAvailableNow()
    deltalake.write_deltalake(str(path), pairs(2), mode="append")
    first = source.latestOffset(DeltaReader.BEGIN, source.getDefaultReadLimit())
    assert first["version"] == 0
    assert source.latestOffset(first, source.getDefaultReadLimit()) == first


def test_what_cannot_be_read_is_named_before_anything_starts(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match=r"there is no Delta table at .*nowhere"):
        inspect(str(tmp_path / "nowhere"), None, None, {})
    (tmp_path / "folder").mkdir()
    with pytest.raises(SourceError, match="there is no Delta table at"):
        inspect(str(tmp_path / "folder"), None, None, {})
    make(tmp_path / "plain", pairs(1), feed=False)
    with pytest.raises(SourceError, match=r"no change data feed.*SET TBLPROPERTIES.*appends=True"):
        inspect(str(tmp_path / "plain"), None, None, {})
    make(tmp_path / "taken", pa.table({"_change_type": ["x"]}))
    with pytest.raises(SourceError, match="a column _change_type"):
        inspect(str(tmp_path / "taken"), None, None, {})
