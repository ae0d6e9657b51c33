"""From captured queries to planned views and their dataflow: all that comes before the start."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from groundswell.errors import ConfigurationError, NotIncremental
from groundswell.jvm import Capture, jvm_id
from groundswell.physical.lower import Dataflow, lower
from groundswell.plan import capture, explain
from groundswell.plan.required import source_columns
from groundswell.plan.sources import SourceTable
from groundswell.plan.stream import Hidden, Stream, derive, scans
from groundswell.runtime.definition import Definition
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
        tables: all their sources, by id.
    """

    capture: Capture
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
        return "\n\n".join(
            explain.tree(name, stream, self.notes[name]) for name, stream in self.streams.items()
        )

    def definition(self, partitions: int) -> Definition:
        """What a checkpoint of these views belongs to."""
        types = {
            (s.source.id, c.name): c.type
            for stream in self.streams.values()
            for s in scans(stream)
            if s.source
            for c in s.node.output
        }
        sources = {
            self.tables[source].name: {
                "mode": self.tables[source].mode.value,
                "key": list(self.tables[source].key),
                "columns": {name: types[source, name] for name in names},
            }
            for source, names in source_columns(self.streams.values()).items()
        }
        layouts = {
            name: {
                "columns": [
                    {"name": c.name, "type": c.type, "nullable": c.nullable}
                    for c in stream.node.output
                ]
            }
            for name, stream in self.streams.items()
        }
        return Definition(
            {name: explain.definition(s) for name, s in self.streams.items()},
            sources,
            dict(self.pinned),
            partitions,
            layouts,
        )


def plan_views(frames: Mapping[str, DataFrame]) -> PlannedViews:
    """Plans views together; raises NotIncremental with everything that stands in the way."""
    captured = Capture(list(frames.values()))
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
        streams[name] = derive(query.root, tables, hidden)
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


def _check_columns(view: str, names: list[str]) -> None:
    doubles = sorted({n for n in names if [m.lower() for m in names].count(n.lower()) > 1})
    if doubles:
        raise ConfigurationError(
            f"view {view or 'of this query'} has several columns named {', '.join(doubles)}; "
            "give each its own name with alias(...)"
        )
