"""Several tables of one server in one stream: each row has its table's number and a struct."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import types as t
from pyspark.sql.functions import col

from groundswell import jvm
from groundswell.api.events import GONE
from groundswell.api.sources import upserts
from groundswell.columns import by_name
from groundswell.runtime.planning.sources import (
    Follower,
    Measure,
    declare,
    declared,
    follow,
    measure,
)

if TYPE_CHECKING:
    import pyarrow as pa

DELETED = GONE
BATCH = 10_000
"""Most rows that wait for a batch."""

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


class ServerPlan(Protocol):
    """What reads tables of a server."""

    @property
    def tables(self) -> Sequence[ServerTable]:
        """In the order of their numbers."""


def tagged_schema(tables: Sequence[ServerTable]) -> t.StructType:
    """Of the rows: the number of the table, and a struct for each table."""
    parts = [t.StructField("_table", t.IntegerType())]
    for number, table in enumerate(tables):
        fields = [t.StructField(name, type_) for name, type_ in table.columns]
        row = t.StructType([*fields, t.StructField(DELETED, t.BooleanType())])
        parts.append(t.StructField(f"t{number}", row))
    return t.StructType(parts)


def tagged_batch(
    schema: pa.Schema, number: int, columns: Sequence[Any], deleted: Sequence[bool]
) -> pa.RecordBatch:
    """Rows of one table, in order.

    Args:
        schema: Arrow's, of :func:`tagged_schema`.
        number: of the table.
        columns: its columns, as Arrow arrays.
        deleted: of each row, whether it is gone.
    """
    import pyarrow as pa

    count = len(deleted)
    struct = schema.field(1 + number).type
    fields = [struct.field(i) for i in range(struct.num_fields)]
    parts = [*columns, pa.array(deleted, pa.bool_())]
    rows = pa.StructArray.from_arrays(parts, fields=fields)
    tables = (
        rows if other == number else pa.nulls(count, schema.field(1 + other).type)
        for other in range(len(schema) - 1)
    )
    numbers = pa.array([number] * count, pa.int32())
    return pa.RecordBatch.from_arrays([numbers, *tables], schema=schema)


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


@dataclass(frozen=True)
class TaggedStream:
    """Tables of a server in one stream.

    Attributes:
        spark: the session.
        name: of the stream in the checkpoint.
        plan: what reads them.
        rows: of all tables, tagged.
        backlog: looks how much there is.
        follower: what is told of durable epochs; None: nothing is.
        defaults: of a table, by column, what rows have that were there before it, as SQL.
    """

    spark: SparkSession
    name: str
    plan: ServerPlan
    rows: DataFrame
    backlog: Measure
    follower: Follower | None = None
    defaults: Callable[[Any], tuple[tuple[str, str], ...]] = lambda _: ()

    def table(
        self, number: int, name: str | None = None, columns: t.StructType | None = None
    ) -> DataFrame:
        """What stands for one of the tables in views.

        Args:
            number: of the table, from 0.
            name: what the checkpoint calls it; default: its name at the server.
            columns: those that are wanted, with the types to cast to; default: all.
        """
        table = self.plan.tables[number]
        own = self.rows.where(col("_table") == number).select(f"t{number}.*")
        if columns is not None:
            wanted = [by_name(c.name).cast(c.dataType).alias(c.name) for c in columns]
            own = own.select(*wanted, DELETED)
        frame = upserts(own, table.key, delete=col(DELETED), name=name or table.source)
        (source,) = jvm.Capture([frame]).description.sources
        id_ = jvm.jvm_id(self.spark)
        known = declared(id_, source.key)
        assert known is not None
        declare(id_, replace(known, defaults=self.defaults(table)))
        if self.follower is not None:
            follow(id_, source.key, self.name, self.follower)
        measure(id_, source.key, self.name, self.backlog)
        return frame
