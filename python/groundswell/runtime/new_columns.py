"""Columns that a table gets, and what stands for it without them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql.types import StructType

from groundswell import jvm
from groundswell.catalog import columns_of_tables as columns
from groundswell.catalog.table_spec import DELETE, TableSpec
from groundswell.columns import by_name
from groundswell.errors import SourceError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def with_more(
    name: str, spec: TableSpec, more: StructType, defaults: Mapping[str, str]
) -> TableSpec:
    """A table with more columns; raises SourceError if they cannot be added."""
    there = {n.lower(): n for n in spec.struct().names}
    if not more.fields:
        raise SourceError(f"table {name}: no column is named to be added")
    for one in more.fields:
        if one.name.lower() in there:
            raise SourceError(f"table {name} has a column {there[one.name.lower()]} already")
        there[one.name.lower()] = one.name
    if unknown := sorted({*defaults} - {*more.names}):
        raise SourceError(f"table {name}: a default for {unknown[0]}, which is not added")
    return spec.with_columns(more, defaults)


def checked_defaults(
    spark: SparkSession, name: str, spec: TableSpec, known: TableSpec | None
) -> TableSpec:
    """The table with defaults that every session reads the same way.

    Raises:
        SourceError: one is no constant, or does not fit its column; a column needs one.
    """
    schema, texts = spec.struct(), dict(known.defaults) if known is not None else {}
    stored = columns.stored(schema)
    for n, text in spec.defaults.items():
        made = f"CAST(({text}) AS {stored[n].dataType.simpleString()})"
        if texts.get(n) not in (made, text):
            what = f"table {name}, column {n}"
            value = jvm.constant(spark, text, stored[n].dataType, what)
            most = getattr(schema[n].dataType, "length", None)
            if value is None and not schema[n].nullable:
                raise SourceError(f"{what} is NOT NULL, and its default {text} is null")
            if most is not None and value is not None and len(value) > most:
                raise SourceError(f"{what} is varchar({most}), and its default {text} is longer")
            texts[n] = made
    if known is not None:
        for one in schema.fields:
            if not (one.nullable or one.name in known.struct().names or one.name in texts):
                raise SourceError(
                    f"table {name}: column {one.name} is NOT NULL, and rows of before would have "
                    "null in it: give it a default"
                )
    return replace(spec, defaults={n: texts[n] for n in schema.names if n in texts})


def narrower(frame: DataFrame, names: Sequence[str], keyed: bool) -> tuple[str, DataFrame]:
    """What stands for a table with fewer columns, and its key.

    Args:
        frame: stands for the table with all of them.
        names: of those that there are to be, in order.
        keyed: whether the table has a key.
    """
    rows = frame.select(*map(by_name, names))
    if keyed:
        rows = rows.withColumn(DELETE, F.lit(None).cast("boolean"))
    source, made = jvm.view_stand_in(rows)
    return source, made.drop(DELETE)
