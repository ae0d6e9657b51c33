"""Makes tests of views of dbt's unit tests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from decimal import Decimal
from typing import Any

from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from groundswell import jvm
from groundswell.sql.parsing.statements import CreateRelation, CreateView
from groundswell.testing.case import Case, Place
from groundswell.testing.reading import Statements, read_case, tables_of

Fixture = str | Sequence[Mapping[str, Any]]
"""Rows by column; or SQL that gives them."""


@dataclass(frozen=True)
class Input:
    """Rows in the place of what a model reads.

    Attributes:
        name: what the model's query calls it.
        written: as the test names it, such as ``ref('orders')``.
        rows: in its place.
    """

    name: str
    written: str
    rows: Fixture


@dataclass(frozen=True)
class UnitTest:
    """A unit test of a dbt model.

    Attributes:
        name: of the model, and of the test.
        file: where it is written.
        query: of the model, as dbt rendered it for the test.
        inputs: what it reads.
        expect: the model's rows.
        tables: by name in the query.
        views: likewise, queries of models whose columns are written nowhere.
        problem: why the test cannot be run; None: it can.
    """

    name: str
    file: str
    query: str = ""
    inputs: tuple[Input, ...] = ()
    expect: Fixture = ()
    tables: Mapping[str, CreateRelation] = field(default_factory=dict)
    views: Mapping[str, str] = field(default_factory=dict)
    problem: str | None = None

    def case(self, spark: SparkSession) -> Case:
        """The test of a view that it is.

        Args:
            spark: computes rows that are given as SQL.

        Raises:
            ConfigurationError: the test cannot be run.
        """
        place = Place(self.file)
        if self.problem is not None:
            raise place.error(self.problem)
        tables = dict(self.tables)
        given = {}
        for each in self.inputs:
            rows = each.rows
            if isinstance(rows, str):
                rows, columns = _computed(spark, each.written, rows, place)
                if each.name not in self.views and each.name not in tables:
                    tables |= tables_of({each.name: columns}, place)
            given[each.name] = _filled(rows)
        expect = self.expect
        if isinstance(expect, str):
            expect, _ = _computed(spark, "expect", expect, place)
        known = Statements(
            {name.lower(): table for name, table in tables.items()},
            {name.lower(): CreateView((name,), query) for name, query in self.views.items()},
        )
        document = {
            "name": self.name,
            "query": self.query,
            "given": given,
            "expect": [_texts(row) for row in expect],
        }
        return read_case(document, known, place)


def _computed(
    spark: SparkSession, what: str, query: str, place: Place
) -> tuple[list[dict[str, Any]], str]:
    """The rows of a query, and their columns."""
    try:
        frame = spark.sql(query.strip().rstrip(";"))
        columns = ", ".join(f"`{f.name}` {f.dataType.simpleString()}" for f in frame.schema.fields)
        return frame.toArrow().to_pylist(maps_as_pydicts="strict"), columns
    except PySparkException as e:
        raise place.error(f"{what}: {jvm.summary(e)}") from e


def _filled(rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Rows that all have the same columns: what one of them leaves out is null."""
    named = [{str(name).lower(): value for name, value in row.items()} for row in rows]
    names = dict.fromkeys(name for row in named for name in row)
    return [{name: _texts(row.get(name)) for name in names} for row in named]


def _texts(value: Any) -> Any:
    """A value as text, which is read by its column's type: dbt casts what YAML made of it."""
    match value:
        case Mapping():
            return {name: _texts(each) for name, each in value.items()}
        case list() | tuple():
            return [_texts(each) for each in value]
        case bool():
            return str(value).lower()
        case datetime():
            return value.isoformat(" ")
        case int() | float() | Decimal() | date():
            return str(value)
        case _:
            return value
