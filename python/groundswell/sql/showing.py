"""What ``SHOW`` shows of pipelines, whoever runs them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from groundswell import jvm
from groundswell.runtime.ownership.living import has_ended, last_claim
from groundswell.runtime.record.location import FOLDER
from groundswell.sql.defining.masking import masked
from groundswell.sql.parsing import statements as s
from groundswell.sql.pipelines import SqlPipeline

Rows = list[list[Any]]


def shown(pipelines: Sequence[SqlPipeline], statement: s.Show) -> Rows:
    """The rows of a ``SHOW``.

    Args:
        pipelines: those that it is about.
        statement: what is to be shown of them.
    """
    match statement.what:
        case "pipelines":
            return [[p.name, p.location, _state(p), epoch_of(p)] for p in pipelines]
        case "pipeline":
            return [row for p in pipelines for row in p.shown_options()]
        case "jobs":
            return [row for p in pipelines for row in _jobs(p)]
        case "views":
            return [[p.name, v.name, False] for p in pipelines for v in p.contents.of(s.VIEW)]
        case what:
            kind = {"indexes": s.INDEX}.get(what, what.removesuffix("s"))
            return [
                [each.name, masked(each.made.text), each.made.by, each.made.at]
                for pipeline in pipelines
                for each in pipeline.contents.of(kind)
            ]


def epoch_of(pipeline: SqlPipeline) -> int | None:
    """The newest epoch of a pipeline; None: there is none."""
    last = pipeline.query.lastProgress if pipeline.query else None
    return last["epoch"] if last else pipeline.newest()


def _state(pipeline: SqlPipeline) -> str:
    """Whether some process runs a pipeline, as its location says."""
    if pipeline.running:
        return "running"
    last = last_claim(jvm.JvmFolder.open(pipeline.spark, pipeline.location).child(FOLDER))
    return "stopped" if last is None or has_ended(last) else "running"


def _jobs(pipeline: SqlPipeline) -> Rows:
    """The state of each view and sink: of this process' run, or else as the location says."""
    query = pipeline.query if pipeline.running else None
    rows_in = ((query.lastProgress if query else None) or {}).get("inputRows")
    if query is not None:
        told = query.status["views"]
        states = {name: (one["state"], one["epoch"]) for name, one in told.items()}
    else:
        states = pipeline.suspended
    others = _state(pipeline), epoch_of(pipeline)
    return [
        [each.name, each.kind, *states.get(pipeline.view_of(each), others), rows_in]
        for each in pipeline.contents.of(s.VIEW, s.SINK)
    ]
