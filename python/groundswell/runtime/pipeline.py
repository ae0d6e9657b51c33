"""Several views under one barrier, as users put them together."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from functools import partial
from html import escape
from pathlib import Path
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.types import StructType

from groundswell import config, jvm
from groundswell.catalog import parts
from groundswell.catalog.change import (
    AddSink,
    DropIndex,
    DropSink,
    DropTable,
    DropView,
    PutTable,
)
from groundswell.catalog.expectation import Expectation
from groundswell.catalog.parts import Kept
from groundswell.catalog.table_spec import TableSpec, table_spec
from groundswell.catalog.view import STOP_PIPELINE, BatchFunction
from groundswell.listing import Listed
from groundswell.plan.expiry import check_life
from groundswell.plan.sources import Version
from groundswell.runtime.making_tables import keep_whole, make_table
from groundswell.runtime.new_columns import earlier_frame
from groundswell.runtime.ownership.living import CONF, check_free
from groundswell.runtime.ownership.standby import stand_by
from groundswell.runtime.planning.sources import declared
from groundswell.runtime.program import Program
from groundswell.runtime.query import IncrementalQuery
from groundswell.runtime.starting import Starter, carry_out
from groundswell.runtime.tables import Table
from groundswell.runtime.transactions import Transaction
from groundswell.runtime.transition import Transition
from groundswell.sinks.registry import sink_spec
from groundswell.sinks.sink import Sink


class Pipeline(Listed):
    """Views that are kept together: they share sources, and agree with each other at every epoch.

    Args:
        spark: the session that runs it.
        location: its checkpointLocation.
        options: see :data:`groundswell.config.OPTIONS`.

    Examples:
        >>> p = gs.pipeline(spark, location)
        >>> votes = p.table("votes", "story bigint, user string")
        >>> p.view("counts", votes.df.groupBy("story").count())  # doctest: +ELLIPSIS
        Pipeline(...: counts)
        >>> votes.insert([(1, "ann"), (1, "bob")])
        >>> query = p.start()
        >>> query.processAllAvailable()
        >>> query.view("counts").collect()
        [Row(story=1, count=2)]
        >>> query.stop()
    """

    INSIDE = frozenset({"program"})

    @property
    def program(self) -> Program:
        """The catalog behind the pipeline, and what plans it; SQL and others change it too."""
        return self._program

    @jvm.classic_only("gs.pipeline", "CREATE PIPELINE and what follows it in docs/sql.md")
    def __init__(self, spark: SparkSession, location: str | Path, **options: Any) -> None:
        self._program = Program(spark, str(location), options)

    def view(
        self,
        name: str,
        frame: Any,
        foreachBatch: BatchFunction | None = None,
        emit: str | None = None,
        *,
        ttl: str | timedelta | None = None,
        ttl_column: str | None = None,
        errors: str | None = None,
        onFailure: str = STOP_PIPELINE,
        maxStateBytes: int | None = None,
        policy: str | None = None,
        expect: Iterable[Expectation] | None = None,
    ) -> Pipeline:
        """Adds a view.

        Args:
            name: what readers call it; letters, digits and underscores.
            frame: a DataFrame, or what ``incremental()`` made of one.
            foreachBatch: takes (changelog DataFrame, epoch), for every epoch once it is durable.
            emit: ``update`` (default) or ``window_close``, see ``incremental()``.
            ttl: how long a row stays by the barriers' clock, as ``"1 hour"``; default: for ever.
            ttl_column: since when: a timestamp column of the view; default: since it last changed.
            errors: what a row does that an expression of the query cannot digest, see
                ``incremental()``; ``fail`` by default.
            onFailure: what a failure of this view ends: ``stop_pipeline`` (default), or
                ``set_aside``: this view and those that read it stay at their last good epoch, the
                others go on, and :meth:`IncrementalQuery.resume` fills it again.
            maxStateBytes: how many bytes the states behind the view may take in storage, without
                its sources' tables; above that it has failed. Default: as many as it will.
            policy: whether a barrier may compute the view anew: ``AUTO`` (if that is cheaper),
                ``INCREMENTAL``, ``FULL`` or ``STRICT``, see ``docs/refresh-policy.md``. It may be
                another at each start. Default: as ``INCREMENTAL``.
            expect: what its rows are to meet, as :class:`groundswell.Expectation`. Other rows are
                those of the view ``NAME_diverted``, unless their constraint fails the barrier.

        Raises:
            NotIncremental: with every operator of the query that cannot be kept.
            ConfigurationError: if a name or a setting is none.
        """
        self._program.apply(
            self._program.add_view(
                name,
                frame,
                foreachBatch=foreachBatch,
                emit=emit,
                ttl=ttl,
                ttl_column=ttl_column,
                errors=errors,
                onFailure=onFailure,
                maxStateBytes=maxStateBytes,
                policy=policy,
                expect=expect,
            )
        )
        return self

    def sink(
        self,
        name: str,
        view: str,
        format: str | Sink,  # noqa: A002
        **options: Any,
    ) -> Pipeline:
        """Sends the changes of a view to another system, each epoch exactly once.

        A sink that is new gets the rows that the view has, then the changes of every epoch after
        the epoch is durable. The system keeps the epoch's number with the changes.

        Args:
            name: what the sink is called: letters, digits and underscores. Its progress is kept
                under this name, so keep it from start to start.
            view: name of a view of this pipeline.
            format: a name, see ``docs/sinks.md``, or your own :class:`groundswell.Sink`.
            options: of the format, and those that every sink has: ``key``, ``snapshot`` and
                ``retry_seconds``.

        Raises:
            ConfigurationError: no such view, format or option.

        Examples:
            >>> votes = p.table("votes", "story bigint, user string")
            >>> _ = p.view("fans", votes.df.where("story = 1"))
            >>> p.sink("files", "fans", "parquet", path=folder)  # doctest: +ELLIPSIS
            Pipeline(...: fans)
        """
        self._program.apply(AddSink(sink_spec(name, view, format, options)))
        return self

    def dropSink(self, name: str) -> Pipeline:
        """Gives a sink up, from the next start on; what its target has stays there.

        Raises:
            ConfigurationError: there is no such sink.
        """
        self._program.apply(DropSink(name))
        return self

    def table(
        self,
        name: str,
        schema: StructType | str,
        *,
        key: str | Sequence[str] | None = None,
        conflict: str = "overwrite",
        version: Version = None,
        ttl: str | timedelta | None = None,
        keep: bool | None = None,
        defaults: Mapping[str, str] | None = None,
        checks: Mapping[str, str] | None = None,
    ) -> Table:
        """A table of this pipeline that people write to.

        ``.df`` stands for it in the queries of views; ``.insert(df)``, ``.upsert(df)`` and
        ``.delete(df)`` change it, each as a whole at one barrier, and are durable when they return,
        whether the pipeline runs or not. Other processes write with :func:`groundswell.table`.

        Args:
            name: letters, digits and underscores.
            schema: its columns, as StructType or DDL; writes are checked for its ``NOT NULL`` and
                ``varchar(n)``.
            key: name or names of the columns that identify a row; None: rows are only inserted.
            conflict: see :func:`groundswell.upserts`.
            version: see :func:`groundswell.upserts`.
            ttl: see :func:`groundswell.upserts`; needs a key.
            keep: whether the rows that a view has read stay, for views that are added later; as
                the table that is there says, or True. Only a table without a key may say False.
            defaults: by name of a column, what rows of before the column was there have in it: a
                constant as SQL has it, as ``{"score": "0"}``; default: null.
            checks: by name, conditions in SQL that each row written is to meet, as
                ``{"positive": "score > 0"}``; null meets one. They are the same at each start.

        Raises:
            SourceError: if the key, the conflict mode or a type does not fit; of a write: if the
                key or a ``NOT NULL`` column is null, a value is too long, or a row does not meet a
                check.
            ConfigurationError: if there is another table of that name, or ttl is no such time. One
                with fewer columns is this one: the next start adds them, see
                :meth:`Table.addColumns`.
        """
        life = check_life(ttl)
        return self._put_table(
            name, table_spec(schema, key, conflict, version, life, keep, defaults, checks=checks)
        )

    def _put_table(self, name: str, spec: TableSpec) -> Table:
        """As :meth:`table`, of a specification."""
        table, change = self._table(name, spec)
        self._program.apply(change)
        return table

    def _table(self, name: str, spec: TableSpec, drops: bool = False) -> tuple[Table, PutTable]:
        """A table, and the change that puts it into the catalog.

        Statements of SQL say all that there is to be; a program may be an old one.
        """
        drops = drops or self._program.of_statements
        program = self._program
        options = program.catalog.options
        clean = config.deletes_writes(options)
        known = program.catalog.tables.get(name)
        if known is None:
            program.catalog.need_no_table(name)
        before = known.source if known is not None else ""
        table = make_table(program.spark, program.location, name, spec, clean, before, drops)
        assert table.df is not None
        table._change = partial(self._change_table, name)
        kept = Kept.ONCE_READ if table.is_kept else Kept.NEVER
        made = parts.Table(
            table.df, kept, source=table.source, spec=table.spec, noted=table.noted, drops=drops
        )
        return table, PutTable(name, made)

    def _table_as_it_was(
        self, name: str, schema: StructType, stored: Mapping[str, str]
    ) -> DataFrame:
        """What stands for a table in queries of before it had other columns than these."""
        table, spark = self._program.catalog.tables[name], self._program.spark
        known = declared(jvm.jvm_id(spark), table.source)
        keyed = known is not None and bool(known.key)
        source, frame = earlier_frame(spark, schema, keyed, stored)
        self._put_earlier(name, {source})
        return frame

    def _put_earlier(self, name: str, sources: Collection[str]) -> None:
        """Has placeholders of before mean a table or source that has other columns now."""
        table = self._program.catalog.tables[name]
        change = PutTable(name, replace(table, earlier=table.earlier.union(sources)))
        self._program.apply(change)

    def _change_table(self, name: str, spec: TableSpec) -> Table:
        """A table that is there, as it is to be; a running query goes on with it."""
        table, change = self._table(name, spec, drops=True)
        carry_out(self._program, change)
        return table

    def transaction(self) -> Transaction:
        """Begins writes to several tables that one barrier takes, all of them or none."""
        return Transaction(self._program.spark, self._program.location)

    def keep(self, what: Table | DataFrame) -> Pipeline:
        """Keeps a table's rows from the next start on, for readers and views to come.

        Without it a table is kept from when a view reads it on. The rows are read with
        :func:`groundswell.read_view`, by the table's name, unless a view has the name.

        Args:
            what: a table of the pipeline with a key, or what :func:`groundswell.upserts` returned.

        Raises:
            ConfigurationError: it is another query, or has no key or name.
        """
        frame = what.df if isinstance(what, Table) else what
        assert frame is not None
        name = keep_whole(self._program.spark, frame)
        self._program.apply(PutTable(name, parts.Table(frame, Kept.ALWAYS)))
        return self

    def release(self, name: str) -> Pipeline:
        """Takes :meth:`keep` back, from the next start on."""
        self._program.apply(DropTable(name))
        return self

    def read(self, name: str) -> DataFrame:
        """A view of this pipeline for other views of it to build on.

        It stands for the view in any query, and has no rows of its own: to see rows, use
        :func:`groundswell.read_view`. Views that read each other are of one epoch always.

        Raises:
            ConfigurationError: if the pipeline has no view of that name.
        """
        return self._program.read(name)

    def index(self, what: Any, *columns: str, name: str | None = None) -> Pipeline:
        """Keeps a table or view by some of its columns, once for all that look it up.

        Joins of which every input has an index on columns that it is joined by keep no state of
        their own (option ``joins``); :func:`groundswell.lookup` reads single keys, and by the first
        columns alone. An index may be added to a pipeline that has run: it is filled from what is
        kept of the table.

        Args:
            what: a source, ``pipeline.read(view)`` or a table of the pipeline; a frame that leaves
                columns of one out keeps only the others, for joins that need no more.
            columns: names of the index columns; rows are placed by the first, so take one that has
                many values.
            name: default: ``index_``, the table's name and the columns' names.

        Raises:
            ConfigurationError: if the frame is another query, or has no such column.
        """
        self._program.apply(self._program.add_index(what, columns, name))
        return self

    def dropIndex(self, name: str) -> Pipeline:
        """Gives an index up, from the next start on; views that used it are backfilled again.

        Raises:
            ConfigurationError: there is no such index.
        """
        self._program.apply(DropIndex(name))
        return self

    def createTempViews(self) -> Pipeline:
        """Makes every view a temp view of its name, for the SQL of further views."""
        catalog = self._program.catalog
        for name in (*catalog.views, *catalog.error_rows):
            self.read(name).createOrReplaceTempView(name)
        return self

    def drop(self, name: str) -> Pipeline:
        """Gives a view up, from the next start on; its epochs so far stay readable.

        Raises:
            ConfigurationError: if another view reads it.
        """
        self._program.apply(DropView(name))
        return self

    def explain(self, *, cost: bool = False) -> None:
        """Prints the plans of all views.

        Args:
            cost: also the orders of joins with their costs, and the rows that joins are expected to
                keep beside those that they have.
        """
        program = self._program
        planned = program.planned(shown=cost)
        print(program.explained(program.catalog, planned, cost=cost))  # noqa: T201

    def plan(self) -> Transition:
        """What a start would make of the states that the location has; nothing is written.

        Returns:
            What becomes of each state: it stays, is written again, is computed from rows that are
            kept, begins empty, or goes. Printed, it says so of views, indexes and tables.

        Raises:
            GroundswellError: what the start would raise.

        Examples:
            >>> votes = p.table("votes", "story bigint, user string")
            >>> _ = p.view("counts", votes.df.groupBy("story").count())
            >>> str(p.plan()).splitlines()[1].split()
            ['begin', '3', 'states', 'of', 'source', 'votes,', 'view', 'counts']
        """
        return self._program.transition()

    def _repr_html_(self) -> str:
        program = self._program
        plan = "no view yet"
        if program.catalog.views:
            plan = program.explained(program.catalog, program.planned())
        return f"<b>{escape(repr(self))}</b><pre>{escape(plan)}</pre>"

    def __repr__(self) -> str:
        return f"Pipeline({self._program.location}: {self._program.catalog})"

    def start(
        self,
        *,
        queryName: str | None = None,
        standby: bool = False,
        takeover: bool = False,
        **trigger: Any,
    ) -> IncrementalQuery:
        """Starts the pipeline.

        Views that the location does not have yet are filled before, from the views and keyed
        sources that it has.

        Args:
            queryName: as in Spark.
            standby: wait until the run that has it gives no sign of life; needs ``ownerLease``.
            takeover: end the run that has the location, should it live in another process. The conf
                ``spark.groundswell.takeover`` says so for all starts. Default: such a start is
                refused.
            trigger: ``processingTime="1 second"`` (the barrier interval; default: as soon as
                there is data), ``availableNow=True`` or ``once=True``.

        Raises:
            ConfigurationError: another process runs it, or something is not as it must be.
            SourceError, DefinitionChanged: nothing is written, either.
        """
        program = self._program
        if standby:
            stand_by(program.home(), program.catalog.options["ownerLease"])
        takes = takeover or standby or program.spark.conf.get(CONF, "false") == "true"
        check_free(program.home(), program.location, jvm.here(program.spark), takes)
        return IncrementalQuery(program, Starter(program, queryName, trigger))
