"""Messages of logical decoding as rows of the tagged source, in Arrow."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from pyspark.sql.types import DecimalType

from groundswell.errors import SourceError
from groundswell.sources import pgoutput as m
from groundswell.sources.new_columns import ADD, IGNORE, STOP
from groundswell.sources.postgres_server import PgPlan, PgTable
from groundswell.sources.postgres_types import ERROR, NULL, column
from groundswell.sources.tagged import tagged_batch

if TYPE_CHECKING:
    import pyarrow as pa

Row = tuple[list[str | None], bool]
"""The texts of a row's columns, and whether it was deleted."""


class Batches:
    """Makes batches of the tagged schema."""

    def __init__(self, plan: PgPlan) -> None:
        from pyspark.sql.pandas.types import to_arrow_schema

        self._plan = plan
        self._schema = to_arrow_schema(plan.schema, timezone="UTC")

    def _infinity(self, table: PgTable, name: str) -> str:
        """Of a key, null is no way out: -infinity and infinity would be one row."""
        chosen = self._plan.infinity
        return ERROR if chosen == NULL and name in table.key else chosen

    def of(self, number: int, rows: list[Row]) -> pa.RecordBatch:
        """Rows of one table, in order."""
        table = self._plan.tables[number]
        struct = self._schema.field(1 + number).type
        columns = [
            column(
                [r[0][i] for r in rows], type_, struct.field(i).type, self._infinity(table, name)
            )
            for i, (name, type_) in enumerate(table.columns)
        ]
        return tagged_batch(self._schema, number, table, columns, [r[1] for r in rows])


def changes(
    plan: PgPlan, messages: Iterable[bytes], start: int, end: int
) -> Iterator[tuple[int, Row]]:
    """Number of the table and row, of the transactions that end behind ``start``, up to ``end``.

    Raises:
        SourceError: a table's definition does not fit, or a message cannot be applied.
    """
    tables: dict[int, tuple[int, _Reader]] = {}
    wanted = {(table.schema, table.name): i for i, table in enumerate(plan.tables)}
    taken, commit = False, 0
    for data in messages:
        message = m.decode(data)
        if isinstance(message, m.Begin):
            if message.commit >= end:
                return
            taken, commit = message.commit >= start, message.commit
        elif isinstance(message, m.Relation):
            number = wanted.get((message.schema, message.table))
            if number is not None:
                tables[message.id] = (number, _Reader(plan, number, message, commit))
        elif not taken or isinstance(message, m.Commit | m.Other):
            continue
        elif isinstance(message, m.Truncate):
            for id_ in message.relations:
                if id_ in tables and plan.truncate == "error":
                    raise SourceError(_truncated(plan.tables[tables[id_][0]]))
        elif message.relation in tables:
            number, reader = tables[message.relation]
            for row in reader.rows(message):
                yield number, row


def _truncated(table: PgTable) -> str:
    return (
        f"table {table.qualified} was truncated, and TRUNCATE does not say which rows are gone. "
        "Use DELETE in its place; to go on, start at a new location, or give truncate='ignore', "
        "which keeps the rows"
    )


def _rescaled(table: PgTable, relation: m.Relation, others: Sequence[str]) -> list[str]:
    """Numerics whose precision or scale is another one, so that Spark's type does not fit."""
    now = {c.name: c.modifier for c in relation.columns if c.name not in others}
    return [
        name
        for (name, type_), was in zip(table.columns, table.modifiers, strict=True)
        if isinstance(getattr(type_, "elementType", type_), DecimalType)
        and now.get(name, was) != was
    ]


class _Reader:
    """Rows of a table out of messages about one form of it."""

    def __init__(self, plan: PgPlan, number: int, relation: m.Relation, commit: int) -> None:
        """Compares one form of a table with that of the plan.

        Args:
            plan: what reads it.
            number: of the table.
            relation: its form.
            commit: where the transaction ends that has this form: before the plan was made, it may
                be an older form.
        """
        self._table = table = plan.tables[number]
        places = {c.name: i for i, c in enumerate(relation.columns)}
        missing = [name for name, _ in table.columns if name not in places]
        types = dict(zip((name for name, _ in table.columns), table.oids, strict=True))
        changed = [c.name for c in relation.columns if c.name in types and types[c.name] != c.type]
        changed += _rescaled(table, relation, changed)
        added = [c.name for c in relation.columns if c.name not in types]
        self._wrong = ""
        older = plan.new_columns != STOP and commit <= plan.seen
        if older and not (missing and added):  # some came since, or have gone; both: maybe renamed
            missing, added = [], []
        elif plan.new_columns == IGNORE and not missing:
            added = []
        if added and not (missing or changed) and plan.new_columns == ADD:
            self._wrong = (
                f"table {table.qualified} has got {', '.join(added)}. Nothing is lost: the slot "
                "keeps the changes. Start again: the source has it then"
            )
        elif missing or changed or added:
            what = [
                *(f"{n} is gone" for n in missing),
                *(f"{n} has another type" for n in changed),
                *(f"{n} is new" for n in added),
            ]
            self._wrong = (
                f"table {table.qualified} was altered: {', '.join(what)}. Nothing is lost: the "
                "slot keeps the changes. Start at a new location, with another name=: it begins "
                "with a snapshot of the table as it is now"
                + ("" if missing or changed else "; or with new_columns='add', which takes it in")
            )
        self._places = [places.get(name, -1) for name, _ in table.columns]
        self._key = [i for i, (name, _) in enumerate(table.columns) if name in table.key]

    def rows(self, message: m.Insert | m.Update | m.Delete) -> Iterator[Row]:
        if self._wrong:
            raise SourceError(self._wrong)
        if isinstance(message, m.Insert):
            yield self._row(message.new, None), False
            return
        before = message.old or message.key
        if isinstance(message, m.Delete):
            assert before is not None
            yield self._gone(before), True
            return
        row = self._row(message.new, message.old)
        if before is not None:
            gone = self._gone(before)
            if any(gone[i] != row[i] for i in self._key):
                yield gone, True
        yield row, False

    def _row(self, cells: m.Cells, old: m.Cells | None) -> list[str | None]:
        found: list[str | None] = []
        for at, ((name, _), place) in enumerate(
            zip(self._table.columns, self._places, strict=True)
        ):
            if place < 0:
                found.append(self._table.missing[at] if self._table.missing else None)
                continue
            cell = cells[place]
            if isinstance(cell, m.Unchanged) and old is not None:
                cell = old[place]
            if isinstance(cell, m.Unchanged):
                raise SourceError(
                    f"an update of {self._table.qualified} leaves out column {name}, which is "
                    "stored out of line (TOAST) and did not change: ALTER TABLE "
                    f"{self._table.qualified} REPLICA IDENTITY FULL, and start at a new location"
                )
            found.append(cell)
        return found

    def _gone(self, cells: m.Cells) -> list[str | None]:
        texts: list[str | None] = [None] * len(self._places)
        for i in self._key:
            cell = cells[self._places[i]]
            assert not isinstance(cell, m.Unchanged)
            texts[i] = cell
        return texts
