"""What a program says that a pipeline is, until a start writes it down as the definition."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pyspark.sql import DataFrame, SparkSession

from groundswell import config, jvm
from groundswell.errors import ConfigurationError
from groundswell.plan.divert import SCHEMA as DIVERTED
from groundswell.plan.sources import Mode, SourceTable
from groundswell.runtime.barriers.refreshing import explained
from groundswell.runtime.launch import Launch
from groundswell.runtime.planning.automatic import with_automatic
from groundswell.runtime.planning.orders import orders_of, sharing_of
from groundswell.runtime.planning.partitions import partitions_of
from groundswell.runtime.planning.planned import PlannedViews, plan_views
from groundswell.runtime.planning.recursions import sources_in
from groundswell.runtime.planning.sources import declare
from groundswell.runtime.planning.unfilled import unread_tables
from groundswell.runtime.planning.view_spec import ViewSpec, policies_of
from groundswell.runtime.reading.indexes import with_statistics
from groundswell.runtime.record import definition
from groundswell.runtime.record.aside import Aside, with_readers
from groundswell.runtime.record.definition import Definition
from groundswell.runtime.record.location import FOLDER
from groundswell.runtime.record.seen import Seen
from groundswell.runtime.request import Request
from groundswell.sinks.registry import SinkSpec


class Declared:
    """Views, tables, indexes and sinks, and how they are to be planned and run.

    Attributes:
        spark: the session.
        location: the checkpointLocation, qualified.
        options: see :data:`groundswell.config.OPTIONS`.
        views: in the order of their declaration.
        aside: those that stand still, by name.
        diverted: by the name of a view of rows that failed, the view that they failed in.
        stand_ins: by view, the key of the source that stands for it in queries, and its frame.
        dropped: names that were given up since the last start.
        anew: views to be planned again, whatever the definition says.
        tables: those that people write to and whose rows are kept, by name.
        kept: sources that are kept whole, by name.
        indexes: by name, what of, and by which columns.
        sinks: by name.
    """

    def __init__(self, spark: SparkSession, location: str, options: dict[str, Any]) -> None:
        self.spark = spark
        self.options = config.check({**options, "checkpointLocation": location})
        self.location = jvm.qualify(spark, self.options["checkpointLocation"])
        self.views: dict[str, ViewSpec] = {}
        self.aside: dict[str, Aside] = {}
        self.diverted: dict[str, str] = {}
        self.stand_ins: dict[str, tuple[str, DataFrame]] = {}
        self.dropped: set[str] = set()
        self.anew: set[str] = set()
        self.tables: dict[str, DataFrame] = {}
        self.kept: dict[str, DataFrame] = {}
        self.indexes: dict[str, tuple[DataFrame, tuple[str, ...]]] = {}
        self.sinks: dict[str, SinkSpec] = {}

    def parts(self) -> list[tuple[str, Any]]:
        """What it consists of: names and the dicts and sets themselves, in a fixed order."""
        return [(name, part) for name, part in vars(self).items() if isinstance(part, dict | set)]

    def copies(self) -> dict[str, Any]:
        """The parts as they are now; :meth:`restore` takes them."""
        return {name: part.copy() for name, part in self.parts()}

    def restore(self, copies: dict[str, Any]) -> None:
        """Makes the parts what they were."""
        vars(self).update(copies)

    def home(self) -> jvm.JvmFolder:
        """The pipeline's folder in the location."""
        return jvm.JvmFolder.open(self.spark, self.location).child(FOLDER)

    def look(self) -> Seen:
        """What the location holds, each thing asked for once."""
        return Seen(jvm.JvmFolder.open(self.spark, self.location))

    def has_view(self, name: str) -> bool:
        """Whether readers find a view of that name, rows that failed included."""
        return name in self.views or name in self.diverted

    def need_view(self, name: str, who: str = "") -> None:
        """Refuses a name that no view has.

        Args:
            name: of the view.
            who: begins the message: who asks for it.
        """
        if not self.has_view(name):
            known = ", ".join((*self.views, *self.diverted)) or "none"
            raise ConfigurationError(f"{who}the pipeline has no view {name!r}; it has {known}")

    def stand_in(self, name: str) -> DataFrame:
        """The frame that stands for a view in queries."""
        if name not in self.stand_ins:
            view = self.views.get(name)
            rows = view.frame if view else self.spark.createDataFrame([], DIVERTED)
            source, frame = jvm.view_stand_in(rows)
            declare(jvm.jvm_id(self.spark), SourceTable(source, name, Mode.VIEW))
            self.stand_ins[name] = (source, frame)
        return self.stand_ins[name][1]

    def read_by(self, frame: DataFrame) -> set[str]:
        """The views that a query reads itself."""
        keys = sources_in(frame)
        return {
            self.diverted.get(name, name)
            for name, (key, _) in self.stand_ins.items()
            if key in keys
        }

    def reads(self) -> dict[str, set[str]]:
        """By view, in order, the views that it reads itself."""
        return {name: self.read_by(view.frame) for name, view in self.views.items()}

    def readers_of(self, view: str) -> list[str]:
        """What reads a view itself: views by name, then indexes and sinks, each with its kind."""
        found = [name for name, read in self.reads().items() if view in read and name != view]
        found += [f"index {i}" for i, (f, _) in self.indexes.items() if view in self.read_by(f)]
        return found + [f"sink {s.name}" for s in self.sinks.values() if s.view == view]

    def needed_by(self, frame: DataFrame) -> dict[str, ViewSpec]:
        """The views that a query reads, and those that they read, in order."""
        found: set[str] = set()
        for name in self.read_by(frame):
            found |= {*self.needed_by(self.views[name].frame), name}
        return {name: view for name, view in self.views.items() if name in found}

    def going(self) -> dict[str, ViewSpec]:
        """The views that are not set aside."""
        if not self.aside:
            return self.views
        for name, because in with_readers(self.aside, self.reads()).items():
            if name not in self.aside:
                raise ConfigurationError(
                    f"view {name} cannot be added: {self.aside[because].text(because)}"
                )
        return {name: view for name, view in self.views.items() if name not in self.aside}

    def planned(self, seen: Seen | None = None, shown: bool = False) -> PlannedViews:
        """One dataflow for all that goes on.

        Args:
            seen: the location, if somebody has looked at it.
            shown: whether the orders of joins that were not taken are wanted, too.
        """
        if not self.views and not self.kept:
            raise ConfigurationError("the pipeline has no view; add one with view(name, df)")
        if self.views and not self.going():
            raise ConfigurationError(
                "every view of the pipeline is set aside: "
                + "; ".join(aside.text(name) for name, aside in self.aside.items())
            )
        owner = definition.load((seen or self.look()).child(FOLDER))
        planned = self._plan(owner, shown) if self.views else None
        read = {table.name for table in planned.tables.values()} if planned else set()
        unread = unread_tables(read, self.tables, self.kept, owner)
        if unread or planned is None:
            planned = self._plan(owner, shown, unread)
        return with_statistics(self.spark, self.location, planned, self.options, self.anew)

    def _plan(
        self, owner: Definition | None, shown: bool, unread: Sequence[DataFrame] = ()
    ) -> PlannedViews:
        indexes = {
            name: index
            for name, index in self.indexes.items()
            if not self.read_by(index[0]) & self.aside.keys()
        }
        given = owner, self.dropped, self.options, self.anew
        ways = orders_of(self.spark, self.location, *given, shown), sharing_of(*given)
        views, joins = self.going(), self.options["joins"]
        begun = {} if owner is None else owner.views

        def plan(indexes: Mapping[str, Any]) -> PlannedViews:
            return plan_views(views, indexes, joins, unread, *ways, begun)

        return with_automatic(plan, indexes, *given)

    def explained(self, planned: PlannedViews, *, cost: bool = False) -> str:
        """The plan, the sinks, what stands still, and how views are refreshed, for people."""
        sinks = ["\n".join(map(str, self.sinks.values()))] if self.sinks else []
        sinks += [aside.text(name) for name, aside in self.aside.items()]
        if policies := policies_of(self.going()):
            sinks.append("\n".join(explained(planned.dataflow().operators, policies)))
        return "\n\n".join([planned.explain(cost=cost), *sinks])

    def launch(self, planned: PlannedViews, seen: Seen | None = None) -> Launch:
        """A start of what was planned."""
        going = self.going()
        return Launch(
            self.spark,
            Request(
                planned,
                self.location,
                {name: v.sink for name, v in going.items() if v.sink is not None},
                self.options,
                frozenset(self.dropped),
                partitions_of(self.spark, self.options["partitions"]),
                dict(self.aside),
                {n: v.max_state_bytes for n, v in going.items() if v.max_state_bytes},
                [s for s in self.sinks.values() if s.view in planned.streams],
                policies_of(going),
                frozenset(self.anew),
            ),
            seen,
        )
