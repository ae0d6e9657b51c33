"""What the catalog is told of a view's changes: which epochs, and where what they changed is."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from pyspark.sql import SparkSession

from groundswell import jvm
from groundswell.contract.commits import StateCommits
from groundswell.errors import ConfigurationError, EpochUnavailable
from groundswell.runtime.epochs import EpochLog
from groundswell.runtime.location import EPOCHS, STATE
from groundswell.runtime.published import Published
from groundswell.runtime.views import FOLDER, schema_json
from groundswell.sql import statements as s
from groundswell.sql.pipelines import SqlPipeline
from groundswell.sql.reading import MISSING, as_of, epoch_number

Answer = dict[str, Any]


def changes(
    spark: SparkSession, pipeline: SqlPipeline, name: str, request: Mapping[str, Any]
) -> Answer:
    """The schema of a view and, if asked for, the epochs of a range.

    Args:
        spark: the session that reads.
        pipeline: whose view it is.
        name: its name.
        request: ``rows``: the epochs ``after`` one ``until`` another, or ``from`` one ``to``
            another, by number or in microseconds; ``begin``: only where the range begins.

    Raises:
        EpochUnavailable: an epoch of the range is not kept any more, or not there yet.
        ConfigurationError: the view writes no changelog.
    """
    found = pipeline.contents.objects.get(name.lower())
    if found is None or found.kind not in (s.TABLE, s.SOURCE, s.VIEW):
        return MISSING
    statement = found.made.statement
    if not isinstance(statement, s.CreateView) or not _logs(statement.options):
        raise ConfigurationError(
            f"{found.kind} {found.name} writes no changelog: CHANGES needs a materialized view "
            "made WITH (changelog = 'true')"
        )
    home = jvm.JvmFolder.open(spark, pipeline.location).child(FOLDER)
    log = EpochLog(home.child(EPOCHS))
    pipeline.make_ready()
    if request.get("begin"):
        return {"before": _range(log, request)[0] - 1, "newest": log.newest().epoch}
    published = Published(home, pipeline.location, None, log)
    layout = published.layout(published.state(found.stored))
    names = [c["name"] for c in layout["columns"]]
    by = layout.get("by", ())
    answer: Answer = {
        "schema": json.loads(schema_json(layout)),
        "key": list(by) if set(by) <= set(names) else [],
    }
    if request.get("rows"):
        first, last = _range(log, request)
        answer["epochs"] = _epochs(log, f"{home.location}/{STATE}", found.stored, first, last)
    return answer


def _logs(options: Mapping[str, str]) -> bool:
    return {k.lower(): v.lower() for k, v in options.items()}.get("changelog") == "true"


def _range(log: EpochLog, request: Mapping[str, Any]) -> tuple[int, int]:
    """First and last epoch of a range, both included; all of them are there."""
    kept = log.epochs()
    if not kept:
        raise EpochUnavailable("there is no epoch yet: wait for the first barrier")
    if "after" in request:
        first, last = request["after"] + 1, request["until"]
    else:
        first, last = kept[0], kept[-1]
        if "from" in request:
            first = epoch_number(str(request["from"]))
        elif "fromMicros" in request:
            first = as_of(log, int(request["fromMicros"]))
        if "to" in request:
            last = epoch_number(str(request["to"]))
        elif "toMicros" in request:
            last = as_of(log, int(request["toMicros"]))
        first += 0 if request.get("fromInclusive", True) else 1
        last -= 0 if request.get("toInclusive", True) else 1
    if first <= last and (first < kept[0] or last > kept[-1]):
        raise EpochUnavailable(
            f"changes of epochs {first} to {last} are asked for, and epochs {kept[0]} to "
            f"{kept[-1]} are kept; option retainEpochs of the pipeline says how many are"
        )
    return first, last


def _epochs(log: EpochLog, states: str, view: str, first: int, last: int) -> list[Answer]:
    """The epochs that have the view; at the first of them it may have been filled."""
    found: list[Answer] = []
    before = log.find(first - 1) if first <= last else None
    for epoch in range(first, last + 1):
        manifest = log.get(epoch)
        state = manifest.views.get(view)
        if state is not None:
            found.append(
                {
                    "epoch": epoch,
                    "micros": manifest.published_millis * 1000,
                    "at": StateCommits(f"{states}/{state}", manifest.commits[state]),
                    "whole": epoch == 0 or (before is not None and before.views.get(view) != state),
                }
            )
        before = manifest
    return found
