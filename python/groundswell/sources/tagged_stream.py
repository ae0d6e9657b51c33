"""Tables of one server as sources of views; :mod:`tagged` has their rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import types as t
from pyspark.sql.functions import col

from groundswell import jvm
from groundswell.api.events import checked
from groundswell.api.sources import upserts
from groundswell.columns import by_name
from groundswell.plan.sources import GONE, UNREAD
from groundswell.runtime.planning.sources import (
    Follower,
    Measure,
    declare,
    declared,
    follow,
    measure,
)
from groundswell.sources.tagged import ServerTable, hidden


class ServerPlan(Protocol):
    """What reads tables of a server."""

    @property
    def tables(self) -> Sequence[ServerTable]:
        """In the order of their numbers."""


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
            own = own.select(*wanted, *hidden(table), GONE)
        wrong = hidden(table)
        key = (*table.key, UNREAD) if UNREAD in wrong else table.key
        frame = upserts(own, key, delete=col(GONE), name=name or table.source)
        (source,) = jvm.Capture([frame]).description.sources
        id_ = jvm.jvm_id(self.spark)
        known = declared(id_, source.key)
        assert known is not None
        declare(id_, replace(known, defaults=self.defaults(table)))
        if self.follower is not None:
            follow(id_, source.key, self.name, self.follower)
        measure(id_, source.key, self.name, self.backlog)
        return checked(frame, frame.schema) if wrong else frame
