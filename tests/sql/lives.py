"""What a pipeline of SQL is to hold: tables with their rows, and views as queries over them.

A view keeps the names that columns of its tables had when its statement was run. Batch Spark
computes it from the rows that the model has.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.types import StructType

from incremental.harness import PLAIN, Bag, bag, confs_of

Row = dict[int, Any]
"""By number of a column, its value."""


@dataclass
class Column:
    """A column of a table; ``number`` stays whatever its name is."""

    number: int
    name: str
    type: str
    default: Any = None


@dataclass
class Object:
    """What has a name in the pipeline; ``number`` stays when it is renamed."""

    number: int
    kind: str
    name: str


@dataclass
class Table(Object):
    """A table; the first column of a keyed one is its key."""

    columns: list[Column] = field(default_factory=list)
    keyed: bool = False
    rows: list[Row] = field(default_factory=list)


@dataclass
class View(Object):
    """A view, or a sink with the query that it writes.

    Attributes:
        query: with ``{0}`` and ``{1}`` for the relations that it reads.
        reads: numbers of these relations, each with its columns of then: number, name and type.
        schema: of its rows.
        frozen: its rows, while it is suspended.
        because: the number of the view that was suspended: itself, or one that it reads.
        into: of a sink, the number of the table that it writes into.
    """

    query: str = ""
    reads: list[tuple[int, list[tuple[int, str, str]]]] = field(default_factory=list)
    schema: StructType = field(default_factory=StructType)
    frozen: list[Any] | None = None
    because: int = 0
    into: int | None = None


@dataclass
class Index(Object):
    """An index of a relation."""

    on: int = 0


@dataclass
class Model:
    """All that the pipeline is to have, by number."""

    tables: dict[int, Table] = field(default_factory=dict)
    views: dict[int, View] = field(default_factory=dict)
    sinks: dict[int, View] = field(default_factory=dict)
    indexes: dict[int, Index] = field(default_factory=dict)

    def relations(self) -> dict[int, Table | View]:
        return {**self.tables, **self.views}

    def objects(self) -> Iterator[Object]:
        for some in (self.tables, self.views, self.sinks, self.indexes):
            yield from some.values()

    def taken(self) -> set[str]:
        return {each.name.lower() for each in self.objects()}

    def written(self) -> set[int]:
        """Tables that sinks write into."""
        return {sink.into for sink in self.sinks.values() if sink.into is not None}

    def readers(self, number: int) -> set[int]:
        """What reads a relation, or writes into it, directly or not."""
        found, new = set[int](), {number}
        while new:
            above = {
                each.number
                for each in (*self.views.values(), *self.sinks.values())
                if new & {*(read for read, _ in each.reads), each.into}
            }
            above |= {each.number for each in self.indexes.values() if each.on in new}
            new, found = above - found, found | above
        return found

    def above(self, number: int) -> list[View]:
        """The views that read one, directly or not, and itself."""
        return [self.views[n] for n in {number, *self.readers(number)} if n in self.views]

    def drop(self, number: int) -> None:
        for some in (self.tables, self.views, self.sinks, self.indexes):
            some.pop(number, None)  # type: ignore[attr-defined]


def columns_of(relation: Table | View) -> list[tuple[int, str, str]]:
    """Number, name and type of each column."""
    if isinstance(relation, Table):
        return [(c.number, c.name, c.type) for c in relation.columns]
    fields = relation.schema.fields
    return [(i, f.name, f.dataType.simpleString()) for i, f in enumerate(fields)]


class Batch:
    """Batch Spark over the rows of a model."""

    def __init__(self, session: SparkSession, model: Model) -> None:
        self._session, self._model, self._count = session, model, 0

    def rows(self, view: View) -> Bag:
        with confs_of(self._session, PLAIN):
            return bag(self.frame(view))

    def frame(self, view: View) -> DataFrame:
        """The query of a view or sink, over batch frames."""
        if view.frozen is not None:
            return self._session.createDataFrame(view.frozen, view.schema)
        names = []
        for number, columns in view.reads:
            self._count += 1
            names.append(f"batch_{view.number}_{self._count}")
            self._relation(number, columns).createOrReplaceTempView(names[-1])
        return self._session.sql(view.query.format(*names))

    def _relation(self, number: int, columns: list[tuple[int, str, str]]) -> DataFrame:
        if number in self._model.views:
            return self.frame(self._model.views[number])
        for sink in self._model.sinks.values():
            if sink.into == number:
                return self.frame(sink).toDF(*(name for _, name, _ in columns))
        rows = self._model.tables[number].rows
        schema = ", ".join(f"`{name}` {type_}" for _, name, type_ in columns)
        values = [tuple(row.get(c) for c, _, _ in columns) for row in rows]
        return self._session.createDataFrame(values, schema)


def check(session: SparkSession, model: Model, told: str) -> None:
    """All that people see of a pipeline is what the model has.

    Raises:
        AssertionError: it is not.
    """
    for _ in range(2):  # what a sink brings into a table comes one barrier later
        session.sql("FLUSH")
    found = {row.tableName for row in session.sql("SHOW TABLES").collect()}
    assert found == {each.name for each in model.relations().values()}, told
    batch = Batch(session, model)
    for view in model.views.values():
        frame = session.table(f"`{view.name}`")
        assert frame.columns == view.schema.names, f"{view.name}: {told}"
        assert_rows(frame, batch.rows(view), f"view {view.name}: {view.query}\n{told}")
    for sink in model.sinks.values():
        assert sink.into is not None
        into = session.table(f"`{model.tables[sink.into].name}`")
        assert_rows(into, batch.rows(sink), f"sink {sink.name}: {sink.query}\n{told}")
    for table in model.tables.values():
        if table.number not in model.written():
            frame, names = session.table(f"`{table.name}`"), [c.name for c in table.columns]
            assert frame.columns == names, f"{table.name}: {told}"
            rows = Bag(tuple(row[c.number] for c in table.columns) for row in table.rows)
            assert_rows(frame, rows, f"table {table.name}\n{told}")
    check_jobs(session, model, told)


def assert_rows(frame: DataFrame, right: Bag, told: str) -> None:
    with confs_of(frame.sparkSession, PLAIN):
        seen = Bag(map(tuple, frame.collect()))
    assert seen == right, f"too many {seen - right}, missing {right - seen}: {told}"


def check_jobs(session: SparkSession, model: Model, told: str) -> None:
    """``SHOW JOBS`` has each view and sink, with its state and its epoch."""
    jobs = {row.name: (row.state, row.epoch) for row in session.sql("SHOW JOBS").collect()}
    views = {**model.views, **model.sinks}
    assert jobs.keys() == {each.name for each in views.values()}, told
    for each in views.values():
        state, epoch = jobs[each.name]
        assert state == ("running" if each.frozen is None else "suspended"), f"{each.name}: {told}"
        assert epoch is not None, f"{each.name}: {told}"
