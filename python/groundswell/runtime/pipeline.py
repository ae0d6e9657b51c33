"""Several views under one barrier, as users put them together."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from html import escape
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.types import StructType

from groundswell import config, jvm
from groundswell.errors import ConfigurationError, SourceError
from groundswell.plan.divert import SCHEMA as DIVERTED
from groundswell.plan.divert import SUFFIX
from groundswell.plan.expiry import check_life
from groundswell.plan.sources import CONFLICTS, Mode, SourceTable, Version
from groundswell.runtime.barriers.refreshing import explained
from groundswell.runtime.launch import Launch
from groundswell.runtime.ownership.standby import stand_by
from groundswell.runtime.planning.automatic import with_automatic
from groundswell.runtime.planning.orders import orders_of, sharing_of
from groundswell.runtime.planning.partitions import partitions_of
from groundswell.runtime.planning.planned import PlannedViews, plan_views
from groundswell.runtime.planning.recursions import sources_in
from groundswell.runtime.planning.sources import check_name, declare
from groundswell.runtime.planning.unfilled import unread_tables
from groundswell.runtime.planning.view_spec import (
    STOP_PIPELINE,
    BatchFunction,
    ViewSpec,
    policies_of,
    view_spec,
)
from groundswell.runtime.query import IncrementalQuery
from groundswell.runtime.reading.indexes import with_statistics
from groundswell.runtime.record import definition
from groundswell.runtime.record.aside import Aside, with_readers
from groundswell.runtime.record.definition import Definition
from groundswell.runtime.record.location import FOLDER
from groundswell.runtime.record.seen import Seen
from groundswell.runtime.request import Request
from groundswell.runtime.tables import Table, keep_whole, make_table, table_spec
from groundswell.runtime.updates import Updates, lock, running, vacate
from groundswell.sinks.registry import SinkSpec, sink_spec
from groundswell.sinks.sink import Sink


class Pipeline:
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
        >>> votes.insert(spark.createDataFrame([(1, "ann"), (1, "bob")], votes.df.schema))
        >>> query = p.start()
        >>> query.processAllAvailable()
        >>> query.view("counts").collect()
        [Row(story=1, count=2)]
        >>> query.stop()
    """

    @jvm.classic_only("gs.pipeline", "CREATE PIPELINE and what follows it in docs/sql.md")
    def __init__(self, spark: SparkSession, location: str, **options: Any) -> None:
        self._spark = spark
        self._options = config.check({**options, "checkpointLocation": location})
        self._location = jvm.qualify(spark, self._options["checkpointLocation"])
        self._views: dict[str, ViewSpec] = {}
        self._aside: dict[str, Aside] = {}
        self._diverted: dict[str, str] = {}
        self._stand_ins: dict[str, tuple[str, DataFrame]] = {}
        self._dropped: set[str] = set()
        self._anew: set[str] = set()
        self._tables: dict[str, DataFrame] = {}
        self._kept: dict[str, DataFrame] = {}
        self._indexes: dict[str, tuple[DataFrame, tuple[str, ...]]] = {}
        self._sinks: dict[str, SinkSpec] = {}

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

        Raises:
            NotIncremental: with every operator of the query that cannot be kept.
            ConfigurationError: if a name or a setting is none.
        """
        check_name("view", name)
        if name in self._views or name in self._diverted:
            raise ConfigurationError(f"two views are named {name!r}")
        view = view_spec(
            name,
            frame,
            sink=foreachBatch,
            emit=emit,
            ttl=ttl,
            ttl_column=ttl_column,
            errors=errors,
            on_failure=onFailure,
            max_state_bytes=maxStateBytes,
            policy=policy,
        )
        planned = plan_views({**self._needed_by(view.frame), name: view})
        self._views[name] = view
        self._diverted |= planned.diverted
        self._dropped -= {name, name + SUFFIX}
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
        check_name("sink", name)
        if name in self._sinks:
            raise ConfigurationError(f"two sinks are named {name!r}")
        if view not in self._views and view not in self._diverted:
            known = ", ".join((*self._views, *self._diverted)) or "none"
            raise ConfigurationError(
                f"sink {name}: the pipeline has no view {view!r}; it has {known}"
            )
        self._sinks[name] = sink_spec(name, view, format, options)
        return self

    def dropSink(self, name: str) -> Pipeline:
        """Gives a sink up, from the next start on; what its target has stays there.

        Raises:
            ConfigurationError: there is no such sink.
        """
        if name not in self._sinks:
            known = ", ".join(self._sinks) or "none"
            raise ConfigurationError(f"the pipeline has no sink {name!r}; it has {known}")
        del self._sinks[name]
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
    ) -> Table:
        """A table of this pipeline that people write to.

        ``.df`` stands for it in the queries of views; ``.insert(df)``, ``.upsert(df)`` and
        ``.delete(df)`` change it, each as a whole at one barrier, and are durable when they return,
        whether the pipeline runs or not. Other processes write with :func:`groundswell.table`.

        Args:
            name: letters, digits and underscores.
            schema: its columns, as StructType or DDL.
            key: name or names of the columns that identify a row; None: rows are only inserted.
            conflict: see :func:`groundswell.upserts`.
            version: see :func:`groundswell.upserts`.
            ttl: see :func:`groundswell.upserts`; needs a key.
            keep: whether the rows that a view has read stay, for views that are added later; as
                the table that is there says, or True. Only a table without a key may say False.

        Raises:
            SourceError: if the key or the conflict mode does not fit.
            ConfigurationError: if there is another table of that name, or ttl is no such time.
        """
        if conflict not in CONFLICTS:
            raise SourceError(f"conflict must be one of {', '.join(CONFLICTS)}, got {conflict!r}")
        spec = table_spec(schema, key, conflict, version, check_life(ttl), keep)
        clean = self._options["checkpointEvery"] == 1
        table = make_table(self._spark, self._location, name, spec, clean)
        if table.df is not None and table.is_kept:
            self._tables[name] = table.df
        return table

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
        self._kept[keep_whole(self._spark, frame)] = frame
        return self

    def release(self, name: str) -> Pipeline:
        """Takes :meth:`keep` back, from the next start on."""
        self._kept.pop(name, None)
        self._tables.pop(name, None)
        return self

    def read(self, name: str) -> DataFrame:
        """A view of this pipeline for other views of it to build on.

        It stands for the view in any query, and has no rows of its own: to see rows, use
        :func:`groundswell.read_view`. Views that read each other are of one epoch always.

        Raises:
            ConfigurationError: if the pipeline has no view of that name.
        """
        if name not in self._views and name not in self._diverted:
            known = ", ".join((*self._views, *self._diverted)) or "none"
            raise ConfigurationError(f"the pipeline has no view {name!r}; it has {known}")
        if name not in self._stand_ins:
            view = self._views.get(name)
            rows = view.frame if view else self._spark.createDataFrame([], DIVERTED)
            source, frame = jvm.view_stand_in(rows)
            declare(jvm.jvm_id(self._spark), SourceTable(source, name, Mode.VIEW))
            self._stand_ins[name] = (source, frame)
        return self._stand_ins[name][1]

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
            name: default: ``index_`` and the columns' names; give one where two would be the same.

        Raises:
            ConfigurationError: if the frame is another query, or has no such column.
        """
        frame = what.df if isinstance(what, Table) else getattr(what, "frame", what)
        if not isinstance(frame, DataFrame):
            raise ConfigurationError(f"an index is of a DataFrame, a view or a table, got {what!r}")
        name = check_name("index", name or "_".join(("index", *columns)))
        if name in self._indexes:
            raise ConfigurationError(
                f"two indexes are named {name!r}; give one another name with index(..., name=...)"
            )
        plan_views(self._needed_by(frame), {name: (frame, columns)})
        self._indexes[name] = (frame, columns)
        return self

    def dropIndex(self, name: str) -> Pipeline:
        """Gives an index up, from the next start on; views that used it are filled anew.

        Raises:
            ConfigurationError: there is no such index.
        """
        if self._indexes.pop(name, None) is None:
            known = ", ".join(self._indexes) or "none"
            raise ConfigurationError(f"the pipeline has no index {name!r}; it has {known}")
        return self

    def createTempViews(self) -> Pipeline:
        """Makes every view a temp view of its name, for the SQL of further views."""
        for name in (*self._views, *self._diverted):
            self.read(name).createOrReplaceTempView(name)
        return self

    def drop(self, name: str) -> Pipeline:
        """Gives a view up, from the next start on; its epochs so far stay readable.

        Raises:
            ConfigurationError: if another view reads it.
        """
        check_name("view", name)
        if name in self._views:
            rest = {view: spec for view, spec in self._views.items() if view != name}
            readers = [v for v, spec in rest.items() if name in self._read_by(spec.frame)]
            readers += [
                f"index {i}" for i, (f, _) in self._indexes.items() if name in self._read_by(f)
            ]
            readers += [f"sink {s.name}" for s in self._sinks.values() if s.view == name]
            if readers:
                raise ConfigurationError(
                    f"view {name!r} is read by {', '.join(readers)}: drop them first"
                )
            self._views = rest
            self._aside.pop(name, None)
            self._stand_ins.pop(name, None)
            self._diverted.pop(name + SUFFIX, None)
            self._stand_ins.pop(name + SUFFIX, None)
        self._dropped |= {name, name + SUFFIX}
        return self

    def explain(self, *, cost: bool = False) -> None:
        """Prints the plans of all views.

        Args:
            cost: also the orders of joins with their costs, and the rows that joins are expected to
                keep beside those that they have.
        """
        print(self._explained(self._planned(shown=cost), cost=cost))  # noqa: T201

    def _explained(self, planned: PlannedViews, *, cost: bool = False) -> str:
        sinks = ["\n".join(map(str, self._sinks.values()))] if self._sinks else []
        sinks += [aside.text(name) for name, aside in self._aside.items()]
        if policies := policies_of(self._going()):
            sinks.append("\n".join(explained(planned.dataflow().operators, policies)))
        return "\n\n".join([planned.explain(cost=cost), *sinks])

    def _repr_html_(self) -> str:
        plan = self._explained(self._planned()) if self._views else "no view yet"
        return f"<b>{escape(repr(self))}</b><pre>{escape(plan)}</pre>"

    def __repr__(self) -> str:
        return f"Pipeline({self._location}: {', '.join(self._views) or 'no view yet'})"

    def start(
        self, *, queryName: str | None = None, standby: bool = False, **trigger: Any
    ) -> IncrementalQuery:
        """Starts the pipeline.

        Views that the location does not have yet are filled before, from the views and keyed
        sources that it has.

        Args:
            queryName: as in Spark.
            standby: wait until the run that has it gives no sign of life; needs ``ownerLease``.
            trigger: ``processingTime="1 second"`` (the barrier interval; default: as soon as
                there is data), ``availableNow=True`` or ``once=True``.

        Raises:
            ConfigurationError, SourceError, DefinitionChanged: before anything is written.
        """
        if standby:
            stand_by(self._home(), self._options["ownerLease"])
        seen = self._look()
        if (owner := definition.load(seen.child(FOLDER))) is not None:
            self._aside = {n: a for n, a in owner.aside.items() if n not in self._dropped}
        planned = self._planned(seen)
        if trigger.keys() - {"processingTime", "availableNow", "once"} or len(trigger) > 1:
            raise ConfigurationError(
                f"trigger {trigger} is not supported; use one of processingTime, availableNow, once"
            )
        launch = self._launch(planned, seen)
        with lock:
            vacate(self._location)
            updates = Updates(self, queryName, trigger)
            updates.query = running[self._location] = IncrementalQuery(
                self._spark,
                self._location,
                tuple(planned.streams),
                launch.start(queryName, trigger),
                self._explained(planned),
                updates,
            )
        return updates.query

    def _home(self) -> jvm.JvmFolder:
        return jvm.JvmFolder.open(self._spark, self._location).child(FOLDER)

    def _look(self) -> Seen:
        return Seen(jvm.JvmFolder.open(self._spark, self._location))

    def _planned(self, seen: Seen | None = None, shown: bool = False) -> PlannedViews:
        if not self._views and not self._kept:
            raise ConfigurationError("the pipeline has no view; add one with view(name, df)")
        if self._views and not self._going():
            raise ConfigurationError(
                "every view of the pipeline is set aside: "
                + "; ".join(aside.text(name) for name, aside in self._aside.items())
            )
        owner = definition.load((seen or self._look()).child(FOLDER))
        planned = self._plan(owner, shown) if self._views else None
        read = {table.name for table in planned.tables.values()} if planned else set()
        unread = unread_tables(read, self._tables, self._kept, owner)
        if unread or planned is None:
            planned = self._plan(owner, shown, unread)
        return with_statistics(self._spark, self._location, planned, self._options, self._anew)

    def _plan(
        self, owner: Definition | None, shown: bool, unread: Sequence[DataFrame] = ()
    ) -> PlannedViews:
        indexes = {
            name: index
            for name, index in self._indexes.items()
            if not self._read_by(index[0]) & self._aside.keys()
        }
        given = owner, self._dropped, self._options, self._anew
        ways = orders_of(self._spark, self._location, *given, shown), sharing_of(*given)
        views, joins = self._going(), self._options["joins"]
        return with_automatic(lambda i: plan_views(views, i, joins, unread, *ways), indexes, *given)

    def _going(self) -> dict[str, ViewSpec]:
        """The views that are not set aside."""
        if not self._aside:
            return self._views
        for name, because in with_readers(self._aside, self._reads()).items():
            if name not in self._aside:
                raise ConfigurationError(
                    f"view {name} cannot be added: {self._aside[because].text(because)}"
                )
        return {name: view for name, view in self._views.items() if name not in self._aside}

    def _read_by(self, frame: DataFrame) -> set[str]:
        keys = sources_in(frame)
        return {
            self._diverted.get(name, name)
            for name, (key, _) in self._stand_ins.items()
            if key in keys
        }

    def _reads(self) -> dict[str, set[str]]:
        """By view, in order, the views that it reads itself."""
        return {name: self._read_by(view.frame) for name, view in self._views.items()}

    def _needed_by(self, frame: DataFrame) -> dict[str, ViewSpec]:
        """The views that a query reads, and those that they read, in order."""
        found: set[str] = set()
        for name in self._read_by(frame):
            found |= {*self._needed_by(self._views[name].frame), name}
        return {name: view for name, view in self._views.items() if name in found}

    def _launch(self, planned: PlannedViews, seen: Seen | None = None) -> Launch:
        return Launch(
            self._spark,
            Request(
                planned,
                self._location,
                {name: v.sink for name, v in self._going().items() if v.sink is not None},
                self._options,
                frozenset(self._dropped),
                partitions_of(self._spark, self._options["partitions"]),
                dict(self._aside),
                {n: v.max_state_bytes for n, v in self._going().items() if v.max_state_bytes},
                [s for s in self._sinks.values() if s.view in planned.streams],
                policies_of(self._going()),
                frozenset(self._anew),
            ),
            seen,
        )
