"""From captured queries to planned views and their dataflow: what happens before anything starts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from groundswell.errors import ConfigurationError, NotIncremental
from groundswell.jvm import Capture
from groundswell.physical.lower import Dataflow, lower
from groundswell.plan import capture, format
from groundswell.plan.required import source_columns
from groundswell.plan.sources import SourceTable
from groundswell.plan.stream import Hidden, Stream, derive, scans
from groundswell.runtime.definition import Definition
from groundswell.runtime.sources import resolve


@dataclass(frozen=True)
class PlannedViews:
    """Views that can be kept together under one barrier.

    Attributes:
        captures: the queries, by view name.
        streams: their plans, by view name.
        notes: what was left out on purpose, by view name.
        tables: all their sources, by id.
    """

    captures: Mapping[str, Capture]
    streams: Mapping[str, Stream]
    notes: Mapping[str, tuple[str, ...]]
    tables: Mapping[str, SourceTable]
    hidden: Hidden
    pinned: Mapping[str, Any]

    def dataflow(self, changelogs: Iterable[str] = ()) -> Dataflow:
        """What the JVM runs; ``changelogs`` names the views whose changes a sink takes."""
        return lower(self.streams, self.hidden, changelogs)

    def explain(self) -> str:
        """All views as trees."""
        return "\n\n".join(format.tree(name, stream, self.notes[name])
                           for name, stream in self.streams.items())

    def definition(self, partitions: int) -> Definition:
        """What a checkpoint of these views belongs to."""
        types = {(s.source.id, c.name): c.type for stream in self.streams.values()
                 for s in scans(stream) if s.source for c in s.node.output}
        sources = {
            self.tables[source].name: {
                "mode": self.tables[source].mode.value,
                "key": list(self.tables[source].key),
                "columns": {name: types[source, name] for name in names}}
            for source, names in source_columns(self.streams.values()).items()}
        layouts = {
            name: {"columns": [{"name": c.name, "type": c.type, "nullable": c.nullable}
                               for c in stream.node.output]}
            for name, stream in self.streams.items()}
        return Definition({name: format.definition(s) for name, s in self.streams.items()},
                          sources, dict(self.pinned), partitions, layouts)


def plan_views(captures: Mapping[str, Capture]) -> PlannedViews:
    """Plans views together; raises NotIncremental with everything that stands in the way."""
    read = {name: capture.read(c.description) for name, c in captures.items()}
    refusals = [refusal for captured in read.values() for refusal in captured.refusals]
    if refusals:
        raise NotIncremental(refusals)
    tables = resolve(s for c in captures.values() for s in c.description["sources"])
    hidden = Hidden()
    streams: dict[str, Stream] = {}
    for name, captured in read.items():
        assert captured.root is not None
        _check_columns(name, [c.name for c in captured.output])
        streams[name] = derive(captured.root, tables, hidden)
        if not any(True for _ in scans(streams[name])):
            raise NotIncremental([("query", "it reads no stream, so it never changes; "
                                   "read a source with spark.readStream")])
    pinned = [dict(captured.pinned) for captured in read.values()]
    if any(other != pinned[0] for other in pinned):
        raise ConfigurationError(
            f"the views were analysed under different settings: {pinned}; "
            "make them with one session whose settings do not change in between")
    return PlannedViews(dict(captures), streams, {n: c.notes for n, c in read.items()}, tables,
                        hidden, pinned[0])


def _check_columns(view: str, names: list[str]) -> None:
    doubles = sorted({n for n in names if [m.lower() for m in names].count(n.lower()) > 1})
    if doubles:
        raise ConfigurationError(
            f"view {view or 'of this query'} has several columns named {', '.join(doubles)}; "
            "give each its own name with alias(...)")
