"""What other columns a table may get, and what stands for it as it was before."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from pyspark.sql import DataFrame
from pyspark.sql.types import BooleanType, CharType, DataType, StructField, StructType

from groundswell import jvm
from groundswell.catalog import columns_of_tables as columns
from groundswell.catalog.table_spec import DELETE, TableSpec, why_not_wider
from groundswell.columns import by_name
from groundswell.errors import SourceError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def with_more(
    name: str, spec: TableSpec, more: StructType, defaults: Mapping[str, str]
) -> TableSpec:
    """A table with more columns; raises SourceError if they cannot be added."""
    there = _by_lower(spec)
    if not more.fields:
        raise SourceError(f"table {name}: no column is named to be added")
    for one in more.fields:
        if one.name.lower() in there:
            raise SourceError(f"table {name} has a column {there[one.name.lower()]} already")
        there[one.name.lower()] = one.name
    if unknown := sorted({*defaults} - {*more.names}):
        raise SourceError(f"table {name}: a default for {unknown[0]}, which is not added")
    return spec.with_columns(more, defaults)


def _padded(text: str, of: DataType) -> str:
    """A default, as SQL, as a column keeps it."""
    if not isinstance(of, CharType):
        return text
    return f"rpad({text}, greatest({of.length}, length({text})), ' ')"


def checked_defaults(
    spark: SparkSession, name: str, spec: TableSpec, known: TableSpec | None, exact: bool
) -> TableSpec:
    """The table with defaults that every session reads the same way, and what only it knows.

    The value of a function, as ``current_timestamp()``, is fixed when its column comes.

    Args:
        spark: any session.
        name: of the table.
        spec: what it is to be.
        known: what it is; None: it is new.
        exact: whether ``spec`` says what its columns are stored as; else ``known`` does.

    Raises:
        SourceError: one is no constant, or does not fit its column; a column needs one.
    """
    schema, texts = spec.struct(), dict(known.defaults) if known is not None else {}
    types = columns.stored(schema)
    for n, given in spec.defaults.items():
        text = _padded(given, schema[n].dataType)
        told = f"CAST(({text}) AS {types[n].dataType.simpleString()})"
        if texts.get(n) not in (told, text, given):
            what = f"table {name}, column {n}"
            found = jvm.constant(spark, text, types[n].dataType, what)
            value = found.value
            most = getattr(schema[n].dataType, "length", None)
            if value is None and not schema[n].nullable:
                raise SourceError(f"{what} is NOT NULL, and its default {given} is null")
            if most is not None and value is not None and len(value) > most:
                kind = schema[n].dataType.simpleString()
                raise SourceError(f"{what} is {kind}, and its default {given} is longer")
            if found.exact is None:
                texts[n] = told
            elif n not in texts or not _is_same(n, spec, known, exact):
                texts[n] = f"CAST(({found.exact}) AS {types[n].dataType.simpleString()})"
    if known is not None:
        for one in schema.fields:
            if not (one.nullable or one.name in known.struct().names or one.name in texts):
                raise SourceError(
                    f"table {name}: column {one.name} is NOT NULL, and rows of before would have "
                    "null in it: give it a default"
                )
    made = replace(spec, defaults={n: texts[n] for n in schema.names if n in texts})
    if known is None:
        return made
    stored = dict(spec.stored)
    if not exact:
        new = (n for n in schema.names if n not in known.struct().names)
        stored = {n: name for n, name in known.stored.items() if n in schema.names}
        stored |= known.names_for(new)
    files = {stored.get(n, n) for n in schema.names}
    had = {known.stored.get(f.name, f.name): f.dataType.jsonValue() for f in known.struct().fields}
    gone = {n: type_ for n, type_ in {**known.dropped, **had}.items() if n not in files}
    return replace(made, dropped=gone if exact else dict(known.dropped), stored=stored)


def _is_same(name: str, spec: TableSpec, known: TableSpec | None, exact: bool) -> bool:
    """Whether a column is the one of that name that is there: what it had once, it keeps."""
    if known is None or name not in known.struct().names:
        return False
    return not exact or spec.stored.get(name, name) == known.stored.get(name, name)


def without_columns(name: str, spec: TableSpec, names: Sequence[str]) -> TableSpec:
    """A table without some columns; raises SourceError if they cannot go."""
    gone = []
    for each in names:
        gone.append(_column(name, spec, each))
        if gone[-1] in (*spec.key, *spec.version):
            what = "key, which identifies a row" if gone[-1] in spec.key else "version"
            raise SourceError(f"table {name}: column {gone[-1]} is of the {what}: it has to stay")
    if not gone:
        raise SourceError(f"table {name}: no column is named to be dropped")
    return spec.without(gone)


def with_type(name: str, spec: TableSpec, column: str, type_: DataType) -> TableSpec:
    """A table with a wider type of a column; raises SourceError if it cannot have it."""
    made = spec.with_type(_column(name, spec, column), type_)
    if reason := why_not_wider(spec.struct(), made.struct(), spec.key):
        raise SourceError(f"table {name}: {reason}")
    return made


def renamed(name: str, spec: TableSpec, old: str, new: str) -> TableSpec:
    """A table with another name of a column; raises SourceError if it cannot have it."""
    found, there = _column(name, spec, old), _by_lower(spec)
    if new.lower() in there and new.lower() != old.lower():
        raise SourceError(f"table {name} has a column {there[new.lower()]} already")
    if found in (*spec.key, *spec.version):
        what = "key" if found in spec.key else "version"
        raise SourceError(f"table {name}: column {found} is of the {what}, and keeps its name")
    return spec.renamed(found, new)


def _by_lower(spec: TableSpec) -> dict[str, str]:
    """The names of the columns, by how Spark compares them."""
    return {name.lower(): name for name in spec.struct().names}


def _column(name: str, spec: TableSpec, column: str) -> str:
    """A column as the table calls it; raises SourceError if there is none."""
    there = _by_lower(spec)
    if column.lower() not in there:
        raise SourceError(
            f"table {name} has no column {column!r}; it has {', '.join(there.values())}"
        )
    return there[column.lower()]


def as_called(frame: DataFrame, stored: Mapping[str, str], names: Sequence[str]) -> DataFrame:
    """The columns of what stands for a table, called as they are now.

    Args:
        frame: with the names that they began with.
        stored: by name, the one that a column began with, if that is another one.
        names: of the columns now, in order.
    """
    if not stored:
        return frame
    return frame.select(*(by_name(stored.get(n, n)).alias(n) for n in names))


def earlier_frame(
    spark: SparkSession, schema: StructType, keyed: bool, stored: Mapping[str, str]
) -> tuple[str, DataFrame]:
    """What stands for a table as it was once, and its key.

    Args:
        spark: any session.
        schema: its columns then.
        keyed: whether the table has a key.
        stored: by name of a column that was renamed until then, the name that it began with.
    """
    fields = [
        StructField(stored.get(f.name, f.name), f.dataType) for f in columns.stored(schema).fields
    ]
    fields += [StructField(DELETE, BooleanType())] if keyed else []
    source, made = jvm.view_placeholder(spark.createDataFrame([], StructType(fields)))
    return source, as_called(made.drop(DELETE), stored, schema.names)
