"""What the catalog is told of a table or view: where its rows are at an epoch."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.types import StructField, StructType

from groundswell import jvm
from groundswell.columns import LENGTH
from groundswell.contract.sql.answers import Missing, ViewAt
from groundswell.contract.sql.requests import LoadView
from groundswell.contract.sql.states import StateAt
from groundswell.errors import ConfigurationError, EpochUnavailable
from groundswell.plan.sources import HIDDEN
from groundswell.runtime.reading.views import held, schema_json
from groundswell.runtime.record.epochs import EpochLog
from groundswell.runtime.record.location import EPOCHS, FOLDER
from groundswell.runtime.record.pending_epochs import PendingEpochs
from groundswell.runtime.record.published import Published, places_of
from groundswell.sql.connecting.connectors import schema_of
from groundswell.sql.defining.set_aside import readable
from groundswell.sql.defining.table_columns import ROW_ID
from groundswell.sql.history.log import Object
from groundswell.sql.parsing import statements as s
from groundswell.sql.pipelines import SqlPipeline


def load(spark: SparkSession, pipeline: SqlPipeline, request: LoadView) -> ViewAt | Missing:
    """Columns, commits and key of a table or view.

    Args:
        spark: the session that reads.
        pipeline: whose table it is.
        request: which one, and at which epoch.

    Raises:
        EpochUnavailable: the epoch was never published, or is retired.
        ConfigurationError: a source, which keeps no rows.
    """
    found, aside = readable(pipeline.contents, request.name)
    if found is None or found.kind not in (s.TABLE, s.SOURCE, s.VIEW):
        return Missing()
    if found.kind == s.SOURCE:
        raise ConfigurationError(
            f"source {found.name} keeps no rows: make a materialized view of it and read that"
        )
    home = jvm.JvmFolder.open(spark, pipeline.location).child(FOLDER)
    log = PendingEpochs(home.child(EPOCHS), jvm.jvm_id(spark))
    epoch = epoch_of(log, request)
    if epoch is None:
        pipeline.make_ready()
    if epoch is None and not log.epochs() and not pipeline.catch_up():
        return Missing() if aside else _unpublished(pipeline, found)
    reader = jvm.jvm_id(spark)
    published = held(home, pipeline.location, epoch, reader)
    if epoch is None and not published.has(found.stored) and pipeline.catch_up():
        published = held(home, pipeline.location, None, reader)
    if aside and not published.has(found.stored):
        return Missing()
    # An epoch may be that of the query's other tables; a version is what the user asks for.
    is_newest = request.version is None and request.micros is None
    if is_newest and found.kind == s.TABLE and not published.has(found.stored):
        return _unpublished(pipeline, found)  # nothing has come since it was made
    state = published.state(found.stored)
    layout = published.layout(state)
    where = _state(home.location, published, state, layout)
    schema = StructType.fromJson(where.schema)
    return ViewAt(
        published.epoch,
        where.schema,
        seen(schema, found),
        _properties(pipeline, found, published.epoch),
        where,
        tuple(
            _index(home.location, published, each.stored)
            for each in pipeline.indexes_of(found)
            if _covers(published, each.stored, schema)
        ),
    )


def rows(spark: SparkSession, location: str, stored: str) -> DataFrame | None:
    """The rows of a table at the newest epoch, hidden key and all; None: no epoch has it yet.

    Args:
        spark: the session that reads.
        location: of the pipeline, qualified.
        stored: what the pipeline calls the table.
    """
    home = jvm.JvmFolder.open(spark, location).child(FOLDER)
    if not PendingEpochs(home.child(EPOCHS), jvm.jvm_id(spark)).epochs():
        return None
    published = held(home, location, None, jvm.jvm_id(spark))
    if not published.has(stored):
        return None
    state = published.state(stored)
    schema = schema_json(published.layout(state))
    return jvm.view_rows(spark, published.at(home.location, state), schema)


def _unpublished(pipeline: SqlPipeline, found: Object) -> ViewAt:
    """No epoch has it yet: it is empty."""
    schema = pipeline.schema(found.name)
    return ViewAt(None, schema.jsonValue(), seen(schema, found), _properties(pipeline, found, None))


def epoch_of(log: EpochLog, request: LoadView) -> int | None:
    """The epoch that a request names; None: the newest."""
    if request.epoch is not None:
        return request.epoch
    if request.version is not None:
        return epoch_number(request.version)
    if request.micros is not None:
        return as_of(log, request.micros)
    return None


def epoch_number(given: str) -> int:
    """A version as SQL says it."""
    if not given.isdecimal():
        raise EpochUnavailable(f"a version is the number of an epoch, got {given!r}")
    return int(given)


def as_of(log: EpochLog, micros: int) -> int:
    """The newest epoch that was published by a time."""
    epochs = log.epochs()
    low, high = 0, len(epochs)
    while low < high:
        middle = (low + high) // 2
        if log.get(epochs[middle]).published_millis * 1000 <= micros:
            low = middle + 1
        else:
            high = middle
    if low == 0:
        first = (
            f"the oldest epoch that is there is {epochs[0]}" if epochs else "there is no epoch yet"
        )
        raise EpochUnavailable(f"no epoch that is kept was published by then: {first}, newer")
    return epochs[low - 1]


def _state(root: str, published: Published, state: str, layout: Mapping[str, Any]) -> StateAt:
    names = {c["name"] for c in layout["columns"]}
    by = tuple(name if name in names else "" for name in layout.get("by", ()))
    return StateAt(
        published.at(root, state),
        json.loads(schema_json(layout)),
        by if all(by) else (),
        places_of(layout),
    )


def _index(root: str, published: Published, name: str) -> StateAt:
    state = published.indexes[name]
    return _state(root, published, state, published.layout(state))


def _covers(published: Published, index: str, schema: StructType) -> bool:
    """Whether an index is there, and has all columns that readers see."""
    state = published.indexes.get(index)
    if state is None:
        return False
    kept = {c["name"] for c in published.layout(state)["columns"]}
    return kept >= set(schema.names) - {ROW_ID}


def seen(schema: StructType, found: Object) -> Any:
    """The columns of a table or view without hidden ones, as JSON; ``char`` of tables as such."""
    padded = padding(found)
    fields = [
        StructField(f.name, f.dataType, f.nullable, padded.get(f.name, f.metadata))
        for f in schema.fields
        if f.name not in (ROW_ID, *HIDDEN)
    ]
    return StructType(fields).jsonValue()


def padding(found: Object) -> dict[str, dict[str, Any]]:
    """By name of a table's ``char`` columns, the metadata by which Spark pads what it compares."""
    if found.kind != s.TABLE:  # a Python program has defined views without statements
        return {}
    statement = found.statement
    assert isinstance(statement, s.CreateRelation)
    columns = schema_of(statement).fields
    return {f.name: dict(f.metadata) for f in columns if f.metadata and LENGTH in f.metadata}


def _properties(pipeline: SqlPipeline, found: Object, epoch: int | None) -> dict[str, str]:
    return {
        "pipeline": pipeline.name,
        "kind": found.kind,
        "location": pipeline.location,
        "created_by": found.made.by,
        "created_at": found.made.at,
        **({} if epoch is None else {"epoch": str(epoch)}),
    }
