"""Tables take rows as Python has them: lists, dicts, pandas, pyarrow, polars."""

from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pytest
from pyspark.sql import Row, SparkSession

import groundswell as gs
from cases import first_of

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
    first_of(
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
        ]
    ),
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


PAIR = "struct<a: string, b: string>"
NESTED = f"id int, s {PAIR}, l array<{PAIR}>, m map<string, {PAIR}>, d map<string, double>"


@pytest.mark.rest
def test_fields_within_values_go_by_name(pipeline: gs.Pipeline) -> None:
    """A Row's fields went by position: those of one type changed places in silence."""
    table = pipeline.table("t", NESTED, key="id")
    turned = Row(b="2", a="1")
    given = {"s": turned, "l": [turned, None], "m": {"k": turned}, "d": {"one": 1, "none": None}}
    table.insert([{"id": 1, **given}])
    table.insert([(2, {"b": "2"}, [{"b": "2", "a": "1"}], {}, {}), (3, None, [], None, {"n": 1.5})])
    table.insert([(4, ("1", "2"), (("1", "2"),), {"k": ("1", "2")}, None)])
    right, some = Row(a="1", b="2"), Row(a=None, b="2")
    assert [tuple(row) for row in rows_of(pipeline, table)] == [
        (1, right, [right, None], {"k": right}, {"one": 1.0, "none": None}),
        (2, some, [right], {}, {}),
        (3, None, [], None, {"n": 1.5}),
        (4, right, [right], {"k": right}, None),
    ]


@pytest.mark.parametrize("of", first_of([dict, Row]))
def test_a_field_that_a_struct_does_not_have_is_refused(pipeline: gs.Pipeline, of: Any) -> None:
    """A field with a misspelt name was lost, and null stood in its place."""
    table = pipeline.table("t", NESTED, key="id")
    wrong, none = of(a="1", bb="2"), {"l": None, "m": None, "d": None}
    with pytest.raises(gs.SourceError, match=r"table t: s has the fields a, b; .* bb, too"):
        table.insert([{"id": 1, "s": wrong, **none}])
    with pytest.raises(gs.SourceError, match=r"table t: l has the fields a, b; .* bb, too"):
        table.insert([{**none, "id": 1, "s": None, "l": [wrong]}])


@pytest.mark.rest
def test_types_of_arrow_that_spark_does_not_have(pipeline: gs.Pipeline) -> None:
    """Whole numbers without a sign, and what other libraries write, ended in Spark's own words."""
    types = {
        "b": ("smallint", pa.uint8(), 255),
        "s": ("int", pa.uint16(), 2**16 - 1),
        "i": ("bigint", pa.uint32(), 2**32 - 1),
        "l": ("decimal(20,0)", pa.uint64(), 2**64 - 1),
        "h": ("double", pa.float16(), 0.5),
        "day": ("date", pa.date64(), date(2026, 1, 2)),
        "t": ("string", pa.string_view(), "text"),
        "y": ("binary", pa.binary_view(), b"b"),
        "d": ("decimal(9,2)", pa.decimal256(9, 2), Decimal("1.25")),
        "w": ("interval day to second", pa.duration("ns"), timedelta(microseconds=1)),
        "k": ("string", pa.dictionary(pa.int8(), pa.string()), "text"),
        "ls": ("array<int>", pa.list_(pa.uint16()), [1, None]),
        "st": ("struct<a: int>", pa.struct([("a", pa.uint16())]), {"a": 1}),
    }
    schema = ", ".join(f"{name} {ddl}" for name, (ddl, _, _) in types.items())
    table = pipeline.table("t", f"id int, {schema}", key="id")
    columns = {name: pa.array([value, None], kind) for name, (_, kind, value) in types.items()}
    table.insert(pa.table({"id": [1, 2], **columns}))
    found, none = rows_of(pipeline, table)
    assert {n: v.asDict() if n == "st" else v for n, v in found.asDict().items()} == {
        "id": 1, **{name: value for name, (_, _, value) in types.items()}
    }  # fmt: skip
    assert none.asDict() == dict.fromkeys(found.asDict()) | {"id": 2}


@pytest.mark.rest
def test_times_without_a_zone_are_those_of_no_zone(pipeline: gs.Pipeline) -> None:
    """Where clocks skip an hour, pandas' times of it were refused by Arrow, in four lines."""
    spark = pipeline.program.spark
    was = spark.conf.get("spark.sql.session.timeZone")
    spark.conf.set("spark.sql.session.timeZone", "America/New_York")
    try:
        skipped, twice = datetime(2021, 3, 14, 2, 30), datetime(2021, 11, 7, 1, 30)
        table = pipeline.table("t", "id int, n timestamp_ntz, t timestamp", key="id")
        rows = {"id": [1, 2], "n": [skipped, twice], "t": [datetime(2021, 7, 1, 12), twice]}
        table.insert(pd.DataFrame(rows))
        table.upsert(pa.table({**rows, "id": [3, 4]}))
        pipeline.view("v", table.df.selectExpr("id", "n", "CAST(t AS STRING) t"))
        query = pipeline.start(availableNow=True)
        query.awaitTermination()
        want = [(skipped, "2021-07-01 12:00:00"), (twice, "2021-11-07 01:30:00")]
        found = sorted(query.view("v").collect())
        assert [(r.n, r.t) for r in found] == want * 2
    finally:
        spark.conf.set("spark.sql.session.timeZone", was)


@pytest.mark.parametrize(
    ("column", "rows", "said"),
    first_of([
        ("decimal(5,2)", [(1, Decimal("NaN"))], "v is NaN, which no decimal of Spark is"),
        ("double", [(1, 2**2000)], "too large"),
        ("date", pa.table({"id": [1], "v": [5]}), 'cannot cast "BIGINT" to "DATE"'),
        ("interval day to second", pa.table({"id": [1], "v": pa.array([5], pa.duration("ns"))}),
         "column v: Casting from duration[ns] to duration[us] would lose data"),
        ("map<string, int>", pa.table({"id": [1], "v": [{"a": 1}]}),
         "column v is of type map<string,int>, and the rows have struct<a:bigint>"),
        ("int", pa.table({"id": [1], "v": pa.array([(1, 2, 3)], pa.month_day_nano_interval())}),
         "month_day_nano_interval"),
    ]),
)  # fmt: skip
def test_a_value_that_no_column_takes_is_refused_in_words(
    pipeline: gs.Pipeline, column: str, rows: Any, said: str
) -> None:
    table = pipeline.table("t", f"id int, v {column}", key="id")
    with pytest.raises(gs.SourceError) as refused:
        table.insert(rows)
    text = str(refused.value)
    assert said in text and "table t" in text and len(text.splitlines()) == 1
