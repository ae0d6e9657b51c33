"""A view: its rows by stream key, and this epoch's changes for a sink.

``V' = V + d(X)``; a pair whose visible columns are equal is no change. The view's changelog of an
epoch is a table of its own, so that a sink function that crashed is given exactly the same again.
Rows of an append-only view are new, each, and are written unread.
"""

from __future__ import annotations

from groundswell.physical.builder import Builder, Built
from groundswell.plan.definition import digest
from groundswell.plan.required import view_columns
from groundswell.plan.stream import Kind, Stream


def lower(builder: Builder, view: str, stream: Stream, below: Built, changelog: bool) -> Built:
    """The root of one view; other views read what it reads."""
    below = builder.narrow(below, view_columns(stream))
    builder.views[view] = (stream, below)
    if view in builder.read:
        builder.sealed.add(below.id)
    fields = [{"ref": c.ref, "name": c.name} for c in stream.node.output]
    return builder.add(
        "materialize",
        below.columns,
        input=below.id,
        view=view,
        key=list(stream.key or ()),
        fields=fields,
        changelog=changelog,
        appendOnly=stream.kind is Kind.APPEND_ONLY,
        state=f"view-{view}-{digest(stream)}",
    )
