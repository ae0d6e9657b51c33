"""Tables take rows as Python has them: lists, dicts, pandas, pyarrow, polars."""

from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pytest
from pyspark.sql import Row, SparkSession

import groundswell as gs

SCHEMA = "id bigint, name string, price decimal(10,2), weight double, at timestamp, tags array<int>"
AT = datetime(2026, 1, 2, 3, 4, 5)
FULL: dict[str, Any] = {
    "id": 1,
    "name": "tea",
    "price": Decimal("2.50"),
    "weight": 0.5,
    "at": AT,
    "tags": [1, 2],
}


@pytest.fixture
def pipeline(session: SparkSession, tmp_path: Path) -> gs.Pipeline:
    return gs.pipeline(session, str(tmp_path / "p"), partitions=1)


def rows_of(pipeline: gs.Pipeline, table: gs.Table) -> list[Row]:
    pipeline.view("v", table.df)
    query = pipeline.start(availableNow=True)
    query.awaitTermination()
    return sorted(query.view("v").collect())


def test_a_table_takes_rows_however_python_holds_them(pipeline: gs.Pipeline) -> None:
    table = pipeline.table("goods", SCHEMA, key="id")
    table.insert([tuple(FULL.values())])
    table.insert([{**FULL, "id": 2, "price": 3, "weight": 4}])
    table.insert(row for row in [Row(**{**FULL, "id": 3})])
    backwards = dict(reversed(FULL.items()))
    table.insert(pd.DataFrame([{**backwards, "id": 4}]))
    table.upsert(pa.Table.from_pylist([{**backwards, "id": 5, "at": AT.replace(tzinfo=UTC)}]))
    table.upsert(pa.Table.from_pylist([{**FULL, "id": 6}]).to_reader())
    table.upsert([{**FULL, "id": 7, "name": None}, {**FULL, "id": 8}])
    table.delete([(6,)])
    table.delete([{"id": 8}])
    table.insert([])
    found = rows_of(pipeline, table)
    wanted = [Row(**{**FULL, "id": n}).asDict() for n in range(1, 6)]
    wanted[1] |= {"price": Decimal(3), "weight": 4.0}
    wanted.append({**FULL, "id": 7, "name": None})
    assert [row.asDict() for row in found] == wanted


def test_deletes_in_python_take_scalars_versions_and_changes(pipeline: gs.Pipeline) -> None:
    table = pipeline.table("days", "day date, n int, seq bigint", key="day", version="seq")
    days = [date(2026, 1, day) for day in (1, 2, 3, 4)]
    table.insert([(day, 1, 5) for day in days])
    table.delete([(days[0], 4)])
    table.delete([(days[1], 5)])
    table.change(
        [
            {"day": days[2], "n": 1, "seq": 6, "gone": True},
            {"day": days[3], "n": 2, "seq": 6, "gone": False},
        ],
        "gone",
    )
    assert rows_of(pipeline, table) == [(days[0], 1, 5), (days[3], 2, 6)]
    plain = pipeline.table("plain", "id int", key="id")
    plain.delete([1, 2])


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ([(1, 2, 3)], "a row is (id, name), and the rows have 3 values"),
        ([{"id": 1, "name": "a"}, {"id": 2}], "the rows do not have the same columns: (id);"),
        ([{"id": 1, "nmae": "a"}], "has the columns id, name; the rows have nmae, too"),
        ([{"id": 1}], "the rows lack name"),
        ([("one", "a")], "'one'"),
        ({"id": [1], "name": ["a"]}, "a list of tuples or dicts"),
        ("id", "got str"),
        (7, "got int"),
        (pd.DataFrame({"id": [1], "nmae": ["a"]}), "the rows lack name"),
        (pd.DataFrame({"id": [1, "x"], "name": ["a", "b"]}), "id"),
        ([(None, "a")], "1 row has null in column id"),
    ],
)
def test_rows_that_do_not_fit_are_refused_in_words(
    pipeline: gs.Pipeline, rows: Any, said: str
) -> None:
    table = pipeline.table("t", "id bigint, name string", key="id")
    with pytest.raises(gs.SourceError) as refused:
        table.insert(rows)
    text = str(refused.value)
    assert said in text and "table t" in text and len(text.splitlines()) == 1
    rows_folder = (
        Path(pipeline.program.location.removeprefix("file:")) / "groundswell/tables/t/rows"
    )
    assert rows_folder.is_dir() and not list(rows_folder.iterdir())
