"""Files of tests of views: what they say, and the line of what they say wrong. No Spark runs."""

import re
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import types as t

from groundswell.errors import ConfigurationError
from groundswell.testing.case import Case, Place
from groundswell.testing.differences import difference
from groundswell.testing.reading import case_of
from groundswell.testing.values import comparable, rows_of
from groundswell.testing.yaml_files import files_in, read_tests

GOOD = """\
tables:
  votes: story BIGINT, user STRING, PRIMARY KEY (story, user)
tests:
  - name: counted
    query: SELECT story, count(*) AS n FROM votes GROUP BY story EMIT ON WINDOW CLOSE;
    given:
      votes: [[1, ann], {story: 2, user: null}]
    expect: []
    changes:
      - delete: {votes: [[1, ann]]}
        expect:
          - {story: 2, n: 1}
"""


def read(tmp_path: Path, text: str) -> list[Case]:
    file = tmp_path / "t.yml"
    file.write_text(text)
    return read_tests(file)


def test_a_file_becomes_tests(tmp_path: Path) -> None:
    (case,) = read(tmp_path, GOOD)
    assert (case.name, case.place.line) == ("counted", 4)
    assert case.tables["votes"].key == ("story", "user")
    view = case.views[case.view]
    assert view.window_close and view.query.startswith("SELECT story")
    first, change = case.steps
    assert first.inserts == {"votes": [["1", "ann"], {"story": "2", "user": None}]}
    assert first.expect == [] and change.deletes == {"votes": [["1", "ann"]]}
    assert change.expect == [{"story": "2", "n": "1"}]


def test_dates_and_numbers_stay_as_they_are_written(tmp_path: Path) -> None:
    (case,) = read(tmp_path, GOOD.replace("[1, ann]", "[2024-01-01, 1.10]"))
    assert case.steps[0].inserts["votes"][0] == ["2024-01-01", "1.10"]


def test_a_file_of_statements_gives_tables_and_views(tmp_path: Path) -> None:
    (tmp_path / "shop.sql").write_text(
        "CREATE SOURCE o (id BIGINT PRIMARY KEY) WITH (connector = 'csv', path = '/none');\n"
        "CREATE MATERIALIZED VIEW Best AS SELECT * FROM o;\nSELECT * FROM best;\n"
    )
    text = "sql: shop.sql\ntests:\n- view: best\n  given: {o: [[1]]}\n  expect: [[1]]\n"
    (case,) = read(tmp_path, text)
    assert case.name == "best" and list(case.tables) == ["o"] and list(case.views) == ["best"]


WRONG = {
    "line 8": (GOOD.replace("expect: []", "expect"), "t.yml:9: this is not valid YAML"),
    "key": (GOOD.replace("given:", "givn:"), "t.yml:6: a test has no 'givn'. Did you mean"),
    "table": (GOOD.replace("  votes: [[1", "  vote: [[1"), "t.yml:7: given: there is no table"),
    "columns": (GOOD.replace("PRIMARY KEY (story", "PRIMARY KEY (stori"), "t.yml:2: table votes: "),
    "type": (GOOD.replace("story BIGINT, ", "story, "), "t.yml:2: table votes: "),
    "rows": (GOOD.replace("- {story: 2, n: 1}", "- 7"), "t.yml:12: expect: a row is a mapping"),
    "twice": (GOOD.replace("    given:\n  ", "    name: again\n"), "t.yml:6: 'name' is there"),
    "nothing": (GOOD.replace("expect: []", "expect:"), "t.yml:4: expect has no rows: write []"),
    "view": (GOOD.replace("query: SELECT", "view: SELECT"), "t.yml:5: the file of sql creates"),
    "no test": ("tests: []", "t.yml:1: tests is a list of tests, got an empty list"),
    "tests": ("tests: {a: 1}", "t.yml:1: tests is a list of tests, got a mapping"),
    "tables": ("tables: [a]\n" + GOOD[GOOD.index("tests") :], "t.yml:1: tables is a mapping from"),
    "given": (GOOD.replace("      votes: [", "      - votes: ["), "to its rows, got a list"),
    "meant": (GOOD.replace("given:", "gven:"), "Did you mean 'given'? It has name, view, query"),
    "empty": ("", "t.yml: the file is empty: write tables and tests into it"),
    "other": ("tests: &a [*a]", "t.yml:1: an alias stands inside"),
    "sql": ("sql: none.sql\n" + GOOD, "t.yml:1: cannot read none.sql: No such file"),
    "silent": (GOOD.partition("    expect")[0], "t.yml:4: the test expects nothing"),
    "list": ("- a", "t.yml:1: the file is a mapping with sql, tables, tests, got a l"),
}  # fmt: skip


@pytest.mark.parametrize("what", WRONG)
def test_a_wrong_file_is_refused_with_its_line(tmp_path: Path, what: str) -> None:
    text, told = WRONG[what]
    with pytest.raises(ConfigurationError) as refused:
        read(tmp_path, text)
    assert told in str(refused.value) and "\n" not in str(refused.value)


def test_two_tests_of_one_name_are_refused(tmp_path: Path) -> None:
    twice = GOOD + GOOD[GOOD.index("  - name") :]
    with pytest.raises(ConfigurationError, match=r"t.yml:4: two tests are named 'counted'"):
        read(tmp_path, twice)


def test_paths_without_tests_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="has no file"):
        files_in([str(tmp_path)])
    with pytest.raises(ConfigurationError, match="there is no file or folder"):
        files_in([str(tmp_path / "none.yml")])
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "b.yaml").touch()
    assert files_in([str(tmp_path)]) == [tmp_path / "a" / "b.yaml"]


VALUES: list[tuple[t.DataType, Any, Any]] = [
    (t.LongType(), "12", 12),
    (t.ByteType(), "-128", -128),
    (t.BooleanType(), "TRUE", True),
    (t.DoubleType(), ".nan", "NaN"),
    (t.DoubleType(), 0.1 + 0.2, 0.3),
    (t.DoubleType(), "-0.0", 0.0),
    (t.DecimalType(5, 2), "1.1", Decimal("1.10")),
    (t.DateType(), "2024-01-02", date(2024, 1, 2)),
    (t.TimestampType(), "2024-01-02 03:04:05", datetime(2024, 1, 2, 3, 4, 5, tzinfo=UTC)),
    (t.TimestampType(), "2024-01-02 03:04:05+01:00", datetime(2024, 1, 2, 2, 4, 5, tzinfo=UTC)),
    (t.TimestampNTZType(), "2024-01-02 03:04:05", datetime(2024, 1, 2, 3, 4, 5)),
    (t.BinaryType(), "0x00ff", b"\x00\xff"),
    (t.ArrayType(t.IntegerType()), ["1", None], (1, None)),
    (t.StructType().add("a", t.IntegerType()).add("b", t.StringType()), {"b": "x"}, (None, "x")),
    (t.MapType(t.StringType(), t.IntegerType()), {"a": "1"}, frozenset({("a", 1)})),
]


@pytest.mark.parametrize(("type_", "written", "meant"), VALUES)
def test_the_type_of_a_column_reads_its_values(type_: t.DataType, written: Any, meant: Any) -> None:
    _, [(value,)] = rows_of("t", [[written]], t.StructType().add("c", type_), UTC, Place())
    assert comparable(value, type_) == meant


UNFIT = [
    (t.LongType(), "1.5", "'1.5' is not a valid bigint, the type of column c"),
    (t.ByteType(), "128", "it has 8 bits"),
    (t.DecimalType(3, 1), "1.25", "it has other digits"),
    (t.BooleanType(), "yes", "'yes' is not a valid boolean"),
    (t.DateType(), "2024-13-01", "is not a valid date"),
    (t.TimestampNTZType(), "2024-01-02T03:04:05Z", "it has no time zone"),
    (t.ArrayType(t.IntegerType()), "1", "write it as a list"),
    (t.StructType().add("a", t.IntegerType()), {"b": 1}, "it has no field 'b'"),
    (t.VariantType(), "1", "cast the column in the query"),
]


@pytest.mark.parametrize(("type_", "written", "told"), UNFIT)
def test_a_value_of_another_type_is_refused(type_: t.DataType, written: Any, told: str) -> None:
    with pytest.raises(ConfigurationError, match=re.escape(told)):
        rows_of("t", [[written]], t.StructType().add("c", type_), UTC, Place())


def test_rows_with_other_columns_are_refused() -> None:
    schema = t.StructType().add("a", t.IntegerType()).add("b", t.IntegerType())
    for rows, told in (
        ([{"c": 1}], "t: there is no column 'c'; there are a, b"),
        ([[1]], "t: a row has 2 values, of a, b; this one has 1"),
        ([{"a": 1}, [1, 2]], "this row has the columns a, b, the first one a"),
    ):
        with pytest.raises(ConfigurationError, match=re.escape(told)):
            rows_of("t", rows, schema, UTC, Place())


def test_differences_are_bags() -> None:
    assert difference("s", ["a"], [(1,), (2,)], [(2,), (1,)]) is None
    found = difference("after", ["a", "b"], [(1, None), (1, None)], [(1, None), (2, "x")])
    assert found is not None
    assert found.lines(UTC) == [
        "after: 1 missing, 1 unexpected, 1 as expected",
        "             | a | b",
        "  -----------+---+-----",
        "  missing    | 1 | null",
        "  unexpected | 2 | x",
    ]


def test_a_program_gives_the_same_as_a_file() -> None:
    tables = {"t": "a INT"}
    case = case_of("SELECT a FROM t", tables, {"t": [(1,)]}, [], [(1,)], None)
    assert case.steps[0].inserts == {"t": [(1,)]} and case.steps[0].expect == [(1,)]
    with pytest.raises(
        ConfigurationError, match=r"a change has no 'remove'\. It has delete, insert"
    ):
        case_of("SELECT a FROM t", tables, {}, [{"remove": {}}], [], None)
