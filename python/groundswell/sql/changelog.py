"""What the catalog is told of a view's changes: which epochs, and where what they changed is."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pyspark.sql import SparkSession
from pyspark.sql.types import StructType

from groundswell import jvm
from groundswell.contract.commits import StateCommits
from groundswell.errors import ConfigurationError, EpochUnavailable
from groundswell.runtime.epochs import EpochLog, EpochManifest
from groundswell.runtime.location import EPOCHS, STATE, state_root
from groundswell.runtime.published import Published
from groundswell.runtime.views import FOLDER, schema_json
from groundswell.sql import statements as s
from groundswell.sql.log import Object
from groundswell.sql.pipelines import SqlPipeline
from groundswell.sql.reading import MISSING, as_of, epoch_number, seen

Answer = dict[str, Any]


def changes(
    spark: SparkSession, pipeline: SqlPipeline, name: str, request: Mapping[str, Any]
) -> Answer:
    """The schema of a view or table and, if asked for, the epochs of a range.

    Args:
        spark: the session that reads.
        pipeline: whose view it is.
        name: its name.
        request: ``rows``: the epochs ``after`` one ``until`` another, or ``from`` one ``to``
            another, by number or in microseconds; ``begin``: only where the range begins, with
            ``newest``: at the newest epoch; ``check``: whether the range is there; ``net``: at most
            one change a key.

    Raises:
        EpochUnavailable: an epoch of the range is not kept any more, or not there yet.
        ConfigurationError: a source, which keeps no rows.
    """
    found = pipeline.contents.objects.get(name.lower())
    if found is None or found.kind not in (s.TABLE, s.SOURCE, s.VIEW):
        return MISSING
    if found.kind == s.SOURCE:
        raise ConfigurationError(
            f"source {found.name} keeps no rows: make a materialized view of it and read that one's"
        )
    home = jvm.JvmFolder.open(spark, pipeline.location).child(FOLDER)
    log = EpochLog(home.child(EPOCHS))
    pipeline.make_ready()
    if not log.epochs() and not pipeline.catch_up():
        raise EpochUnavailable("there is no epoch yet: wait for the first barrier")
    published = Published(home, pipeline.location, None, log)
    if not published.has(found.stored) and pipeline.catch_up():
        published = Published(home, pipeline.location, None, log)
    state = published.state(found.stored)
    layout = published.layout(state)
    schema = StructType.fromJson(json.loads(schema_json(layout)))
    columns = seen(schema)
    names = {field["name"] for field in columns["fields"]}
    by = layout.get("by", ())
    key = list(by) if set(by) <= names else []
    net = bool(request.get("net")) and not (_logs(found) and key)  # else Spark nets them
    logs = _logs(found) and not net
    kept = _Kept(found.name, found.stored, state, log, logs)
    if request.get("begin"):
        return {"before": kept.before(request), "newest": log.epochs()[-1]}
    answer: Answer = {
        "schema": schema.jsonValue(),
        "columns": columns,
        "key": key,
        "netted": net,
    }
    if request.get("check"):
        kept.range(request)
    if request.get("rows"):
        first, last, whole = kept.range(request)
        told = kept.net if net else kept.between
        answer["epochs"] = told(home.location, first, last, whole)
    return answer


def _logs(found: Object) -> bool:
    statement = found.made.statement
    options = statement.options if isinstance(statement, s.CreateView) else {}
    return {k.lower(): v.lower() for k, v in options.items()}.get("changelog") == "true"


@dataclass(frozen=True)
class _Kept:
    """What epochs are kept of a view.

    Attributes:
        name: as SQL says it.
        stored: as the pipeline does.
        state: its newest one.
        log: of epochs.
        logs: whether each epoch has its changelog; else they are told from its commits and the
            epoch before.
    """

    name: str
    stored: str
    state: str
    log: EpochLog
    logs: bool

    def before(self, request: Mapping[str, Any]) -> int:
        """The offset with which a stream begins, see ``ChangesStream``."""
        if request.get("newest"):
            return -self.log.epochs()[-1] - 1
        first, _, whole = self.range(request)
        return -first - 1 if whole else first - 1

    def range(self, request: Mapping[str, Any]) -> tuple[int, int, bool]:
        """First and last epoch of a range, all of which are there; whether it begins with all rows.

        Raises:
            EpochUnavailable: one of them is not.
        """
        kept = self.log.epochs()
        if "after" in request:
            after, last = request["after"], request["until"]
            whole = after < 0
            first = -after - 1 if whole else after + 1
        else:
            whole = not {"from", "fromMicros"} & set(request)
            first, last = kept[0], kept[-1]
            if "from" in request:
                first = epoch_number(str(request["from"]))
            elif "fromMicros" in request:
                first = as_of(self.log, int(request["fromMicros"]))
            if "to" in request:
                last = epoch_number(str(request["to"]))
            elif "toMicros" in request:
                last = as_of(self.log, int(request["toMicros"]))
            first += 0 if request.get("fromInclusive", True) else 1
            last -= 0 if request.get("toInclusive", True) else 1
        if first <= last and (first < kept[0] or last > kept[-1]):
            raise EpochUnavailable(
                f"changes of epochs {first} to {last} of {self.name} are asked for, and epochs "
                f"{kept[0]} to {kept[-1]} are kept; option retainEpochs of the pipeline says how "
                "many are"
            )
        told = first <= last and not whole and not self.logs and 0 < first == kept[0]
        if told and self._state_in(self.log.get(first)) is not None:
            raise EpochUnavailable(
                f"changes of epoch {first} of {self.name} are asked for, and the epoch before, "
                f"against which they are told, is retired: those of epochs {first + 1} to "
                f"{kept[-1]} are there. A view WITH (changelog = 'true') has them of all epochs "
                "that are kept"
            )
        return first, last, whole

    def _state_in(self, manifest: EpochManifest) -> str | None:
        """Its state at an epoch; a table is known by its newest one."""
        state = manifest.views.get(self.stored)
        return state or (self.state if self.state in manifest.commits else None)

    def between(self, home: str, first: int, last: int, whole: bool) -> list[Answer]:
        """The epochs that have the view; at the first of them it may have been filled."""
        found: list[Answer] = []
        before = self.log.find(first - 1) if first <= last else None
        for epoch in range(first, last + 1):
            manifest = self.log.get(epoch)
            found += self._step(home, before, manifest, whole and epoch == first)
            before = manifest
        return found

    def net(self, home: str, first: int, last: int, whole: bool) -> list[Answer]:
        """The same as one step, from the epoch before the range to its last.

        Where the states were rescaled within the range it is a step for each part of it.
        """
        if first > last:
            return []
        found: list[Answer] = []
        before = self.log.find(first - 1)
        for epoch in range(first, last) if not whole else ():
            manifest = self.log.get(epoch)
            if before is not None and manifest.generation != before.generation:
                found += self._step(home, before, manifest, whole=False)
                before = manifest
        return found + self._step(home, before, self.log.get(last), whole)

    def _step(
        self, home: str, before: EpochManifest | None, after: EpochManifest, whole: bool
    ) -> list[Answer]:
        state = self._state_in(after)
        if state is None:
            return []
        at = after
        told = before is not None and not (whole or self.logs)
        if told and before is not None and before.generation != after.generation:
            at = self._as_before(after, before.generation)
        where = f"{state_root(home, at.generation)}/{STATE}/{state}"
        filled = before is None and (after.epoch == 0 or not self.logs)
        step: Answer = {
            "epoch": after.epoch,
            "micros": after.published_millis * 1000,
            "at": StateCommits(where, at.commits[state]),
        }
        if before is not None and self._state_in(before) != state:
            filled = True
        elif before is not None and not self.logs:
            step["before"] = StateCommits(where, before.commits[state])
        return [{**step, "whole": whole or filled}]

    def _as_before(self, epoch: EpochManifest, generation: int) -> EpochManifest:
        """An epoch at which the states were rescaled, as it stood before that."""
        found = self.log.of_generation(epoch.epoch, generation)
        if found is None:
            raise EpochUnavailable(
                f"changes of epoch {epoch.epoch} of {self.name} are asked for, and the states were "
                f"rescaled to {epoch.partitions} partitions later than the epoch before: ask for "
                "those of later epochs, or for all rows of this one"
            )
        return found
