"""Messages of logical decoding as rows: what a reader refuses."""

from __future__ import annotations

import struct
from dataclasses import replace

import pytest
from pyspark.sql import types as t

from groundswell.errors import SourceError
from groundswell.sources.postgres_rows import changes
from groundswell.sources.postgres_server import PgPlan, PgTable

TABLE = PgTable(
    "public",
    "a",
    (("id", t.IntegerType()), ("name", t.StringType())),
    ("id",),
    "a",
    (23, 25),
    (-1, -1),
)
INT, TEXT, LONG = 23, 25, 20


def plan(truncate: str = "error") -> PgPlan:
    return PgPlan({}, (TABLE,), "s", "p", 100, 1.0, truncate)


def relation(*columns: tuple[str, int]) -> bytes:
    sent = b"".join(
        b"%c%s\0" % (name == "id", name.encode()) + struct.pack(">Ii", type_, -1)
        for name, type_ in columns
    )
    return b"R" + struct.pack(">I", 7) + b"public\0a\0d" + struct.pack(">H", len(columns)) + sent


def cells(*values: str | None) -> bytes:
    sent = b""
    for value in values:
        if value is None:
            sent += b"n"
        elif value == "UNCHANGED":
            sent += b"u"
        else:
            sent += b"t" + struct.pack(">I", len(value)) + value.encode()
    return struct.pack(">H", len(values)) + sent


def begin(commit: int) -> bytes:
    return b"B" + struct.pack(">QqI", commit, 0, 1)


def insert(*values: str | None) -> bytes:
    return b"I" + struct.pack(">I", 7) + b"N" + cells(*values)


def read(*messages: bytes, truncate: str = "error") -> list[tuple[list[str | None], bool]]:
    return [row for _, row in changes(plan(truncate), messages, 10, 100)]


FORM = relation(("id", INT), ("name", TEXT))


def test_only_transactions_between_the_offsets_are_read():
    found = read(
        begin(9), FORM, insert("1", "x"), begin(10), insert("2", "y"), begin(100), insert("3", "z")
    )
    assert found == [(["2", "y"], False)]


@pytest.mark.parametrize(
    ("form", "what"),
    [
        (relation(("id", INT), ("name", TEXT), ("more", INT)), "more is new"),
        (relation(("id", INT)), "name is gone"),
        (relation(("id", INT), ("title", TEXT)), "name is gone, title is new"),
        (relation(("id", LONG), ("name", TEXT)), "id has another type"),
    ],
)
def test_an_altered_table_is_refused_by_name(form: bytes, what: str):
    with pytest.raises(SourceError, match=rf'"public"."a" was altered: {what}\. Nothing is lost'):
        read(begin(10), form, insert("1", "x", "2"))


MORE = relation(("id", INT), ("name", TEXT), ("more", INT))


@pytest.mark.parametrize("mode", ["ignore", "add"])
def test_a_column_that_comes_is_ignored_or_ends_the_run_for_the_next_start(mode: str):
    late = replace(plan(), new_columns=mode, seen=5)
    messages = [begin(10), FORM, insert("1", "x"), begin(11), MORE, insert("2", "y", "3")]
    if mode == "ignore":
        found = [row for _, row in changes(late, messages, 10, 100)]
        assert found == [(["1", "x"], False), (["2", "y"], False)]
        return
    with pytest.raises(SourceError, match=r"has got more\. Nothing is lost.*Start again"):
        list(changes(late, messages, 10, 100))
    (table,) = late.tables
    columns = (*table.columns, ("more", t.IntegerType()))
    wider = replace(
        table,
        columns=columns,
        oids=(*table.oids, INT),
        modifiers=(*table.modifiers, -1),
        missing=(None, None, "7"),
    )
    again = replace(late, tables=(wider,), seen=50)
    found = [row for _, row in changes(again, messages, 10, 100)]
    assert found == [(["1", "x", "7"], False), (["2", "y", "3"], False)]


@pytest.mark.parametrize("mode", ["ignore", "add"])
@pytest.mark.parametrize(
    ("form", "seen", "what"),
    [
        (relation(("id", INT)), 5, "name is gone"),
        (relation(("id", INT), ("title", TEXT)), 50, "name is gone, title is new"),
        (relation(("id", LONG), ("name", TEXT)), 50, "id has another type"),
    ],
)
def test_a_column_that_goes_or_gets_another_type_is_refused_in_any_case(
    mode: str, form: bytes, seen: int, what: str
):
    late = replace(plan(), new_columns=mode, seen=seen)
    with pytest.raises(SourceError, match=rf"was altered: {what}"):
        list(changes(late, [begin(10), form, insert("1", "x")], 10, 100))


@pytest.mark.parametrize(
    ("type_", "refused"), [(t.DecimalType(9, 2), True), (t.StringType(), False)]
)
def test_another_precision_is_refused_where_the_type_has_one(type_: t.DataType, refused: bool):
    columns = (("id", t.IntegerType()), ("n", t.ArrayType(type_)))
    table = PgTable("public", "a", columns, ("id",), "a", (23, 1231), (-1, (9 << 16 | 2) + 4))
    wider = relation(("id", INT), ("n", 1231))
    found = changes(
        replace(plan(), tables=(table,)), [begin(10), wider, insert("1", "{}")], 10, 100
    )
    if refused:
        with pytest.raises(SourceError, match="n has another type"):
            list(found)
    else:
        assert list(found) == [(0, (["1", "{}"], False))]


def test_rows_before_the_alteration_are_read():
    wider = relation(("id", INT), ("name", TEXT), ("more", INT))
    rows = changes(plan(), [begin(10), FORM, insert("1", "x"), begin(20), wider], 10, 100)
    assert list(rows) == [(0, (["1", "x"], False))]


def test_a_moved_key_deletes_the_old_row_first():
    update = b"U" + struct.pack(">I", 7) + b"K" + cells("1", None) + b"N" + cells("2", "x")
    assert read(begin(10), FORM, update) == [(["1", None], True), (["2", "x"], False)]


def test_an_unchanged_value_that_is_not_sent_is_refused():
    update = b"U" + struct.pack(">I", 7) + b"N" + cells("1", "UNCHANGED")
    with pytest.raises(SourceError, match="REPLICA IDENTITY FULL"):
        read(begin(10), FORM, update)


def test_an_unchanged_value_is_taken_from_the_old_row():
    old = b"O" + cells("1", "long")
    update = b"U" + struct.pack(">I", 7) + old + b"N" + cells("1", "UNCHANGED")
    assert read(begin(10), FORM, update) == [(["1", "long"], False)]


def test_truncate_is_refused_unless_it_is_to_be_ignored():
    truncate = b"T" + struct.pack(">IBI", 1, 0, 7)
    with pytest.raises(SourceError, match="was truncated"):
        read(begin(10), FORM, truncate)
    assert read(begin(10), FORM, truncate, truncate="ignore") == []
