"""The columns of tables that statements write to."""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql.types import StructType

from groundswell.sql.connecting.connectors import declared_schema, schema_of
from groundswell.sql.parsing import statements as s

ROW_ID = "_row_id"
"""The key of a table without one: Spark shows it to nobody who does not ask for it."""


def columns_of(table: s.CreateRelation | DataFrame) -> tuple[tuple[str, str], ...]:
    """Names and types of the columns of a table that statements write to, as views have them."""
    schema = table.schema if isinstance(table, DataFrame) else schema_of(table)
    return tuple((f.name, f.dataType.simpleString()) for f in schema.fields)


def stored_names(relation: s.CreateRelation) -> dict[str, str]:
    """By name of a column that was renamed, the name that it began with."""
    return {c.name: c.stored for c in relation.columns if c.stored and c.stored != c.name}


def table_schema(relation: s.CreateRelation) -> StructType:
    """The columns of a table, with the hidden key of one that has none of its own."""
    schema = declared_schema(relation)
    hidden = not relation.key and not relation.append_only
    return schema.add(ROW_ID, "string") if hidden else schema
