"""``WITH (connector = 'delta' | 'iceberg', ...)``: tables of a lake, with the columns they have."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.types import StructType

from groundswell.api.watermarks import with_watermark
from groundswell.errors import ConfigurationError
from groundswell.sources.delta import delta
from groundswell.sources.iceberg import iceberg
from groundswell.sources.new_columns import ADD
from groundswell.sql.connecting.references import resolved
from groundswell.sql.parsing import statements as s

LAKES = ("delta", "iceberg")
CATALOG = ("type", "uri", "warehouse", "credential")
"""Options of Iceberg's catalogs, as pyiceberg calls them."""


def lake_table(
    spark: SparkSession,
    relation: s.CreateRelation,
    declared: StructType,
    lake: str,
    options: Mapping[str, str],
    other: Collection[str],
    stored: str,
) -> DataFrame:
    """What stands for a table of a lake: its rows, or those columns that the statement lists.

    Args:
        spark: the session.
        relation: the statement.
        declared: the columns that it lists.
        lake: one of :data:`LAKES`.
        options: of the connector, as they were written.
        other: options that only other connectors take.
        stored: what the checkpoint calls the source.

    Raises:
        ConfigurationError: an option or a type does not fit.
        SourceError: the table, or what reading it needs, is missing.
    """
    what = f"{relation.kind} {relation.name[-1]}"
    own = [o for o in other if o in {k.lower() for k in relation.options}]
    if own:
        raise ConfigurationError(f"{what}: connector {lake!r} does not take {', '.join(own)}")
    if relation.format is not None:
        raise ConfigurationError(f"{what}: connector {lake!r} takes no FORMAT")
    given = resolved(what, {o.lower(): v for o, v in options.items()})
    read = _delta if lake == "delta" else _iceberg
    rows = read(spark, what, given, relation, stored)
    types = {f.name.lower(): f.dataType.simpleString() for f in rows.schema.fields}
    for column in declared.fields:
        if types[column.name.lower()] != column.dataType.simpleString():
            raise ConfigurationError(
                f"{what}: column {column.name} is of type {types[column.name.lower()]} in the "
                f"{lake.capitalize()} table, not {column.dataType.simpleString()}: leave the "
                "columns out, or give it that type"
            )
    return with_watermark(rows, relation.watermark, what)


def _delta(
    spark: SparkSession,
    what: str,
    given: Mapping[str, str],
    relation: s.CreateRelation,
    stored: str,
) -> DataFrame:
    return delta(
        spark,
        given["path"],
        key=relation.key or None,
        appends=_flag(what, "appends", given["appends"]) if "appends" in given else None,
        columns=[c.name for c in relation.columns] or None,
        max_versions=_number(what, "max_versions", given.get("max_versions")),
        new_columns=given.get("new_columns", ADD),
        name=stored,
    )


def _iceberg(
    spark: SparkSession,
    what: str,
    given: Mapping[str, str],
    relation: s.CreateRelation,
    stored: str,
) -> DataFrame:
    if ("table" in given) == ("path" in given):
        raise ConfigurationError(f"{what}: give table, its name in a catalog, or path, not both")
    named = {o: given[o] for o in ("branch", "new_columns", "catalog") if o in given}
    if "table" in given and "/" in given["table"]:
        raise ConfigurationError(
            f"{what}: table is the table's name in a catalog, as 'shop.orders'; give a folder as "
            f"path, got {given['table']!r}"
        )
    return iceberg(
        spark,
        given["table"] if "table" in given else Path(given["path"]),
        key=relation.key or None,
        appends=_flag(what, "appends", given.get("appends", "false")),
        columns=[c.name for c in relation.columns] or None,
        max_snapshots=_number(what, "max_snapshots", given.get("max_snapshots")),
        properties={o: given[o] for o in CATALOG if o in given},
        name=stored,
        **named,
    )


def _flag(what: str, option: str, value: str) -> bool:
    if value.lower() not in ("true", "false"):
        raise ConfigurationError(f"{what}: {option} must be true or false, got {value!r}")
    return value.lower() == "true"


def _number(what: str, option: str, value: str | None) -> int | None:
    if value is not None and not value.isdecimal():
        raise ConfigurationError(f"{what}: {option} must be a whole number, got {value!r}")
    return None if value is None else int(value)
