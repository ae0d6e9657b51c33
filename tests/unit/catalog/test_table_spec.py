"""What a table may become."""

from __future__ import annotations

from dataclasses import replace

import pytest
from pyspark.sql import types as t

from groundswell.catalog.columns_of_tables import is_wider
from groundswell.catalog.table_spec import TableSpec, table_spec
from groundswell.runtime.record.table import load, store
from unit.runtime.folders import MemoryFolder

TYPES = {
    "tinyint": t.ByteType(),
    "smallint": t.ShortType(),
    "int": t.IntegerType(),
    "bigint": t.LongType(),
    "float": t.FloatType(),
    "double": t.DoubleType(),
    "decimal(4,2)": t.DecimalType(4, 2),
    "decimal(5,4)": t.DecimalType(5, 4),
    "decimal(6,2)": t.DecimalType(6, 2),
    "decimal(6,4)": t.DecimalType(6, 4),
    "varchar(3)": t.VarcharType(3),
    "varchar(4)": t.VarcharType(4),
    "string": t.StringType(),
    "array<int>": t.ArrayType(t.IntegerType()),
    "array<bigint>": t.ArrayType(t.LongType()),
}


def spec(columns: str) -> TableSpec:
    """A table, from DDL: that of Spark needs a JVM."""
    fields = []
    for column in columns.split(", "):
        name, type_, *required = column.split()
        fields.append(t.StructField(name, TYPES[type_], not required))
    return table_spec(t.StructType(fields), "k", "overwrite", None)


@pytest.mark.parametrize(
    ("old", "new", "drops", "why"),
    [
        ("k int, v int", "k int, c int, v int", False, None),
        ("k int, v int", "k int, v bigint", False, None),
        ("k int, v int", "k int", True, None),
        ("k int, v int", "k int", False, "it lacks v"),
        ("k int, v int", "v int, k int", True, "its columns have another order"),
        ("k int, v bigint", "k int, v int", False, "v is bigint, and cannot become int"),
        ("k int, v bigint", "k int, v int", True, None),
        ("k int, v int", "k int, v string", True, "v is int, and cannot become string"),
        ("k int, v int", "k bigint, v int", True, "k is int, and cannot become bigint: it is"),
        ("k int, v int", "k int, v int NOT NULL", True, "v is NOT NULL at one time only"),
    ],
)
def test_what_a_table_may_become(old: str, new: str, drops: bool, why: str | None) -> None:
    found = spec(new).why_not(spec(old), drops)
    assert found is None if why is None else (found or "").startswith(why)


def test_a_column_that_was_renamed_is_named_as_it_is_called_now() -> None:
    """A program that was not told of it still has the old name, stored as another one."""
    table = spec("k int, v int, c int").renamed("v", "val")
    program = replace(spec("k int, v int"), stored={"v": "v__2"})
    told = program.why_not(table, False)
    assert told == "it lacks val (it was called v until it was renamed), c"


def test_a_name_comes_again_with_its_type_alone() -> None:
    table = spec("k int, v int, c string").without(["c"])
    assert table.dropped == {"c": "string"}
    assert spec("k int, v int, c string").why_not(table, False) is None
    told = spec("k int, v int, c int").why_not(table, False)
    assert told is not None and told.startswith("c was a column of another type once")


@pytest.mark.parametrize(
    ("old", "new", "wider"),
    [
        ("int", "bigint", True),
        ("smallint", "int", True),
        ("tinyint", "smallint", False),
        ("bigint", "int", False),
        ("int", "double", False),
        ("float", "double", True),
        ("decimal(4,2)", "decimal(6,2)", True),
        ("decimal(4,2)", "decimal(6,4)", True),
        ("decimal(4,2)", "decimal(5,4)", False),
        ("decimal(4,2)", "decimal(4,2)", False),
        ("varchar(3)", "varchar(4)", True),
        ("varchar(3)", "string", True),
        ("string", "varchar(3)", False),
        ("array<int>", "array<bigint>", False),
    ],
)
def test_wider_types(old: str, new: str, wider: bool) -> None:
    assert is_wider(TYPES[new], TYPES[old]) is wider


def test_checks_are_part_of_a_table_and_of_its_document() -> None:
    plain = spec("k int, v int")
    checked = replace(plain, checks={"positive": "v > 0"})
    assert checked.why_not(plain, False) == "its CHECK constraints are others"
    assert plain.why_not(checked, True) == "its CHECK constraints are others"
    assert "CONSTRAINT positive CHECK (v > 0)" in checked.lines()
    folder = MemoryFolder()
    for each in (plain, checked):
        store(folder, replace(each, keep=True))
        assert load(folder) == replace(each, keep=True)


def test_a_column_is_stored_under_a_name_that_no_other_has() -> None:
    table = spec("k int, a int, a__2 int").renamed("a", "b")
    more = t.StructType().add("A", "integer").add("A__3", "integer")
    assert table.with_columns(more, {}).stored == {"b": "a", "A": "A__4"}
