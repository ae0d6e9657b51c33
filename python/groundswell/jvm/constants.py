"""Constants that users write as SQL."""

from __future__ import annotations

from typing import Any

from pyspark.errors import PySparkException
from pyspark.sql import SparkSession
from pyspark.sql import functions as F
from pyspark.sql.types import DataType

from groundswell.errors import SourceError
from groundswell.jvm.errors import JVM_ERRORS, first_line, summary


def constant(spark: SparkSession, text: str, of: DataType, what: str) -> Any:
    """The value of a constant.

    Args:
        spark: any session.
        text: as the user wrote it.
        of: its type.
        what: begins the message: what it is for.

    Raises:
        SourceError: it is no constant, or none of that type.
    """
    try:
        frame = spark.range(1).select(F.expr(text).cast(of))
        (made,) = _items(frame._jdf.queryExecution().analyzed().expressions())
        leaves = _items(made.collectLeaves())
        if not made.deterministic() or any(_name(leaf) != "Literal" for leaf in leaves):
            raise SourceError(
                f"{what}: the default {text} is not a constant: write one value, as 0, 'none' or "
                "DATE '2026-01-01'"
            )
        return frame.collect()[0][0]
    except (PySparkException, *JVM_ERRORS) as e:
        why = first_line(e) if isinstance(e, PySparkException) else summary(e)
        raise SourceError(
            f"{what}: the default {text} is not a valid {of.simpleString()}: {why}"
        ) from e


def _items(seq: Any) -> list[Any]:
    """The items of a Scala sequence."""
    return [seq.apply(i) for i in range(seq.size())]


def _name(expression: Any) -> str:
    return str(expression.getClass().getSimpleName())
