"""What a start would do with a location, told from what it holds; nothing is written."""

from __future__ import annotations

from dataclasses import dataclass, replace

from pyspark.sql import SparkSession

from groundswell import jvm
from groundswell.errors import ConfigurationError
from groundswell.physical.lower import Dataflow
from groundswell.plan.required import source_columns
from groundswell.runtime.backfill.fill import BackfillPlan
from groundswell.runtime.backfill.rescale import Scale, check_partitions, check_rescale, scale_of
from groundswell.runtime.barriers.refreshing import check_policies, check_strict
from groundswell.runtime.planning import changes, diverted
from groundswell.runtime.planning.recorded import definition_of
from groundswell.runtime.planning.reshaping import Shapes, flow_of, shapes_of
from groundswell.runtime.planning.sources import followers
from groundswell.runtime.planning.unfilled import (
    INDEX,
    Filling,
    check_history,
    check_shared_streams,
    plan_filling,
    shared_history,
    unfilled,
    usable,
)
from groundswell.runtime.record import definition, stale_entries
from groundswell.runtime.record.definition import Definition
from groundswell.runtime.record.epochs import EpochLog, EpochManifest
from groundswell.runtime.record.location import EPOCHS, FOLDER, Folder
from groundswell.runtime.record.sinks import known_sinks
from groundswell.runtime.record.spark_logs import check_logs
from groundswell.runtime.request import Request, check_checkpoints


@dataclass(frozen=True)
class Decision:
    """How a start goes on with what is there.

    Attributes:
        owner: the definition that binds; None: no batch was ever planned there.
        wanted: the definition that it gets.
        dataflow: what is to run.
        last: the newest epoch; None: there is none.
        filling: the views without states, and what these are filled from.
        fill: the dataflow that fills them; None: nothing is to be filled.
        scale: of the states of the last epoch.
        shapes: where the rows of sources are, and which tables are to be written again before it.
    """

    owner: Definition | None
    wanted: Definition
    dataflow: Dataflow
    last: EpochManifest | None
    filling: Filling
    fill: Dataflow | None
    scale: Scale
    shapes: Shapes

    @property
    def rescales(self) -> bool:
        """Whether the states of the last epoch have another number of partitions than wanted."""
        return self.last is not None and self.scale.partitions != self.wanted.partitions


class Decider:
    """Decides, as often as somebody looks at the location; what was sound is not read again.

    Args:
        spark: the session.
        request: what is to run.
        location: for messages.
        log: of the epochs.
    """

    def __init__(self, spark: SparkSession, request: Request, location: str, log: EpochLog) -> None:
        self._spark = spark
        self._request = request
        self._location = location
        self._log = log
        self._sound: set[tuple[str, int]] = set()

    def decide(self, root: Folder) -> Decision:
        """What a start would do.

        Args:
            root: the location, as somebody has seen it.

        Raises:
            GroundswellError: it cannot start so.
        """
        planned, options = self._request.planned, self._request.options
        check_checkpoints(self._spark, self._request)
        folder = root.child(FOLDER)
        log = self._log.through(folder.child(EPOCHS))
        check_logs(root, vars(stale_entries.load(folder)), self._sound)
        owner = self._owner(root, folder)
        epochs = log.epochs() if owner is not None else []
        last = log.get(epochs[-1]) if epochs else None
        asked = options["partitions"] or self._request.partitions
        scale = Scale(0, asked) if owner is None else scale_of(owner, last)
        if owner is not None:
            asked = options["partitions"] or scale.partitions
        check_partitions(asked)
        known = {} if owner is None else {s: v["columns"] for s, v in owner.sources.items()}
        there = frozenset(last.commits) if last is not None else frozenset()
        shapes = shapes_of(planned, owner, there, known)
        dataflow = planned.dataflow(self._request.changelogs, known, shapes.states)
        check_policies(dataflow.operators, self._request.catalog.policies)
        wanted = definition_of(planned, asked, dataflow.views, known, shapes.states)
        if owner is not None:
            wanted = self._changed(owner, wanted, dataflow)
        filling, fill = Filling((), {}), None
        if owner is not None and last is not None:
            filling, fill = self._filling(owner, wanted, last, dataflow, shapes)
        made = Decision(owner, wanted, dataflow, last, filling, fill, scale, shapes)
        if made.rescales:
            still = self._request.catalog.suspended
            filled = (*shapes.names, *filling.views)
            told = known_sinks(folder).told.keys() - still.keys()
            check_rescale(self._location, scale.partitions, asked, filled, still, told)
        return made

    def _owner(self, root: Folder, folder: Folder) -> Definition | None:
        """A definition under which no batch was ever planned does not bind."""
        owner = definition.load(folder)
        begun = bool(root.child("offsets").names())
        if begun and owner is None:
            raise ConfigurationError(
                f"{self._location} is the checkpoint of another streaming query, without any "
                "views; give the views a folder of their own"
            )
        return owner if begun else None

    def _changed(self, owner: Definition, wanted: Definition, dataflow: Dataflow) -> Definition:
        """The definition after this start, if it may follow the one that is there."""
        tables = self._request.catalog.tables
        changes.check_change(
            self._location,
            owner,
            wanted,
            self._request.catalog.dropped | self._request.catalog.suspended.keys(),
            self._request.options["onChange"] == "rebuild",
            self._request.catalog.replanned | self._request.catalog.replaced,
            [name for name, table in tables.items() if table.drops],
            [name for name, table in tables.items() if table.spec is not None],
        )
        shared = followers(jvm.jvm_id(self._spark), dataflow.sources)
        check_shared_streams(owner.sources, wanted.sources, shared)
        return replace(definition.after(owner, wanted), aside=dict(self._request.catalog.suspended))

    def _filling(
        self,
        owner: Definition,
        wanted: Definition,
        last: EpochManifest,
        dataflow: Dataflow,
        shapes: Shapes,
    ) -> tuple[Filling, Dataflow | None]:
        """What is to be filled, and the dataflow that does it."""
        planned = self._request.planned
        known = {
            name: wanted.sources.get(name, source)["columns"]
            if name in shapes.states
            else source["columns"]
            for name, source in owner.sources.items()
        }
        empty = diverted.without_rows(planned, dataflow, last)
        incomplete = diverted.incomplete(planned, owner, wanted, last)
        there = usable(dataflow.operators, last.commits.keys() | shapes.made, incomplete)
        filling = plan_filling(
            unfilled(dataflow.operators, there, empty),
            {
                name: planned.inputs(name)
                for name in [*planned.streams, *(INDEX + name for name in planned.indexes)]
            },
            {v: s for v, s in dataflow.views.items() if v in empty or s in there},
            known,
            {
                planned.tables[source].name: names
                for source, names in source_columns(planned.roots).items()
            },
            owner.past,
            shapes.states,
            planned.diverted,
            last.commits.keys() | shapes.made,
        )
        check_strict(filling.views, owner.views, self._request.catalog.policies)
        if not filling.views:
            return filling, None
        fill = planned.filling(filling.views, known, filling.snapshots, there)
        if shared_history(fill.operators, dataflow.operators):
            # what only views had that are gone is begun again
            there = usable(dataflow.operators, there, {*incomplete, *filling.views})
            fill = planned.filling(filling.views, known, filling.snapshots, there)
        names = list(dict.fromkeys(planned.diverted.get(view, view) for view in filling.views))
        check_history(names, shared_history(fill.operators, dataflow.operators))
        return filling, fill

    def reshape_plan(self, made: Decision, home: str) -> BackfillPlan:
        """How tables are written again that get other columns.

        Args:
            made: what was decided.
            home: location of the pipeline's folder.
        """
        capture, flow = flow_of(self._spark, made.shapes.reshapes)
        return BackfillPlan(
            self._request.planned,
            made.shapes.names,
            frozenset(each.reads for each in made.shapes.reshapes),
            flow,
            made.dataflow,
            made.wanted.partitions,
            home,
            made.scale.generation,
            capture,
        )

    def fill_plan(self, made: Decision, fill: Dataflow, home: str) -> BackfillPlan:
        """How the new views are filled.

        Args:
            made: what was decided.
            fill: the dataflow that fills.
            home: location of the pipeline's folder.
        """
        return BackfillPlan(
            self._request.planned,
            made.filling.views,
            frozenset(made.filling.snapshots.values()),
            fill,
            made.dataflow,
            made.wanted.partitions,
            home,
            made.scale.generation,
        )
