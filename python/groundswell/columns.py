"""Columns by their names, which may hold dots, spaces and backticks."""

from __future__ import annotations

from pyspark.sql import Column
from pyspark.sql import functions as F
from pyspark.sql.types import CharType, VarcharType

TIMES = "spark.sql.timeType.enabled"
"""The conf of Spark without which it refuses every query over the type ``time``."""


def quoted(name: str) -> str:
    """The name as SQL takes it."""
    return f"`{name.replace('`', '``')}`"


def by_name(*path: str) -> Column:
    """The column of this name, or the field of it that the path leads to."""
    return F.col(".".join(map(quoted, path)))


def fitted(text: Column, type_: CharType | VarcharType) -> Column:
    """A text as Spark's own tables keep it in a column with a length; null: it is too long.

    Spaces at the end do not count: they are cut off behind the length, and a ``char`` is padded.
    """
    most = type_.length
    cut = F.when(F.char_length(F.rtrim(text)) <= most, F.substring(text, 1, most))
    kept = F.when(F.char_length(text) <= most, text).otherwise(cut)
    return F.rpad(kept, most, " ") if isinstance(type_, CharType) else kept
