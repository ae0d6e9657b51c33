"""Reads the columns, keys and connectors of ``CREATE TABLE`` and ``CREATE SOURCE``. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NoReturn

from groundswell.catalog.names import is_name
from groundswell.sql.parsing import statements as s
from groundswell.sql.parsing.constraints import (
    add_constraint,
    read_condition,
    read_table_constraint,
    sees_constraint,
)
from groundswell.sql.parsing.cursor import Cursor
from groundswell.sql.parsing.tokens import NUMBER, STRING, syntax_error
from groundswell.sql.parsing.types import read_type

_COLUMNS = "the columns of the table, as (name type, ...)"
_AFTER_TYPE = ("PRIMARY", "NOT", "NULL", "DEFAULT", "CHECK", "COMMENT", "GENERATED", "UNIQUE")
_AFTER_DEFAULT = ("PRIMARY", "NOT", "CHECK", "COMMENT")


def read_relation(c: Cursor, kind: str, name: s.Name, exists: bool) -> s.CreateRelation:
    """After ``CREATE TABLE name`` or ``CREATE SOURCE name``."""
    columns: list[s.Column] = []
    key: tuple[str, ...] = ()
    watermark: s.Watermark | None = None
    constraints: list[s.Constraint] = []
    begin = c.next.start
    if kind == s.TABLE and not c.sees("(") and not c.sees("WITH"):
        c.fail(_COLUMNS)
    opened = c.take("(")
    if opened and not c.take("*"):
        while True:
            start = c.next.start
            if c.sees("PRIMARY", "KEY"):
                c.need("PRIMARY", "KEY")
                key = _once(c, start, key, _key(c))
            elif c.sees("WATERMARK", "FOR"):
                if watermark is not None:
                    raise syntax_error(c.text, start, "a table has one watermark")
                watermark = _watermark(c)
            elif sees_constraint(c):
                add_constraint(c, constraints, read_table_constraint(c, len(constraints)))
            else:
                column, is_key = _column(c, constraints)
                if column.name.lower() in {known.name.lower() for known in columns}:
                    raise syntax_error(c.text, start, f"two columns are named {column.name}")
                columns.append(column)
                if is_key:
                    key = _once(c, start, key, (column.name,))
            if not c.take(","):
                break
    if opened:
        c.need(")")
    append_only = c.take("APPEND", "ONLY")
    options = c.options() if c.take("WITH") else {}
    if kind == s.TABLE and not columns and "connector" not in options:
        raise syntax_error(c.text, begin, f"expected {_COLUMNS}, for nothing else says what it has")
    format_ = encode = None
    if c.take("FORMAT"):
        format_ = c.name("PLAIN, UPSERT or DEBEZIUM").upper()
        c.need("ENCODE")
        encode = c.name("JSON, AVRO or PROTOBUF").upper()
        if c.sees("("):
            options = _more(c, options)
    names = {column.name.lower(): column.name for column in columns}
    return s.CreateRelation(
        kind,
        name,
        tuple(columns),
        tuple(_known(c, names, column, "PRIMARY KEY") for column in key),
        _of(c, names, watermark),
        options,
        format_,
        encode,
        append_only,
        exists,
        tuple(constraints),
    )


def _more(c: Cursor, options: Mapping[str, str]) -> dict[str, str]:
    """Options behind ``ENCODE``, which might stand in ``WITH`` as well."""
    start = c.next.start
    more = c.options()
    if twice := sorted(more.keys() & options.keys()):
        raise syntax_error(c.text, start, f"option {twice[0]!r} is given twice")
    return {**options, **more}


def read_added(c: Cursor, name: s.Name) -> s.AddColumns:
    """After ``ALTER TABLE name ADD``."""
    c.take("COLUMNS") or c.take("COLUMN")
    exists = c.take("IF", "NOT", "EXISTS")
    opened = c.take("(")
    columns: list[s.Column] = []
    while True:
        start = c.next.start
        column, is_key = _column(c, table=name)
        if is_key:
            raise syntax_error(c.text, start, f"column {column.name} cannot be of the PRIMARY KEY")
        if column.name.lower() in {known.name.lower() for known in columns}:
            raise syntax_error(c.text, start, f"two columns are named {column.name}")
        columns.append(column)
        if not c.take(","):
            break
        if not opened and c.take("ADD"):
            c.take("COLUMN")
            exists = c.take("IF", "NOT", "EXISTS") or exists
    if opened:
        c.need(")")
    return s.AddColumns(name, tuple(columns), exists)


def read_altered(c: Cursor, name: s.Name) -> s.AlterTable | None:
    """After ``ALTER TABLE name``: what it does to columns; None: it is something else."""
    _refuse_constraints(c, name)
    if c.take("ADD"):
        return read_added(c, name)
    if c.take("DROP"):
        c.take("COLUMNS") or c.take("COLUMN")
        exists = c.take("IF", "EXISTS")
        if c.sees("("):
            return s.DropColumns(name, c.listed(), exists)
        names = [c.name("a column")]
        while c.take(","):
            if c.take("DROP"):
                c.take("COLUMN")
            names.append(c.name("a column"))
        return s.DropColumns(name, tuple(names), exists)
    if c.take("RENAME", "COLUMN"):
        column = c.name("a column")
        c.need("TO")
        return s.RenameColumn(name, column, c.name("the new name"))
    if c.take("ALTER") or c.take("CHANGE"):
        c.take("COLUMN")
        column = c.name("a column")
        if not c.sees("SET", "DATA") and (c.sees("SET") or c.sees("DROP")):
            c.refuse(
                f"ALTER COLUMN {column} changes its type alone, as ALTER COLUMN {column} TYPE "
                "bigint. Its DEFAULT and NOT NULL stay as they were made"
            )
        c.take("SET", "DATA")
        c.need("TYPE")
        return s.WidenColumn(
            name, column, read_type(c, f"the type of column {column}", _AFTER_TYPE)
        )
    return None


_CONSTRAINED = ("CHECK", "EXPECT", "PRIMARY", "UNIQUE", "FOREIGN", "NOT")


def _refuse_constraints(c: Cursor, name: s.Name) -> None:
    """A column may be called like the words of a constraint, so its words are looked at, too."""
    words = [token.upper or token.text for token in c.tokens[c.at : c.at + 4]]
    adds = words[:2] == ["ADD", "CONSTRAINT"] and words[3:] and words[3] in _CONSTRAINED
    drops = words[:2] == ["DROP", "CONSTRAINT"] and bool(words[2:]) and words[2] not in ("", ",")
    if adds or drops or words[:3] == ["ADD", "CHECK", "("]:
        _refuse_check(c, name)


def _refuse_check(c: Cursor, name: s.Name) -> NoReturn:
    c.refuse(
        f"table {'.'.join(name)} keeps the constraints that it was made with, and gets no more: "
        "an expectation of a materialized view of it, CREATE MATERIALIZED VIEW v (CONSTRAINT c "
        "EXPECT (condition) ON VIOLATION DROP ROW) AS ..., tests its rows"
    )


def _column(
    c: Cursor, constraints: list[s.Constraint] | None = None, table: s.Name = ()
) -> tuple[s.Column, bool]:
    """A column, and whether it is the key; a check of it goes to the constraints."""
    name = c.name("a column")
    type_ = read_type(c, f"the type of column {name}", _AFTER_TYPE)
    is_key = required = False
    default: str | None = None
    while not (c.sees(",") or c.sees(")") or c.ended):
        if c.take("PRIMARY", "KEY"):
            is_key = True
        elif c.take("NOT", "NULL"):
            required = True
        elif c.take("NULL"):
            continue
        elif c.take("COMMENT"):
            c.string("a comment")
        elif constraints is not None and c.take("CHECK"):
            called = f"{name}_check" if is_name(name) else f"check_{len(constraints) + 1}"
            made = s.Constraint(called, read_condition(c), "fail")
            add_constraint(c, constraints, made)
        elif constraints is None and c.sees("CHECK"):
            _refuse_check(c, table)
        elif c.take("DEFAULT"):
            default = c.until(lambda: c.sees(",") or c.next.upper in _AFTER_DEFAULT, "a constant")
        else:
            c.fail("PRIMARY KEY, NOT NULL, DEFAULT, CHECK, COMMENT, a comma or a bracket")
    return s.Column(name, type_, required, default), is_key


def _key(c: Cursor) -> tuple[str, ...]:
    return c.listed() if c.sees("(") else (c.name("a column"),)


def _once(c: Cursor, at: int, before: tuple[str, ...], key: tuple[str, ...]) -> tuple[str, ...]:
    if before:
        raise syntax_error(c.text, at, "a table has one PRIMARY KEY; write PRIMARY KEY (a, b)")
    return key


def _watermark(c: Cursor) -> s.Watermark:
    c.need("WATERMARK", "FOR")
    column = c.name("a column")
    c.need("AS")
    other = c.name(f"the column {column}")
    if other != column:
        c.at -= 1
        c.fail(f"{column}, as WATERMARK FOR {column} AS {column} - INTERVAL 5 SECONDS")
    if not c.take("-"):
        return s.Watermark(column, "0 seconds")
    c.need("INTERVAL")
    token = c.next
    if token.kind not in (STRING, NUMBER):
        c.fail("a time, as INTERVAL 5 SECONDS or INTERVAL '5' SECOND")
    c.at += 1
    unit = "" if c.sees(",") or c.sees(")") else f" {c.name('a unit of time').lower()}"
    return s.Watermark(column, f"{token.value}{unit}")


def _of(c: Cursor, names: dict[str, str], watermark: s.Watermark | None) -> s.Watermark | None:
    if watermark is None:
        return None
    return s.Watermark(_known(c, names, watermark.column, "WATERMARK"), watermark.delay)


def _known(c: Cursor, names: dict[str, str], column: str, what: str) -> str:
    """A source whose columns its connector knows has none here."""
    if names and column.lower() not in names:
        raise syntax_error(
            c.text, 0, f"{what} {column}: there is no such column; there are {', '.join(names)}"
        )
    return names.get(column.lower(), column)
