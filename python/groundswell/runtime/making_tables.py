"""Tables of a pipeline as its program defines them: new, as they were, or with other columns."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pyspark.sql import DataFrame

from groundswell import jvm
from groundswell.catalog import columns_of_tables as columns
from groundswell.catalog.expectation import Expectation, with_expectations
from groundswell.catalog.names import check_name
from groundswell.catalog.table_spec import DELETE, TableSpec
from groundswell.columns import TIMES
from groundswell.errors import ConfigurationError, SourceError
from groundswell.plan.divert import STOP
from groundswell.plan.refusals import why_key_type
from groundswell.plan.sources import Mode, SourceTable
from groundswell.runtime.new_columns import as_called, checked_defaults
from groundswell.runtime.planning.changes import diff
from groundswell.runtime.planning.sources import declare, declared, marked
from groundswell.runtime.record import definition
from groundswell.runtime.record.location import FOLDER, upgrade
from groundswell.runtime.record.table import DOCUMENT, KIND, ROWS, load, store
from groundswell.runtime.tables import Table, home

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def _is_begun(spark: SparkSession, location: str, name: str) -> bool:
    """Whether a run has read a table."""
    root = jvm.JvmFolder.open(spark, jvm.qualify(spark, location))
    owner = definition.load(root.child(FOLDER))
    return owner is not None and name in owner.sources


def _check_conditions(
    spark: SparkSession, name: str, spec: TableSpec, known: TableSpec | None
) -> None:
    """Refuses constraints that cannot be read, and to take away a column that one names.

    Raises:
        ConfigurationError: with the constraint.
    """
    there = spec.struct().names
    gone = [n for n in known.struct().names if n not in there] if known is not None else []
    empty = spark.createDataFrame([], columns.stored(spec.struct()))
    for each, text in spec.checks.items():
        try:
            with_expectations(name, empty, [Expectation(each, text, STOP)], "table", "CHECK")
        except ConfigurationError as e:
            if not gone:
                raise
            raise ConfigurationError(
                f"column {', '.join(gone)} of table {name} stays, under its name: constraint "
                f"{each} CHECK ({text}) reads it, and a table keeps its constraints"
            ) from e


def make_table(
    spark: SparkSession,
    location: str,
    name: str,
    spec: TableSpec,
    clean: bool = True,
    before: str = "",
    drops: bool = False,
) -> Table:
    """A table, new or as it was, and what stands for it in queries.

    Args:
        spark: the session that keeps it.
        location: the pipeline's checkpointLocation.
        name: its name.
        spec: what it is.
        clean: whether Spark deletes a write's file when it has recorded the barrier that took it;
            with checkpoints at every k-th barrier it may not.
        before: the key of what stood for it in this process before; its watermark stays.
        drops: whether ``spec`` says all: columns that the location has, and it has not, are given
            up. Else it is of a program, which may be an old one.
    """
    check_name("table", name)
    schema = spec.struct()
    for column in (*spec.key, *spec.version):
        if column not in schema.names:
            raise SourceError(f"table {name} has no column {column!r}: {schema.simpleString()}")
    for column in spec.key:
        if reason := why_key_type(json.loads(schema[column].dataType.json())):
            raise SourceError(f"key column {column}: {reason}")
    folder = home(spark, location, name)
    found = load(folder)
    known = () if found is None else found.struct().names
    for column in schema.names:
        if column not in known and (not column.strip() or column.lower() == DELETE):
            raise SourceError(
                f"table {name}: a column cannot have the name {column!r}: choose another"
            )
    if spec.checks:
        _check_conditions(spark, name, spec, found)
    if spec.keep is None:
        spec = replace(spec, keep=True if found is None else found.keep)
    spec, noted = checked_defaults(spark, name, spec, found, drops), True
    if found is None:
        columns.check_types(name, schema, spark.conf.get(TIMES, "false") == "true")
    if found is None or (found != spec and spec.is_stricter(found)):
        store(folder, spec)
    elif found != spec and (why := spec.why_not(found, drops)) is None:
        columns.check_types(name, schema, spark.conf.get(TIMES, "false") == "true")
        noted = not _is_begun(spark, location, name)
        if noted:
            store(folder, spec)  # else the start notes it whose states have the columns
    elif found != spec:
        if drops:
            raise ConfigurationError(f"table {name} cannot become what is asked for: {why}")
        raise ConfigurationError(
            f"table {name} is there with another definition (- is there, + is asked for):"
            f"{diff(found.lines(), spec.lines())}\nIt cannot become this one: {why}. Go back: open "
            "it as it is there. Anew: give the table another name, or start with another "
            "checkpointLocation."
        )
    else:
        upgrade(folder, DOCUMENT, KIND)
    rows = f"{folder.location}/{ROWS}"
    jvm.make_folder(spark, rows)
    stream = (
        spark.readStream.format(jvm.TABLE_SOURCE)
        .schema(spec.read())
        .option("maxFileAge", "36500d")  # nothing that was written may be too old to be read
        .option("ignoreCorruptFiles", "false")  # or be left out, whatever the session's settings
        .option("ignoreMissingFiles", "false")
        .option("cleanSource", "delete" if clean else "off")
        .load(jvm.literal(rows))
    )
    source, placeholder = jvm.placeholder(stream, name)
    mode = Mode.UPSERT if spec.key else Mode.APPEND
    jvm_id = jvm.jvm_id(spark)
    earlier = declared(jvm_id, before)
    declare(
        jvm_id,
        SourceTable(
            source,
            name,
            mode,
            spec.key,
            DELETE if spec.key else None,
            whole=bool(spec.keep),
            readable=earlier is not None and earlier.readable,
            conflict=spec.conflict,
            version=spec.version,
            event_time=earlier.event_time if earlier is not None else None,
            delay_millis=earlier.delay_millis if earlier is not None else 0,
            life_micros=spec.life_micros,
            kept=bool(spec.keep) and not spec.key,
            columns=tuple(
                (spec.stored.get(f.name, f.name), f.dataType.jsonValue())
                for f in columns.stored(schema).fields
            ),
            defaults=tuple((spec.stored.get(n, n), t) for n, t in spec.defaults.items()),
            names=tuple((stored, n) for n, stored in spec.stored.items()),
        ),
    )
    table = Table(spark, folder, name, spec)
    table.source, table.noted = source, noted
    frame = placeholder.drop(DELETE) if spec.key else placeholder
    table.df = as_called(frame, spec.stored, schema.names)

    def with_watermark(eventTime: str, delayThreshold: str) -> DataFrame:
        column = spec.stored.get(eventTime, eventTime)
        _, of_stream = jvm.placeholder(stream.withWatermark(column, delayThreshold), name)
        (described,) = jvm.Capture([of_stream]).description.sources
        own = declared(jvm_id, source)
        assert own is not None
        new = marked(own, described.watermark)
        if own.event_time is not None and own != new:
            raise SourceError(
                f"table {name} has a watermark on {own.event_time} already, "
                f"{own.delay_millis} ms behind the newest; a table has one, for all views"
            )
        declare(jvm_id, new)
        assert table.df is not None
        return table.df

    shown: Any = table.df
    shown.withWatermark = with_watermark
    return table


def keep_whole(spark: SparkSession, frame: Any) -> str:
    """Has all columns of a keyed source kept, for readers; gives its name.

    Raises:
        ConfigurationError: the frame is another query, or has no key or name.
    """
    jvm_id = jvm.jvm_id(spark)
    read = jvm.Capture([frame]).description.sources if isinstance(frame, DataFrame) else ()
    table = declared(jvm_id, read[0].key) if len(read) == 1 else None
    if table is None or not table.key or not table.name:
        raise ConfigurationError(
            "keep takes a table with a key, or gs.upserts(...) with key= and name=; rows "
            "without a key are kept by a view"
        )
    declare(jvm_id, replace(table, whole=True, readable=True))
    return table.name
