"""Several tables of one server in one stream: each row has its table's number and a struct.

A row with a value that Spark's type does not hold is a row on which views fail, as a text that
cannot be read is one of other sources (:mod:`groundswell.api.events`). If the value is of the key,
:data:`UNREAD` stands for it. Only tables with columns that may have such values have these fields.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Protocol, TypeVar

from pyspark.sql import types as t

from groundswell.errors import SourceError
from groundswell.plan.sources import GONE, MALFORMED, UNREAD
from groundswell.sources.unheld import Unheld, Values

if TYPE_CHECKING:
    import pyarrow as pa

BATCH = 10_000
"""Most rows that wait for a batch."""
_SHOWN = 200
"""Letters of a value that messages show at most."""

RowT = TypeVar("RowT")


class ServerTable(Protocol):
    """A table of a server as it is read."""

    @property
    def columns(self) -> Sequence[tuple[str, t.DataType]]:
        """Names and types, in order."""

    @property
    def key(self) -> tuple[str, ...]:
        """Names of the columns of its primary key."""

    @property
    def source(self) -> str:
        """What the checkpoint calls it."""

    @property
    def qualified(self) -> str:
        """Its name in the server's SQL."""

    @property
    def doubtful(self) -> Collection[str]:
        """Names of the columns that may have values which Spark's type does not hold."""


def tagged_schema(tables: Sequence[ServerTable]) -> t.StructType:
    """Of the rows: the number of the table, and a struct for each table."""
    parts = [t.StructField("_table", t.IntegerType())]
    for number, table in enumerate(tables):
        fields = [t.StructField(name, type_) for name, type_ in table.columns]
        fields += [t.StructField(name, t.StringType()) for name in hidden(table)]
        row = t.StructType([*fields, t.StructField(GONE, t.BooleanType())])
        parts.append(t.StructField(f"t{number}", row))
    return t.StructType(parts)


def hidden(table: ServerTable) -> tuple[str, ...]:
    """The fields that say what is wrong with a row of a table."""
    of_key = not set(table.key).isdisjoint(table.doubtful)
    return ((MALFORMED,) if table.doubtful else ()) + ((UNREAD,) if of_key else ())


def tagged_batch(
    schema: pa.Schema,
    number: int,
    table: ServerTable,
    columns: Sequence[Values],
    deleted: Sequence[bool],
) -> pa.RecordBatch:
    """Rows of one table, in order.

    Args:
        schema: Arrow's, of :func:`tagged_schema`.
        number: of the table.
        table: the table.
        columns: its columns.
        deleted: of each row, whether it is gone.

    Raises:
        SourceError: a value is not held, of a column that is not one of ``doubtful``.
    """
    import pyarrow as pa

    count = len(deleted)
    struct = schema.field(1 + number).type
    fields = [struct.field(i) for i in range(struct.num_fields)]
    wrong = _wrong(table, columns, deleted)
    parts = [
        *(each.array for each in columns),
        *(pa.array(wrong[name], pa.string()) for name in hidden(table)),
        pa.array(deleted, pa.bool_()),
    ]
    rows = pa.StructArray.from_arrays(parts, fields=fields)
    tables = (
        rows if other == number else pa.nulls(count, schema.field(1 + other).type)
        for other in range(len(schema) - 1)
    )
    numbers = pa.array([number] * count, pa.int32())
    return pa.RecordBatch.from_arrays([numbers, *tables], schema=schema)


def _wrong(
    table: ServerTable, columns: Sequence[Values], deleted: Sequence[bool]
) -> dict[str, list[str | None]]:
    """What is wrong with each row, and what stands for its key."""
    names = [name for name, _ in table.columns]
    found: dict[str, list[str | None]] = {n: [None] * len(deleted) for n in (MALFORMED, UNREAD)}
    unheld = [
        (at, name, each)
        for name, column in zip(names, columns, strict=True)
        for at, each in column.unheld.items()
    ]
    for at, name, each in unheld:
        told = _told(table, columns, at, name, each)
        if name not in table.doubtful:
            raise SourceError(f"{told}. Change it at the server, and start at a new location")
        if name in table.key:
            found[UNREAD][at] = _joined(found[UNREAD][at], f"{name} = {each.value}")
        if not deleted[at]:
            found[MALFORMED][at] = _joined(found[MALFORMED][at], told)
    return found


def _told(table: ServerTable, columns: Sequence[Values], at: int, name: str, unheld: Unheld) -> str:
    """A value, by its column, table and row."""
    key = []
    for (other, _), column in zip(table.columns, columns, strict=True):
        if other in table.key:
            of_key = column.unheld.get(at)
            shown = of_key.value if of_key else str(column.array[at])
            key.append(f"{other} = {shown[:_SHOWN]}")
    value = unheld.value if len(unheld.value) <= _SHOWN else f"{unheld.value[:_SHOWN]}..."
    return (
        f"column {name} of table {table.qualified} has the value {value} in the row "
        f"{', '.join(key)}, and {unheld.why}"
    )


def _joined(before: str | None, text: str) -> str:
    return text if before is None else f"{before}; {text}"


class MakesBatches(Protocol[RowT]):
    """What makes batches of one table's rows."""

    def of(self, number: int, rows: list[RowT]) -> pa.RecordBatch:
        """Rows of the table of a number, in order."""


def batched(
    batches: MakesBatches[RowT], rows: Iterable[tuple[int, RowT]]
) -> Iterator[pa.RecordBatch]:
    """The rows in batches; those of a table in their order. The same rows give the same batches.

    Args:
        batches: makes them.
        rows: each with the number of its table.
    """
    waiting: dict[int, list[RowT]] = {}
    count = 0
    for number, row in rows:
        waiting.setdefault(number, []).append(row)
        count += 1
        if count == BATCH:
            yield from (batches.of(n, part) for n, part in sorted(waiting.items()))
            waiting, count = {}, 0
    yield from (batches.of(n, part) for n, part in sorted(waiting.items()))
