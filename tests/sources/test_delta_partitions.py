"""Partition values of Delta tables, which are texts in the log."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import groundswell as gs
from groundswell.sources import delta_table as source

deltalake = pytest.importorskip("deltalake", reason="not installed: pip install '.[delta]'")

FEED = {"delta.enableChangeDataFeed": "true"}


def made(path: Path, k: pa.Array) -> Any:
    rows = pa.table({"k": k, "v": range(len(k))})
    deltalake.write_deltalake(str(path), rows, partition_by=["k"], configuration=FEED)
    return deltalake.DeltaTable(str(path))


def values(batches: Any) -> Counter[tuple[Any, ...]]:
    return Counter(tuple(row.values()) for batch in batches for row in batch.to_pylist())


def test_an_empty_text_is_null_in_the_first_read_and_in_the_feed(tmp_path: Path) -> None:
    table = made(tmp_path, pa.array(["", None, "a"]))
    plan = source.inspect(str(tmp_path), None, None, {})
    files = [file.path for file in source.data_files(plan, 0)]
    first = values(source.read_files(plan, 0, files))
    assert first == Counter([(None, 0, "insert"), (None, 1, "insert"), ("a", 2, "insert")])
    table.delete("v = 0 OR v = 2")
    feed = values(source.read_feed(plan, 1, 1))
    assert feed == Counter([(None, 0, "delete"), ("a", 2, "delete")])


def test_an_empty_text_that_is_no_partition_stays(tmp_path: Path) -> None:
    rows = pa.table({"k": ["", None], "v": [1, 2]})
    deltalake.write_deltalake(str(tmp_path), rows, configuration=FEED)
    plan = source.inspect(str(tmp_path), None, None, {})
    files = [file.path for file in source.data_files(plan, 0)]
    found = values(source.read_files(plan, 0, files))
    assert found == Counter([("", 1, "insert"), (None, 2, "insert")])


def test_a_binary_partition_is_refused(tmp_path: Path) -> None:
    made(tmp_path, pa.array([b"a"]))
    with pytest.raises(gs.GroundswellError, match=r"is partitioned by k, whose bytes"):
        source.inspect(str(tmp_path), None, None, {})
