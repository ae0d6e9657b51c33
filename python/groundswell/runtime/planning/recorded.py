"""What a checkpoint of planned views belongs to. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from groundswell.contract.capture.plan import SourceDescription
from groundswell.plan import explain
from groundswell.plan.definition import definition
from groundswell.plan.required import source_columns
from groundswell.plan.sources import SourceTable, source_state, version_text
from groundswell.plan.stream import scans
from groundswell.runtime.planning.sources import fields_of, stream_names
from groundswell.runtime.planning.unfilled import INDEX
from groundswell.runtime.record.definition import Definition

if TYPE_CHECKING:
    from groundswell.runtime.planning.planned import PlannedViews


def column_types(planned: PlannedViews) -> dict[tuple[str, str], Any]:
    """By id of a source and name of a column, the column's type."""
    return {
        (s.source.id, c.name): c.type
        for stream in planned.roots
        for s in scans(stream)
        if s.source and s.view is None
        for c in s.node.output
        if s.source.has(c.name, c.type)
    }


def _offers(table: SourceTable, described: SourceDescription) -> dict[str, list[str]]:
    """All columns that a keyed source has, where only those that are read are kept.

    One that comes later was in none of its rows.
    """
    if table.whole or not table.key:
        return {}
    return {"offers": [f["name"] for f in fields_of(described) if f["name"] not in table.hidden]}


def definition_of(
    planned: PlannedViews,
    partitions: int,
    states: Mapping[str, str],
    also: Mapping[str, Iterable[str]],
    kept: Mapping[str, str],
) -> Definition:
    """What a checkpoint of planned views belongs to.

    Args:
        planned: the views.
        partitions: of every state.
        states: the state of each view.
        also: by source name, columns to read even if no view needs them.
        kept: the state of each source that has another one than :func:`source_state`, by name.
    """
    types = column_types(planned)
    described = {s.key: s for s in planned.capture.description.sources}
    readers: dict[str, list[str]] = {}
    for reader in [*planned.streams, *(INDEX + name for name in planned.indexes)]:
        for table in planned.inputs(reader):
            if table.numbered:
                readers.setdefault(table.name, []).append(reader)
    sources: dict[str, dict[str, Any]] = {
        planned.tables[source].name: {
            "mode": planned.tables[source].mode.value,
            "key": list(planned.tables[source].key),
            "conflict": planned.tables[source].conflict,
            "version": version_text(planned.tables[source].version),
            **({"kept": True} if planned.tables[source].kept else {}),
            **({"lifeMicros": life} if (life := planned.tables[source].life_micros) else {}),
            **({"below": text} if (text := described[source].below) else {}),
            **stream_names(planned.tables[source], described[source]),
            **({"readers": by} if (by := readers.get(planned.tables[source].name)) else {}),
            **({"whole": True} if planned.tables[source].whole else {}),
            **_offers(planned.tables[source], described[source]),
            **({"state": at} if (at := kept.get(planned.tables[source].name)) else {}),
            "columns": {name: types[source, name] for name in names},
        }
        for source, names in source_columns(planned.roots, also).items()
    }
    layouts: dict[str, Any] = {
        states[name]: {
            "columns": [
                {"name": c.name, "type": c.type, "nullable": c.nullable} for c in stream.node.output
            ],
            "by": [
                next((c.name for c in stream.node.output if c.ref == ref), "")
                for ref in stream.key or ()
            ],
        }
        for name, stream in planned.streams.items()
    }
    for table in planned.tables.values():
        if table.readable and table.name in sources:
            columns, names = sources[table.name]["columns"], dict(table.names)
            layouts[kept.get(table.name) or source_state(table.name)] = {
                "columns": [
                    {"name": names.get(name, name), "type": type_, "nullable": True}
                    for name, type_ in columns.items()
                ],
                "by": list(table.key),
                "table": table.name,
            }
    for name, index in planned.indexes.items():
        shared = layouts.get(index.state, {}).get("indexes", {})
        layouts[index.state] = {
            "columns": [
                {"name": c.name, "type": c.type, "nullable": c.nullable} for c in index.kept
            ],
            "indexes": {**shared, name: list(index.hidden())},
            "by": list(index.columns),
            "places": {
                "index": [index.refs.index(ref) for ref in index.by],
                "key": [index.refs.index(ref) for ref in index.key],
            },
        }
    return Definition(
        {name: definition(s) for name, s in planned.streams.items()},
        sources,
        dict(planned.pinned),
        partitions,
        layouts,
        shown={name: explain.words(s) for name, s in planned.streams.items()},
        orders={
            name: orders
            for name, choices in planned.orders.items()
            if any(orders := [choice.order for choice in choices])
        },
        automatic=[made.json() for made in planned.using().values()],
    )
