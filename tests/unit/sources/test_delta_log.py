"""What commits of a Delta table say; pure."""

import json
import re

import pytest
from pyspark.sql import types as t

from groundswell.sources.admission import grouped
from groundswell.sources.delta_log import (
    Commit,
    TableFacts,
    commit_of,
    differences,
    why_not,
)

SCHEMA = t.StructType([t.StructField("id", t.LongType()), t.StructField("v", t.StringType())])
FEED = {"delta.enableChangeDataFeed": "true"}
KNOWN = TableFacts("one", SCHEMA, FEED)


def lines(*actions: dict[str, object]) -> str:
    return "\n".join(map(json.dumps, actions)) + "\n"


def test_a_commit_says_what_it_added_and_removed() -> None:
    text = lines(
        {"commitInfo": {"operation": "WRITE"}},
        {"add": {"path": "v=a%20b/1.parquet", "size": 10, "dataChange": True}},
        {"add": {"path": "2.parquet", "size": 20, "dataChange": False}},
        {"remove": {"path": "0.parquet", "dataChange": True}},
        {"remove": {"path": "3.parquet", "dataChange": False}},
    )
    commit = commit_of(text)
    assert commit.added == (("v=a%20b/1.parquet", 10),)
    assert commit.removed == 1
    assert commit.bytes == 10


def test_the_feeds_own_files_count_in_the_place_of_the_rewritten_ones() -> None:
    text = lines(
        {"add": {"path": "1.parquet", "size": 1000, "dataChange": True}},
        {"cdc": {"path": "_change_data/1.parquet", "size": 7}},
    )
    assert commit_of(text).bytes == 7


def test_a_commit_may_say_what_the_table_is() -> None:
    text = lines(
        {"protocol": {"minReaderVersion": 3, "readerFeatures": ["timestampNtz"]}},
        {"metaData": {"id": "one", "schemaString": SCHEMA.json(), "configuration": FEED}},
    )
    assert commit_of(text).table == KNOWN
    assert commit_of(text).features == {"timestampNtz"}


WIDER = t.StructType([*SCHEMA.fields, t.StructField("w", t.LongType())])
OTHER = t.StructType([t.StructField("id", t.StringType())])


@pytest.mark.parametrize(
    ("commit", "appends", "said"),
    [
        (Commit(), False, None),
        (Commit(added=(("a", 1),), removed=1), False, None),
        (Commit(table=KNOWN), False, None),
        (Commit(added=(("a", 1),)), True, None),
        (Commit(table=TableFacts("one", SCHEMA)), True, None),
        (Commit(removed=2), True, "2 files were removed"),
        (Commit(table=TableFacts("two", SCHEMA, FEED)), False, "recreated"),
        (Commit(table=TableFacts("one", WIDER, FEED)), False, "w is new"),
        (Commit(table=TableFacts("one", WIDER, FEED)), True, "w is new"),
        (Commit(table=TableFacts("one", OTHER, FEED)), False, "v is gone, id was bigint and is st"),
        (Commit(table=TableFacts("one", SCHEMA)), False, "feed off.*SET TBLPROPERTIES"),
        (Commit(features=frozenset({"deletionVectors"})), False, "uses deletionVectors"),
    ],
)
def test_what_of_a_version_cannot_be_read(commit: Commit, appends: bool, said: str | None) -> None:
    reason = why_not("/t", 7, commit, KNOWN, appends)
    if said is None:
        assert reason is None
    else:
        assert reason is not None
        assert re.search(said, reason)
        assert "version 7 of the Delta table /t" in reason


def test_only_names_and_types_of_columns_count() -> None:
    strict = t.StructType([t.StructField("id", t.LongType(), False, {"comment": "x"}), SCHEMA[1]])
    assert differences(SCHEMA, strict) == []


def test_groups_have_so_many_bytes_at_least_but_for_the_last() -> None:
    assert list(grouped([("a", 5), ("b", 5), ("c", 12), ("d", 1)], most=10)) == [
        ["a", "b"],
        ["c"],
        ["d"],
    ]
    assert list(grouped([])) == []
