"""Columns by their names, which may hold dots, spaces and backticks."""

from __future__ import annotations

from pyspark.sql import Column
from pyspark.sql import functions as F

TIMES = "spark.sql.timeType.enabled"
"""The conf of Spark without which it refuses every query over the type ``time``."""


def quoted(name: str) -> str:
    """The name as SQL takes it."""
    return f"`{name.replace('`', '``')}`"


def by_name(*path: str) -> Column:
    """The column of this name, or the field of it that the path leads to."""
    return F.col(".".join(map(quoted, path)))
