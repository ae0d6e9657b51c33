"""A view: its rows by stream key, and this epoch's changes for a sink.

``V' = V + d(X)``; a pair whose visible columns are equal is no change. The view's changelog of an
epoch is a table of its own, so that a sink function that crashed is given exactly the same again.
Rows of an append-only view are new, each, and are written unread.

Where nobody can ask for a row, since the key has hidden columns, and all changes of a row are made
in one partition, rows stay there instead of being exchanged once more by their key: those of an
append-only view, which change once, and first rows, which are of one group for ever. So not those
of another view, which may have been filled from what that one held.
"""

from __future__ import annotations

from groundswell.contract.dataflow.sources import KeepSpec
from groundswell.contract.dataflow.views import MaterializeSpec
from groundswell.physical.builder import Builder, Built
from groundswell.plan import nodes as n
from groundswell.plan.definition import digest
from groundswell.plan.required import view_columns
from groundswell.plan.sources import SourceTable
from groundswell.plan.stream import Kind, Stream, keeps_first_rows, remembers


def lower(builder: Builder, view: str, stream: Stream, below: Built, changelog: bool) -> Built:
    """The root of one view; other views read what it reads."""
    below = builder.narrow(below, view_columns(stream))
    builder.views[view] = (stream, below)
    if view in builder.read:
        builder.sealed.add(below.id)
    append_only = stream.kind is Kind.APPEND_ONLY
    return builder.add(
        MaterializeSpec(
            columns=below.columns,
            inputs=(below.id,),
            view=view,
            key=tuple(stream.key or ()),
            fields=tuple(c.ref for c in stream.node.output),
            changelog=changelog,
            append_only=append_only,
            anywhere=_is_hidden(stream) and (append_only or _is_of_first_rows(stream)),
            state=state_of(view, stream),
        )
    )


def state_of(view: str, stream: Stream) -> str:
    """Name of the state that has the rows of a view: another query has another one."""
    return f"view-{view}-{digest(stream)}"


def lower_table(
    builder: Builder,
    table: SourceTable,
    below: Built,
    key: tuple[str, ...],
    fields: tuple[str, ...],
    state: str,
) -> Built:
    """The rows of a table, as what keeps it up to date later has them."""
    if table.key:
        return builder.add(
            MaterializeSpec(
                columns=below.columns,
                inputs=(below.id,),
                view=table.name,
                key=key,
                fields=fields,
                state=state,
            )
        )
    return builder.add(
        KeepSpec(
            columns=below.columns,
            inputs=(below.id,),
            table=table.name,
            key=key,
            fields=fields,
            state=state,
        )
    )


def _is_hidden(stream: Stream) -> bool:
    """Whether the key has columns that readers do not know."""
    return not {c.ref for c in stream.node.output}.issuperset(stream.key or ())


def _is_of_first_rows(stream: Stream) -> bool:
    """Whether first rows of its own come to it through steps without state."""
    node = stream.node
    if isinstance(node, n.Project | n.Filter | n.Expect | n.Generate | n.Expand):
        return _is_of_first_rows(stream.input)
    if isinstance(node, n.Evaluate):
        return not remembers(node, stream.input) and _is_of_first_rows(stream.input)
    return isinstance(node, n.Window) and keeps_first_rows(node, stream.input)
