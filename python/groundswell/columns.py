"""Columns by their names, which may hold dots, spaces and backticks."""

from __future__ import annotations

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql.types import CharType, StringType, StructField, StructType, VarcharType

TIMES = "spark.sql.timeType.enabled"
"""The conf of Spark without which it refuses every query over the type ``time``."""

LENGTH = "__CHAR_VARCHAR_TYPE_STRING"
"""In a text column's metadata: its type with a length, by which Spark pads what it compares."""


def quoted(name: str) -> str:
    """The name as SQL takes it."""
    return f"`{name.replace('`', '``')}`"


def by_name(*path: str) -> Column:
    """The column of this name, or the field of it that the path leads to."""
    return F.col(".".join(map(quoted, path)))


def is_measured(field: StructField) -> bool:
    """Whether a column has a length: ``char`` and ``varchar``."""
    return isinstance(field.dataType, CharType | VarcharType)


def fitted(text: Column, type_: CharType | VarcharType) -> Column:
    """A text as Spark's own tables keep it in a column with a length; null: it is too long.

    Spaces at the end do not count: they are cut off behind the length, and a ``char`` is padded.
    """
    most = type_.length
    cut = F.when(F.char_length(F.rtrim(text)) <= most, F.substring(text, 1, most))
    kept = F.when(F.char_length(text) <= most, text).otherwise(cut)
    return F.rpad(kept, most, " ") if isinstance(type_, CharType) else kept


def padded(field: StructField) -> StructField:
    """A ``char`` as the text column that Spark reads and compares as one; others as they are."""
    if not isinstance(field.dataType, CharType):
        return field
    metadata = {**(field.metadata or {}), LENGTH: field.dataType.simpleString()}
    return StructField(field.name, StringType(), field.nullable, metadata)


def with_padding(rows: DataFrame, declared: StructType) -> DataFrame:
    """The same rows; text columns that are declared as ``char`` compare as Spark's own do."""
    marked = {
        f.name: padded(f).metadata for f in declared.fields if isinstance(f.dataType, CharType)
    }
    if not marked:
        return rows
    return rows.select(
        *(by_name(n).alias(n, metadata=marked[n]) if n in marked else by_name(n)
          for n in rows.columns)
    )  # fmt: skip
