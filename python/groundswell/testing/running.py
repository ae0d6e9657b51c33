"""Runs tests of views: each is a pipeline of its own, in a folder that goes with it."""

from __future__ import annotations

import inspect
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import tzinfo
from typing import Any
from zoneinfo import ZoneInfo

from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.types import StructField, StructType

from groundswell import jvm
from groundswell.api.cdc import table_of
from groundswell.api.session import configure
from groundswell.api.watermarks import with_watermark
from groundswell.catalog import columns_of_tables as columns
from groundswell.errors import GroundswellError
from groundswell.jvm.sql import definition
from groundswell.runtime.pipeline import Pipeline
from groundswell.runtime.query import IncrementalQuery
from groundswell.runtime.tables import Table
from groundswell.sql.connecting.connectors import declared_schema
from groundswell.sql.defining.expecting import checks, expected
from groundswell.sql.defining.functions import checked
from groundswell.sql.defining.view_settings import view_settings
from groundswell.sql.parsing.functions import calls
from groundswell.sql.parsing.statements import TABLE, CreateRelation, CreateView
from groundswell.sql.parsing.tokens import tokens
from groundswell.testing.case import Case, Place, Query, Rows, Step
from groundswell.testing.differences import Difference, difference
from groundswell.testing.reading import case_of, near
from groundswell.testing.values import comparable, rows_of

_OF_ROWS = ("conflict", "version", "ttl")
"""Options of a source that say what becomes of its rows."""


@dataclass(frozen=True)
class Outcome:
    """What a test showed.

    Attributes:
        differences: one for each step after which the view was not as expected.
        zone: the session's time zone.
    """

    differences: tuple[Difference, ...]
    zone: tzinfo

    @property
    def text(self) -> str:
        """All differences, for people; empty: there are none."""
        return "\n".join(line for each in self.differences for line in each.lines(self.zone))


def view_test(
    query: Query,
    *,
    given: Mapping[str, Rows],
    tables: Mapping[str, str] | None = None,
    sql: str | None = None,
    expect: Rows | None = None,
    changes: Sequence[Mapping[str, Any]] = (),
    spark: SparkSession | None = None,
) -> None:
    """Test a view: rows in, changes in, rows out after each step.

    Rows are mappings by column, or sequences in the order of the columns. Values of columns may be
    texts, which are read as the column's type writes them. Expected rows come in any order. They
    may leave columns out, which are not compared then.

    Args:
        query: SQL, the name of a view that ``sql`` creates, or a function that gives a DataFrame
            and takes tables as DataFrames by the names of its parameters.
        given: by name of a table, the rows that it has at first. With ``sql`` also by name of a
            view that the query reads: these rows then stand in its place.
        tables: by name of a table, its columns as in the brackets of ``CREATE TABLE``, such as
            ``"id BIGINT PRIMARY KEY, at TIMESTAMP, WATERMARK FOR at AS at - INTERVAL 5 SECONDS"``.
        sql: path of a file of statements, whose tables, sources and views are known to the query.
            Nothing is read from where its connectors read.
        expect: the rows of the view after the given ones.
        changes: mappings, each with ``delete``, ``insert`` and ``upsert``, which have rows by name
            of a table and are taken in this order at one barrier, and ``expect``: the rows after
            it.
        spark: the session; default: the active one, else one with :func:`groundswell.configure`.

    Raises:
        AssertionError: the view has other rows, with a table of those that differ, by step.
        ConfigurationError, GroundswellError: the test, or the view, cannot be.

    Examples:
        >>> gs.testing.view_test(
        ...     "SELECT story, count(*) AS n FROM votes GROUP BY story",
        ...     tables={
        ...         "votes": "story INT, user STRING, PRIMARY KEY (story, user)"
        ...     },
        ...     given={"votes": [(1, "ann"), (1, "bob")]},
        ...     expect=[(1, 2)],
        ...     changes=[{"delete": {"votes": [(1, "bob")]}, "expect": [(1, 1)]}],
        ... )
    """
    case = case_of(query, tables or {}, given, changes, expect, sql)
    session = spark or SparkSession.getActiveSession()
    if session is None:
        session = configure(SparkSession.builder.master("local[2]")).getOrCreate()
    text = run(session, case).text
    if text:
        raise AssertionError(f"{case.subject} is not as expected\n{text}")


def run(spark: SparkSession, case: Case) -> Outcome:
    """Run a test.

    Raises:
        ConfigurationError: a row, a name or the query cannot be.
        GroundswellError: the view failed.
    """
    zone = ZoneInfo(str(spark.conf.get("spark.sql.session.timeZone")))
    place = _placed(case, case.place)
    with tempfile.TemporaryDirectory(prefix="groundswell-test-") as folder, place:
        bench = _Bench(Pipeline(spark, folder, partitions=1), case, zone)
        return Outcome(tuple(bench.differences()), zone)


@contextmanager
def _placed(case: Case, place: Place) -> Iterator[None]:
    """Errors begin with a place of the file, if they do not name one already."""
    try:
        yield
    except GroundswellError as e:
        if place.file and not str(e).startswith(f"{place.file}:"):
            e.args = (str(place.error(str(e))), *e.args[1:])
        raise
    except PySparkException as e:
        if e.getCondition() == "TABLE_OR_VIEW_NOT_FOUND":
            name = (e.getMessageParameters() or {}).get("relationName", "").replace("`", "")
            known = [*case.tables, *(view for view in case.views if view != case.view.lower())]
            what = f"there is no table or view {name!r}{near(name, known)}"
        else:
            what = jvm.first_line(e)
        raise place.error(f"{case.subject}: {what}") from e


class _Bench:
    """The tables and views of a test, in a pipeline."""

    def __init__(self, pipeline: Pipeline, case: Case, zone: tzinfo) -> None:
        self._pipeline, self._case, self._zone = pipeline, case, zone
        self._tables: dict[str, Table] = {}
        self._frames: dict[str, DataFrame] = {}
        self._above: list[str] = []
        self._watermarked = False
        self._written = set[str]().union(*(step.tables for step in case.steps))
        query = case.query
        with _placed(case, case.query_place):
            if not callable(query):
                self._define(case.view.lower())
            else:
                frame = query(**{name: self._frame(name) for name in self._parameters(query)})
                pipeline.view(case.view, frame)
        for name in sorted(self._written - self._frames.keys()):
            row = next(filter(None, (step.first_row(name) for step in case.steps)), None)
            raise case.place.at(row).error(
                f"{case.subject} does not read {name}, which has rows: read it, or leave them out"
            )

    def differences(self) -> Iterator[Difference]:
        """Writes each step, and compares."""
        run: IncrementalQuery | None = None
        try:
            for number, step in enumerate(self._case.steps):
                with _placed(self._case, self._case.place.at(step.first_row())):
                    self._write(step)
                    if number == 0 and not step.has_rows:
                        self._bring_barrier()
                    run = run or self._pipeline.start()
                    run.processAllAvailable()
                    if self._watermarked and step.has_rows:
                        self._bring_barrier()  # a watermark counts from the next one on
                        run.processAllAvailable()
                if step.expect is not None:
                    found = self._compared(run, self._case.step(number), step.expect)
                    if found is not None:
                        yield found
        finally:
            if run is not None:
                run.stop()

    def _parameters(self, query: Any) -> list[str]:
        names = list(inspect.signature(query).parameters)
        for name in names:
            if name.lower() not in (*self._case.tables, *self._case.views):
                raise self._case.place.error(
                    f"the query's parameter {name} is not a table; there are "
                    f"{', '.join(self._case.tables) or 'none'}"
                )
        return names

    def _frame(self, name: str) -> DataFrame:
        """What stands for a table or view, which is made if it is not there."""
        name = name.lower()
        if name not in self._frames:
            if name in self._case.views and name not in self._written:
                self._define(name)
                self._frames[name] = self._pipeline.read(self._case.views[name].name[-1])
            else:
                self._frames[name] = self._table(name)
        return self._frames[name]

    def _define(self, name: str) -> None:
        """Makes a view, and before it what it reads."""
        view = self._case.views[name]
        self._above.append(name)
        self._pipeline.view(view.name[-1], **view_settings(view, self._query(view)))
        self._above.remove(name)

    def _query(self, view: CreateView) -> DataFrame:
        words = {token.value.lower() for token in tokens(view.query)}
        known = [n for n in (*self._case.tables, *self._case.views) if n in words]
        relations = {name: self._frame(name) for name in known if name not in self._above}
        spark = self._pipeline.program.spark
        called = calls(view.query)
        functions = {
            name: checked(spark, "test", each)
            for name, each in self._case.functions.items()
            if name in called
        }
        frame = definition(spark, view.query, relations, "test", 2, functions)
        return table_of(frame, view.feed) if view.feed else frame

    def _table(self, name: str) -> DataFrame:
        relation = self._case.tables.get(name)
        if relation is None:  # a view whose rows are given
            found = self._query(self._case.views[name]).schema
            schema = StructType([StructField(f.name, f.dataType) for f in found.fields])
            self._tables[name] = self._pipeline.table(name, schema)
            frame = self._tables[name].df
        else:
            with _placed(self._case, self._case.table_places.get(name, self._case.place)):
                frame = self._declared(name, relation)
        assert frame is not None
        return frame

    def _declared(self, name: str, relation: CreateRelation) -> DataFrame:
        if not relation.columns:
            raise self._case.place.error(
                f"{relation.kind} {relation.name[-1]} lists no columns: give them under tables"
            )
        given = {k.lower(): v for k, v in relation.options.items()}
        options: dict[str, Any] = {key: given[key] for key in _OF_ROWS if key in given}
        options["defaults"] = {c.name: c.default for c in relation.columns if c.default is not None}
        schema = declared_schema(relation)
        of_writes = relation.kind == TABLE and not given.get("connector")
        if of_writes:
            options["checks"] = checks(relation)
        table = self._pipeline.table(name, schema, key=relation.key or None, **options)
        self._tables[name] = table
        frame = table.df
        assert frame is not None
        if relation.watermark is not None:
            frame = with_watermark(frame, relation.watermark, f"{relation.kind} {name}")
            self._watermarked = True
        return frame if of_writes else expected(relation, frame)

    def _write(self, step: Step) -> None:
        """All writes of a step, for one barrier."""
        if not step.has_rows:
            return
        with self._pipeline.transaction() as within:
            for what, write in (
                (step.deletes, within.delete),
                (step.inserts, within.insert),
                (step.upserts, within.upsert),
            ):
                for name, rows in what.items():
                    if rows:
                        with _placed(self._case, self._case.place.at(rows[0])):
                            write(name, self._rows(name, rows, write == within.delete))

    def _bring_barrier(self) -> None:
        """Has one come by a write without rows."""
        for table in list(self._tables.values())[:1]:
            table.insert([])

    def _rows(self, name: str, rows: Rows, deletes: bool) -> list[dict[str, Any]]:
        spec = self._tables[name].spec
        schema = columns.stored(spec.struct())
        keys = (*spec.key, *spec.version)
        if deletes and all(not isinstance(r, Mapping) and len(r) == len(keys) for r in rows):
            schema = StructType([schema[key] for key in keys])
        place = self._case.place
        names, values = rows_of(f"table {name}", rows, schema, self._zone, place)
        lacking = {} if deletes else dict.fromkeys(set(schema.names) - set(names))
        return [{**lacking, **dict(zip(names, row, strict=True))} for row in values]

    def _compared(self, run: IncrementalQuery, step: str, expect: Rows) -> Difference | None:
        there = run.view(self._case.view)
        what = f"{self._case.subject}, {step}"
        names, wanted = rows_of(what, expect, there.schema, self._zone, self._case.place)
        types = [there.schema[name].dataType for name in names]

        def same(row: Sequence[Any]) -> tuple[Any, ...]:
            return tuple(comparable(v, of) for v, of in zip(row, types, strict=True))

        found = [same([row[name] for name in names]) for row in there.collect()]
        return difference(step, names, map(same, wanted), found)
