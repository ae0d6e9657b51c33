"""From captured queries to planned views and their dataflow: all that comes before the start."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from groundswell.errors import ConfigurationError, NotIncremental
from groundswell.jvm import Capture, jvm_id
from groundswell.physical.lower import Dataflow, lower
from groundswell.plan import capture, explain
from groundswell.plan.definition import definition
from groundswell.plan.nodes import Node, StandIn
from groundswell.plan.required import source_columns
from groundswell.plan.sources import Mode, SourceTable
from groundswell.plan.stream import Hidden, Stream, derive, scans
from groundswell.runtime.definition import Definition
from groundswell.runtime.functions import fingerprint
from groundswell.runtime.sources import resolve

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


@dataclass(frozen=True)
class PlannedViews:
    """Views that can be kept together under one barrier.

    Attributes:
        capture: the queries, in the order of the streams.
        streams: their plans, by view name.
        notes: what was left out on purpose, by view name.
        tables: all their sources, and the views they read, by id.
    """

    capture: Capture
    streams: Mapping[str, Stream]
    notes: Mapping[str, tuple[str, ...]]
    tables: Mapping[str, SourceTable]
    hidden: Hidden
    pinned: Mapping[str, Any]

    def dataflow(
        self,
        changelogs: Iterable[str] = (),
        columns: Mapping[str, Iterable[str]] | None = None,
    ) -> Dataflow:
        """What the JVM runs.

        Args:
            changelogs: names of the views whose changes a sink takes.
            columns: by source name, columns to read even if no view needs them.
        """
        return lower(self.streams, self.hidden, changelogs, columns)

    def filling(
        self,
        views: Iterable[str],
        columns: Mapping[str, Iterable[str]],
        snapshots: Mapping[str, str],
        taken: Iterable[str],
    ) -> Dataflow:
        """What fills ``views`` from the states of views and sources; see ``lower``."""
        streams = {name: self.streams[name] for name in views}
        return lower(streams, self.hidden, (), columns, snapshots, taken)

    def inputs(self, view: str) -> tuple[SourceTable, ...]:
        """The sources and views that a view reads itself."""
        found = {s.source.id: s.source for s in scans(self.streams[view]) if s.source}
        return tuple(found.values())

    def explain(self) -> str:
        """All views as trees."""
        return "\n\n".join(
            explain.tree(name, stream, self.notes[name]) for name, stream in self.streams.items()
        )

    def definition(
        self,
        partitions: int,
        states: Mapping[str, str],
        also: Mapping[str, Iterable[str]] | None = None,
    ) -> Definition:
        """What a checkpoint of these views belongs to.

        Args:
            partitions: of every state.
            states: the state of each view.
            also: by source name, columns to read even if no view needs them.
        """
        types = {
            (s.source.id, c.name): c.type
            for stream in self.streams.values()
            for s in scans(stream)
            if s.source and s.view is None
            for c in s.node.output
        }
        sources = {
            self.tables[source].name: {
                "mode": self.tables[source].mode.value,
                "key": list(self.tables[source].key),
                "conflict": self.tables[source].conflict,
                "version": self.tables[source].version,
                "columns": {name: types[source, name] for name in names},
            }
            for source, names in source_columns(self.streams.values(), also).items()
        }
        layouts = {
            states[name]: {
                "columns": [
                    {"name": c.name, "type": c.type, "nullable": c.nullable}
                    for c in stream.node.output
                ]
            }
            for name, stream in self.streams.items()
        }
        return Definition(
            {name: definition(s) for name, s in self.streams.items()},
            sources,
            dict(self.pinned),
            partitions,
            layouts,
        )


def plan_views(frames: Mapping[str, DataFrame]) -> PlannedViews:
    """Plans views together; raises NotIncremental with everything that stands in the way.

    Args:
        frames: by name; a view comes after those that it reads.
    """
    captured = Capture(list(frames.values()))
    _fingerprint(captured)
    queries = dict(zip(frames, capture.read(captured.description), strict=True))
    refusals = [refusal for query in queries.values() for refusal in query.refusals]
    if refusals:
        raise NotIncremental(refusals)
    tables = resolve(jvm_id(captured.spark), captured.description["sources"])
    hidden = Hidden()
    streams: dict[str, Stream] = {}
    for name, query in queries.items():
        assert query.root is not None
        _check_columns(name, [c.name for c in query.output])
        _check_views(name, query.root, tables, streams)
        streams[name] = derive(query.root, tables, hidden, streams)
        if not any(True for _ in scans(streams[name])):
            raise NotIncremental(
                [
                    (
                        "query",
                        "it reads no stream, so it never changes; "
                        "read a source with spark.readStream",
                    )
                ]
            )
    return PlannedViews(
        captured,
        streams,
        {n: q.notes for n, q in queries.items()},
        tables,
        hidden,
        captured.description["pinned"],
    )


def _fingerprint(captured: Capture) -> None:
    for node in captured.description["nodes"]:
        for udf in node.get("udfs", ()):
            functions = map(Capture.function, udf.pop("commands", ()))
            udf["code"] = " ".join(fingerprint(f) for f in functions if f is not None)


def _check_views(
    name: str, node: Node, tables: Mapping[str, SourceTable], streams: Mapping[str, Stream]
) -> None:
    if isinstance(node, StandIn):
        table = tables[node.source]
        if table.mode is Mode.VIEW and table.name not in streams:
            raise ConfigurationError(
                f"view {name or 'of this query'} reads view {table.name!r}, which is not in its "
                "pipeline; add it there first with pipeline.view(...)"
            )
    for child in node.children:
        _check_views(name, child, tables, streams)


def _check_columns(view: str, names: list[str]) -> None:
    doubles = sorted({n for n in names if [m.lower() for m in names].count(n.lower()) > 1})
    if doubles:
        raise ConfigurationError(
            f"view {view or 'of this query'} has several columns named {', '.join(doubles)}; "
            "give each its own name with alias(...)"
        )
