"""Sources: rows -> changes.

Append-only: ``d(S)`` is the barrier's rows, each with weight +1 and, where a key is needed, a row
id: (epoch, position), a function of the offsets alone, so a retried task gives the same ids.

Upserts, for each key k with rows ``r1..rn`` in the barrier and old row ``o``:
``d(S)[k] = -o + rn`` (no ``+`` if rn deletes; nothing at all if rn equals o, or if the watermark
has passed o). State: the table.

Changelog with a key: as it says, checked against the table and netted. Without one: +1 or -1 each.

An append-only source may be kept, for views to come: its rows by their ids, in a state that no
operator reads.

Late rows, those behind the watermark, are a stream of their own where a view asks for them.

A source that appears several times, in one view or in several, is read and normalised once; every
occurrence has its own names for the columns.
"""

from __future__ import annotations

from groundswell.contract.dataflow.operators import StoredColumn, WatermarkSpec
from groundswell.contract.dataflow.sources import (
    KeepSpec,
    NormalizeSpec,
    SnapshotSpec,
    SourceSpec,
    WeightsSpec,
)
from groundswell.physical import watermark
from groundswell.physical.builder import Builder, Built, SourceScan
from groundswell.plan import nodes as n
from groundswell.plan.sources import Mode, SourceTable, source_state
from groundswell.plan.stream import Stream
from groundswell.plan.watermarks import Bound


def lower(builder: Builder, stream: Stream, required: frozenset[str]) -> Built:
    """One occurrence of a source."""
    assert stream.source is not None
    if stream.view is not None:
        return _view(builder, stream, required)
    scan = read(builder, stream)
    renames = {
        c.ref: scan.refs[c.name]
        for c in stream.node.output
        if c.name in scan.refs and c.ref in required
    }
    if stream.hidden:
        renames |= dict(zip((c.ref for c in stream.hidden), scan.row_id, strict=True))
    if not renames:  # only the number of rows matters, but a row needs a column
        renames = next(
            {c.ref: scan.refs[c.name]} for c in stream.node.output if c.name in scan.refs
        )
    return builder.rename(scan.built, renames)


def read(builder: Builder, stream: Stream) -> SourceScan:
    """The source behind an occurrence, with the state that it has whoever reads it."""
    assert stream.source is not None
    late = isinstance(stream.node, n.Placeholder) and stream.node.use == "late"
    place = f"{stream.source.id} late" if late else stream.source.id
    if place not in builder.scans:
        builder.scans[place] = _scan(builder, stream.source, stream.node, late)
    return builder.scans[place]


def _view(builder: Builder, stream: Stream, required: frozenset[str]) -> Built:
    """The changes of another view of the same barrier, or all it holds, to fill a new view."""
    assert stream.source is not None
    assert stream.view is not None
    (branch,) = stream.branches
    to, ref = branch.columns[0]
    columns = {to: ref for to, ref in branch.columns if to in required and ref is not None} or {
        to: str(ref)
    }
    if stream.source.id not in builder.snapshots:
        _, built = builder.views[stream.source.name]
        return builder.rename(built, columns)
    fields = [c.ref for c in stream.view.node.output]
    key = list(stream.view.key or ())
    parts = tuple(
        StoredColumn(in_key=False, at=fields.index(ref))
        if ref in fields
        else StoredColumn(in_key=True, at=key.index(ref))
        for ref in columns.values()
    )
    types = {c.ref: c.type for c in stream.view.columns}
    return builder.add(
        SnapshotSpec(
            columns=tuple(columns),
            reads=builder.snapshots[stream.source.id],
            parts=parts,
            key_types=tuple(types[ref] for ref in key),
            row_types=tuple(types[ref] for ref in fields),
        )
    )


def _scan(builder: Builder, source: SourceTable, node: n.Node, late: bool) -> SourceScan:
    names = builder.source_columns[source.id]
    own = {c.name: c for c in node.output if c.name in source.hidden or source.has(c.name, c.type)}
    given = {**builder.outputs.get(source.id, {}), **own}
    by_name = {name: column.ref for name, column in given.items()}
    state = builder.source_states.get(source.name) or source_state(source.name)
    refs = {name: by_name[name] for name in names}
    fields = list(refs.values())
    if source.id in builder.snapshots:
        types = {name: column.type for name, column in given.items()}
        row_id = () if source.key else _row_id(builder)
        kept = builder.add(
            SnapshotSpec(
                columns=(*fields, *row_id),
                reads=builder.snapshots[source.id],
                parts=whole_table(len(names), len(row_id)),
                key_types=tuple(types[name] for name in source.key) or ("long",) * len(row_id),
                row_types=tuple(types[name] for name in names),
            )
        )
        return SourceScan(source, kept, refs, row_id)
    extra = [by_name[name] for name in source.hidden]
    told_apart = source.key or source.kept or source.id in builder.row_ids
    row_id = _row_id(builder) if told_apart else ()
    rows = builder.add(
        SourceSpec(
            columns=(*fields, *extra, *row_id),
            source=source.id,
            name=source.name,
            tag=list(builder.source_columns).index(source.id),
            row_id=row_id,
            event_time=refs[source.event_time] if source.event_time else None,
            late=late,
        )
    )
    if source.mode is Mode.APPEND:
        if source.kept and not late:
            builder.add(
                KeepSpec(
                    columns=rows.columns,
                    inputs=(rows.id,),
                    table=source.name,
                    key=row_id,
                    fields=tuple(refs.values()),
                    state=state,
                )
            )
        return SourceScan(source, rows, refs, row_id)
    if not source.key:
        signs = builder.add(
            WeightsSpec(columns=tuple(fields), inputs=(rows.id,), change_type=extra[0])
        )
        return SourceScan(source, signs, refs, ())
    table = builder.add(
        NormalizeSpec(
            columns=tuple(fields),
            inputs=(rows.id,),
            state=state,
            mode="upsert" if source.mode is Mode.UPSERT else "changelog",
            key=tuple(refs[name] for name in source.key),
            delete=extra[0] if source.delete else None,
            change_type=extra[0] if source.change_type else None,
            position=row_id,
            source=source.name,
            conflict=source.conflict,
            version=tuple(refs[name] for name in source.version),
            life=source.life_micros or 0,
            watermark=_watermark(source, refs) if source.event_time else None,
            tolerate=source.tolerate,
            unchanged=by_name[source.unchanged] if source.unchanged else None,
            names=tuple(names) if source.unchanged else (),
        )
    )
    return SourceScan(source, table, refs, ())


def whole_table(fields: int, row_id: int) -> tuple[StoredColumn, ...]:
    """The rows of a kept source: its columns, and then its row ids."""
    return (
        *(StoredColumn(in_key=False, at=at) for at in range(fields)),
        *(StoredColumn(in_key=True, at=at) for at in range(row_id)),
    )


def _row_id(builder: Builder) -> tuple[str, ...]:
    names = ("_row_epoch", "_row_position")
    return tuple(builder.hidden.new(name, "long", False).ref for name in names)


def _watermark(source: SourceTable, refs: dict[str, str]) -> WatermarkSpec:
    column = refs[source.event_time or ""]
    return watermark.field(column, Bound("time", frozenset({source.id})))
