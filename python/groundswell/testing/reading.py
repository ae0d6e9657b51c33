"""Makes tests of documents: the mappings that a program or a file holds. Pure.

A document has plain mappings, sequences and texts; those of a file know their lines, see
:class:`~groundswell.testing.case.Place`.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from groundswell.catalog.names import check_name
from groundswell.errors import ConfigurationError, SqlSyntaxError
from groundswell.sql.console.file import read_file
from groundswell.sql.parsing.grammar import head
from groundswell.sql.parsing.statements import CreateFunction, CreateRelation, CreateView
from groundswell.suggestions import nearest
from groundswell.testing.case import VIEW, Case, Place, Query, Rows, Step

FILE_KEYS = ("sql", "tables", "tests")
CASE_KEYS = ("name", "view", "query", "given", "expect", "changes")
STEP_KEYS = ("delete", "insert", "upsert", "expect")


@dataclass(frozen=True)
class Statements:
    """Tables, views and functions by their names in lower case."""

    tables: Mapping[str, CreateRelation] = field(default_factory=dict)
    views: Mapping[str, CreateView] = field(default_factory=dict)
    functions: Mapping[str, CreateFunction] = field(default_factory=dict)
    places: Mapping[str, Place] = field(default_factory=dict)
    """Where the columns of tables are written, by name in lower case; of some."""


def statements_of(path: str) -> Statements:
    """The tables, sources, views and functions that a file of SQL statements creates.

    Raises:
        SqlSyntaxError: a statement cannot be read.
        OSError: the file cannot be read.
    """
    tables: dict[str, CreateRelation] = {}
    views: dict[str, CreateView] = {}
    functions: dict[str, CreateFunction] = {}
    for each in read_file(path).statements:
        begins = head(each.text)
        if begins is None or (begins.target is not None and len(begins.target) > 1):
            continue
        statement = begins.read()
        if isinstance(statement, CreateRelation):
            tables[statement.name[-1].lower()] = statement
        elif isinstance(statement, CreateView):
            views[statement.name[-1].lower()] = statement
        elif isinstance(statement, CreateFunction):
            functions[statement.name[-1].lower()] = statement
    return Statements(tables, views, functions)


def read_cases(document: Any, place: Place) -> list[Case]:
    """The tests of a file.

    Raises:
        ConfigurationError: the document is not what it must be; with the line.
    """
    _check_keys("the file", document, FILE_KEYS, place)
    known = Statements()
    if (path := document.get("sql")) is not None:
        if not isinstance(path, str):
            raise place.at(path).error("sql is the path of a file of SQL statements")
        try:
            known = statements_of(str(Path(place.file).parent / path))
        except OSError as e:
            raise place.at(path).error(f"cannot read {path}: {e.strerror}") from e
    tables = {**known.tables, **tables_of(document.get("tables"), place)}
    tests = document.get("tests")
    if not _is_list(tests) or not tests:
        raise place.at(tests).error(f"tests is a list of tests, got {_kind(tests)}")
    listed = document.get("tables") or {}
    places = {name.lower(): place.at(columns) for name, columns in listed.items()}
    known = replace(known, tables=tables, places=places)
    cases = [read_case(each, known, place) for each in tests]
    names = [case.name for case in cases]
    for case in cases:
        if names.count(case.name) > 1:
            raise case.place.error(f"two tests are named {case.name!r}")
    return cases


def case_of(
    query: Query,
    tables: Mapping[str, str],
    given: Mapping[str, Rows],
    changes: Sequence[Mapping[str, Any]],
    expect: Rows | None,
    sql: str | None,
) -> Case:
    """The test that a program asks for.

    Raises:
        ConfigurationError: it is not what it must be.
        OSError: the file of statements cannot be read.
    """
    known = statements_of(sql) if sql is not None else Statements()
    known = replace(known, tables={**known.tables, **tables_of(tables, Place())})
    named = isinstance(query, str) and query.strip().lower() in known.views
    document: dict[str, Any] = {"given": given, "changes": changes, "expect": expect}
    document |= {"view": query.strip()} if isinstance(query, str) and named else {"query": query}
    return read_case(document, known, Place())


def read_case(document: Any, known: Statements, place: Place) -> Case:
    """A test of a document, whose tables and views are known.

    Raises:
        ConfigurationError: the document is not what it must be.
    """
    place = place.at(document)
    _check_keys("a test", document, CASE_KEYS, place)
    name, view, query = (document.get(key) for key in ("name", "view", "query"))
    if (view is None) == (query is None):
        raise place.error(
            "a test has either query, or view with the name of a view in the file sql"
        )
    if view is not None and str(view).lower() not in known.views:
        raise place.at(view).error(
            f"the file of sql creates no view {view!r}{near(view, known.views)}"
        )
    if query is not None and not (isinstance(query, str) or callable(query)):
        raise place.error(f"query is SQL or a function, got {type(query).__name__}")
    changes = document.get("changes") or ()
    if not _is_list(changes):
        raise place.at(changes).error("changes is a list of changes")
    given = _by_table("given", document.get("given") or {}, known, place)
    steps = [Step(inserts=given, expect=_expected(document, place))]
    steps += [_step(each, known, place.at(changes)) for each in changes]
    if all(step.expect is None for step in steps):
        raise place.error("the test expects nothing: give it, or one of its changes, expect")
    name = str(view if name is None and view is not None else name or VIEW)
    called = VIEW if view is None else str(view)
    views = (
        _with_query(known.views, called, query, place) if isinstance(query, str) else known.views
    )
    own = None if isinstance(query, str) else query
    return Case(
        name,
        called,
        own,
        known.tables,
        views,
        known.functions,
        tuple(steps),
        place,
        place.at(view if query is None else query),
        known.places,
    )


def _with_query(
    views: Mapping[str, CreateView], name: str, query: str, place: Place
) -> dict[str, CreateView]:
    """The views with that of a query, which may end with ``EMIT ON WINDOW CLOSE``."""
    begins = head(f"CREATE MATERIALIZED VIEW {name} AS {query.strip().rstrip(';')}")
    assert begins is not None
    try:
        made = begins.read()
    except SqlSyntaxError as e:
        raise place.at(query).error(f"query: {str(e).splitlines()[0]}") from e
    assert isinstance(made, CreateView)
    return {**views, name: made}


def _step(document: Any, known: Statements, place: Place) -> Step:
    place = place.at(document)
    _check_keys("a change", document, STEP_KEYS, place)
    deletes, inserts, upserts = (
        _by_table(key, document.get(key) or {}, known, place) for key in STEP_KEYS[:3]
    )
    return Step(deletes, inserts, upserts, _expected(document, place))


def _expected(document: Mapping[str, Any], place: Place) -> Rows | None:
    expect = document.get("expect")
    if expect is None and "expect" in document and place.file:
        raise place.error("expect has no rows: write [] for a view without rows")
    return None if expect is None else _rows("expect", expect, place)


def _by_table(key: str, document: Any, known: Statements, place: Place) -> dict[str, Rows]:
    if not isinstance(document, Mapping):
        raise place.at(document).error(
            f"{key} is a mapping from the name of a table to its rows, got {_kind(document)}"
        )
    found = {}
    for name, rows in document.items():
        there = [*known.tables, *known.views]
        if str(name).lower() not in there:
            raise place.at(name).error(f"{key}: there is no table {name!r}{near(name, there)}")
        found[name.lower()] = _rows(f"{key}, table {name}", rows, place.at(name))
    return found


def _rows(what: str, rows: Any, place: Place) -> Rows:
    if not _is_list(rows):
        raise place.at(rows).error(f"{what}: expected a list of rows, got {rows!r}")
    for row in rows:
        if not isinstance(row, Mapping) and not _is_list(row):
            raise place.at(row).error(
                f"{what}: a row is a mapping by column, or a list of values, got {row!r}"
            )
    return list(rows)


def tables_of(document: Any, place: Place) -> dict[str, CreateRelation]:
    """Tables by name; each text is what stands in the brackets of ``CREATE TABLE``."""
    found: dict[str, CreateRelation] = {}
    if document is not None and not isinstance(document, Mapping):
        raise place.at(document).error(
            "tables is a mapping from the name of a table to its columns, as in `votes: story "
            f"BIGINT, user STRING`, got {_kind(document)}"
        )
    for name, columns in (document or {}).items():
        at = place.at(columns)
        if not isinstance(columns, str):
            raise at.error(f"table {name}: expected its columns as text, as in `id BIGINT, v INT`")
        try:
            check_name("table", name)
            begins = head(f"CREATE TABLE {name} ({' '.join(columns.split())}) APPEND ONLY")
            made = begins.read() if begins else None
        except ConfigurationError as e:
            what = re.sub(r"^line \d+, column \d+: ", "", str(e).splitlines()[0])
            raise at.error(f"table {name}: {what}") from e
        assert isinstance(made, CreateRelation)
        found[name.lower()] = made
    return found


def _check_keys(what: str, document: Any, known: Collection[str], place: Place) -> None:
    if not isinstance(document, Mapping):
        raise place.at(document).error(
            f"{what} is a mapping with {', '.join(known)}, got {_kind(document)}"
        )
    for key in document:
        if key not in known:
            found = nearest(str(key), known)
            meant = f"Did you mean {found!r}? It" if found else "It"
            raise place.at(key).error(f"{what} has no {key!r}. {meant} has {', '.join(known)}")


def _kind(given: Any) -> str:
    if _is_list(given):
        return "a list" if given else "an empty list"
    return "nothing" if given is None else "a mapping" if isinstance(given, Mapping) else "a text"


def near(name: str, known: Collection[str]) -> str:
    """Goes on after a name that is not known: the nearest one, or all that there are."""
    found = nearest(str(name), known)
    there = f"; there are {', '.join(known)}" if known else "; there are none"
    return f". Did you mean {found!r}?" if found else there


def _is_list(given: Any) -> bool:
    return isinstance(given, Sequence) and not isinstance(given, str | bytes)
