"""What the catalog is told of a view's changes: which epochs, and where what they changed is."""

from __future__ import annotations

import json
from dataclasses import dataclass

from pyspark.sql import SparkSession
from pyspark.sql.types import StructType

from groundswell import jvm
from groundswell.contract.commits import StateCommits
from groundswell.contract.sql.answers import ChangesAt, ChangesBegin, Missing
from groundswell.contract.sql.requests import LoadChanges
from groundswell.contract.sql.states import EpochChanges, EpochRange
from groundswell.errors import ConfigurationError, EpochUnavailable
from groundswell.runtime.reading.views import schema_json
from groundswell.runtime.record.epochs import EpochLog, EpochManifest
from groundswell.runtime.record.location import EPOCHS, FOLDER, STATE, state_root
from groundswell.runtime.record.published import Published
from groundswell.sql.defining.set_aside import readable
from groundswell.sql.history.log import Object
from groundswell.sql.parsing import statements as s
from groundswell.sql.pipelines import SqlPipeline
from groundswell.sql.reading.relations import as_of, epoch_number, seen


def changes(
    spark: SparkSession, pipeline: SqlPipeline, request: LoadChanges
) -> ChangesAt | ChangesBegin | Missing:
    """The schema of a view or table and, if asked for, the epochs of a range.

    Args:
        spark: the session that reads.
        pipeline: whose view it is.
        request: which one, which epochs, and what of them.

    Raises:
        EpochUnavailable: an epoch of the range is not kept any more, or not there yet.
        ConfigurationError: a source, which keeps no rows.
    """
    found, aside = readable(pipeline.contents, request.name)
    if found is None or found.kind not in (s.TABLE, s.SOURCE, s.VIEW):
        return Missing()
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
    if aside and not published.has(found.stored):
        return Missing()
    state = published.state(found.stored)
    layout = published.layout(state)
    schema = StructType.fromJson(json.loads(schema_json(layout)))
    columns = seen(schema, found)
    names = {field["name"] for field in columns["fields"]}
    by = layout.get("by", ())
    key = tuple(by) if set(by) <= names else ()
    net = request.net and not (_logs(found) and key)  # else Spark nets them
    logs = _logs(found) and not net
    kept = _Kept(found.name, found.stored, state, log, logs)
    if request.want == "begin":
        return ChangesBegin(kept.before(request.range), log.epochs()[-1])
    first, last, whole = kept.range(request.range)
    epochs: list[EpochChanges] = []
    if request.want == "rows":
        told = kept.net if net else kept.between
        epochs = told(home.location, first, last, whole)
    return ChangesAt(schema.jsonValue(), columns, key, net, tuple(epochs))


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

    def before(self, asked: EpochRange) -> int:
        """The offset with which a stream begins, see ``ChangesStream``."""
        if asked.newest:
            return -self.log.epochs()[-1] - 1
        first, _, whole = self.range(asked)
        return -first - 1 if whole else first - 1

    def range(self, asked: EpochRange) -> tuple[int, int, bool]:
        """First and last epoch of a range, all of which are there; whether it begins with all rows.

        Raises:
            EpochUnavailable: one of them is not.
        """
        kept = self.log.epochs()
        if asked.after is not None and asked.until is not None:
            after, last = asked.after, asked.until
            whole = after < 0
            first = -after - 1 if whole else after + 1
        else:
            whole = asked.first is None and asked.first_micros is None
            first, last = kept[0], kept[-1]
            if asked.first is not None:
                first = epoch_number(asked.first)
            elif asked.first_micros is not None:
                first = as_of(self.log, asked.first_micros)
            if asked.last is not None:
                last = epoch_number(asked.last)
            elif asked.last_micros is not None:
                last = as_of(self.log, asked.last_micros)
            first += 0 if asked.first_inclusive else 1
            last -= 0 if asked.last_inclusive else 1
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
                f"against which they are computed, has expired: those of epochs {first + 1} to "
                f"{kept[-1]} are there. A view WITH (changelog = 'true') has them of all epochs "
                "that are kept"
            )
        return first, last, whole

    def _state_in(self, manifest: EpochManifest) -> str | None:
        """Its state at an epoch; a table is known by its newest one. None in a first load."""
        if manifest.loads:
            return None
        state = manifest.views.get(self.stored)
        return state or (self.state if self.state in manifest.commits else None)

    def between(self, home: str, first: int, last: int, whole: bool) -> list[EpochChanges]:
        """The epochs that have the view; at the first of them it may have been filled."""
        found: list[EpochChanges] = []
        before = self.log.find(first - 1) if first <= last else None
        for epoch in range(first, last + 1):
            manifest = self.log.get(epoch)
            found += self._step(home, before, manifest, whole and epoch == first)
            before = manifest
        return found

    def net(self, home: str, first: int, last: int, whole: bool) -> list[EpochChanges]:
        """The same as one step, from the epoch before the range to its last.

        Where the states were rescaled within the range it is a step for each part of it.
        """
        if first > last:
            return []
        found: list[EpochChanges] = []
        before = self.log.find(first - 1)
        for epoch in range(first, last) if not whole else ():
            manifest = self.log.get(epoch)
            if before is not None and manifest.generation != before.generation:
                found += self._step(home, before, manifest, whole=False)
                before = manifest
        return found + self._step(home, before, self.log.get(last), whole)

    def _step(
        self, home: str, before: EpochManifest | None, after: EpochManifest, whole: bool
    ) -> list[EpochChanges]:
        state = self._state_in(after)
        if state is None:
            return []
        at = after
        told = before is not None and not (whole or self.logs)
        if told and before is not None and before.generation != after.generation:
            at = self._as_before(after, before.generation)
        where = f"{state_root(home, at.generation)}/{STATE}/{state}"
        filled = before is None and (after.epoch == 0 or not self.logs)
        old: StateCommits | None = None
        if before is not None and self._state_in(before) != state:
            filled = True
        elif before is not None and not self.logs:
            old = StateCommits(where, before.commits[state])
        return [
            EpochChanges(
                after.epoch,
                after.published_millis * 1000,
                StateCommits(where, at.commits[state]),
                old,
                whole or filled,
            )
        ]

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
