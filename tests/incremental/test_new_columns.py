"""A source gets columns that no view reads: its views go on, with the states that they have."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import groundswell as gs
from groundswell.state.documents import open_documents

pytestmark = pytest.mark.rest

FIRST = "k bigint, v bigint, w bigint"
MORE = ["a string, k bigint, v bigint, w bigint, b bigint", "k bigint, v bigint"]


def views(events: DataFrame, other: DataFrame) -> dict[str, DataFrame]:
    return {
        "totals": events.groupBy("k").agg(F.sum("v").alias("v")),
        "large": events.where("v > 10").select("k"),
        "joined": events.join(other, "k").groupBy("name").agg(F.max("v").alias("v")),
    }


def started(spark: SparkSession, home: Path, schema: str, keyed: bool) -> dict[str, DataFrame]:
    stream = spark.readStream.schema(schema).option("maxFilesPerTrigger", 1)
    names = spark.readStream.schema("k bigint, name string")
    events, other = stream.json(str(home / "in")), names.json(str(home / "names"))
    changes = gs.upserts(events, key="v", name="ev") if keyed else gs.appends(events, name="ev")
    p = gs.pipeline(spark, str(home / "p"), partitions=1)
    made = views(changes, gs.upserts(other, key="k", name="names"))
    for name, frame in made.items():
        p.view(name, frame)
    p.start(availableNow=True).awaitTermination()
    batch = spark.read.schema(FIRST).json(str(home / "in"))
    return views(batch, spark.read.schema("k bigint, name string").json(str(home / "names")))


def states(home: Path) -> set[str]:
    folder = open_documents(str(home / "p")).child("groundswell").child("state")
    return {str(path.name) for path in Path(folder.location).iterdir()}


def write(path: Path, **row: object) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(row) + "\n", "utf-8")


@pytest.mark.parametrize("keyed", [False, True], ids=["appends", "upserts"])
@pytest.mark.parametrize("first", ["k bigint, v bigint", FIRST])
def test_a_new_column_that_no_view_reads_changes_nothing(
    session: SparkSession, tmp_path: Path, first: str, keyed: bool
) -> None:
    write(tmp_path / "names" / "1.json", k=1, name="one")
    write(tmp_path / "in" / "1.json", k=1, v=2, w=3)
    started(session, tmp_path, first, keyed)
    before = states(tmp_path)
    more = MORE[0] if first == FIRST else FIRST
    for number, schema in enumerate((more, MORE[0], first)):
        write(tmp_path / "in" / f"2{number}.json", k=1, v=20 + number, w=30, a="x", b=number)
        expected = started(session, tmp_path, schema, keyed)
        for name, frame in expected.items():
            got = gs.read_view(session, str(tmp_path / "p"), name)
            assert sorted(map(tuple, got.collect())) == sorted(map(tuple, frame.collect())), name
    assert states(tmp_path) == before, "no state was begun again"


def test_a_view_of_all_columns_keeps_those_that_it_began_with_and_says_so(
    session: SparkSession, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """It ended the pipeline with DefinitionChanged."""
    write(tmp_path / "in" / "1.json", k=1, v=2)
    for number, schema in enumerate(("k bigint, v bigint", "w bigint, k bigint, v bigint")):
        events = session.readStream.schema(schema).json(str(tmp_path / "in"))
        p = gs.pipeline(session, str(tmp_path / "p"), partitions=1)
        source = gs.appends(events, name="ev")
        p.view("copy", source).view("large", source.where("v > 1"))
        query = p.start(availableNow=True)
        query.awaitTermination()
        write(tmp_path / "in" / f"2{number}.json", k=1, v=3, w=4)
    for view in ("copy", "large"):
        assert f"view {view}: it has the columns that it began with, without w" in caplog.text
    got = gs.read_view(session, str(tmp_path / "p"), "copy")
    assert got.columns == ["k", "v"]
    assert sorted(map(tuple, got.collect())) == [(1, 2), (1, 3)]
    p = gs.pipeline(session, str(tmp_path / "p"))
    source = gs.appends(events, name="ev")
    p.view("copy", source).view("large", source.where("w > 1"))
    with pytest.raises(gs.DefinitionChanged, match="view large"):
        p.start(availableNow=True)
