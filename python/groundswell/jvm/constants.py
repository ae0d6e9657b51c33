"""Constants that users write as SQL."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pyspark.errors import PySparkException
from pyspark.sql import SparkSession
from pyspark.sql import functions as F
from pyspark.sql.types import (
    ArrayType,
    DataType,
    MapType,
    StructType,
    TimestampType,
    VariantType,
)

from groundswell.errors import SourceError
from groundswell.jvm.errors import JVM_ERRORS, JavaPackage, first_line, summary

_OF_STATEMENT = ("CurrentCatalog", "CurrentDatabase", "CurrentUser")
"""Of expressions without columns those that Spark replaces by their values only when it plans."""


@dataclass(frozen=True)
class Constant:
    """The value of an expression without columns.

    Attributes:
        value: as PySpark has it.
        exact: SQL with the same value in every session and at any time; None: the expression is
            such SQL itself.
    """

    value: Any
    exact: str | None


def constant(spark: SparkSession, text: str, of: DataType, what: str) -> Constant:
    """The value of a constant, or of a function that one statement evaluates once.

    Args:
        spark: any session.
        text: as the user wrote it, such as ``7`` or ``current_timestamp()``.
        of: its type.
        what: begins the message: what it is for.

    Raises:
        SourceError: it is no constant, or none of that type.
    """
    try:
        frame = spark.range(1).select(F.expr(text).cast(of))
        (made,) = _items(frame._jdf.queryExecution().analyzed().expressions())
        leaves = _items(made.collectLeaves())
        patterns = JavaPackage(spark, "org.apache.spark.sql.catalyst.trees").TreePattern
        of_statement = made.containsPattern(patterns.CURRENT_LIKE())
        plain = not of_statement and all(_name(leaf) == "Literal" for leaf in leaves)
        fixed = all(_is_fixed(leaf) for leaf in leaves)
        nested = isinstance(of, ArrayType | MapType | StructType | VariantType)
        if not made.deterministic() or not fixed or (nested and not plain):
            raise SourceError(
                f"{what}: the default {text} is not a constant: write one value, as 0, 'none' or "
                "DATE '2026-01-01'"
                + ("" if nested else ", or a function of the statement, as current_timestamp()")
            )
        value = frame.collect()[0][0]
        if plain:
            return Constant(value, None)
        (folded,) = _items(frame._jdf.queryExecution().optimizedPlan().expressions())
        return Constant(value, _exact(folded.child(), of))
    except (PySparkException, *JVM_ERRORS) as e:
        why = first_line(e) if isinstance(e, PySparkException) else summary(e)
        raise SourceError(
            f"{what}: the default {text} is not a valid {of.simpleString()}: {why}"
        ) from e


def _is_fixed(leaf: Any) -> bool:
    """Whether an expression has one value in a statement, and no user can set it."""
    name = _name(leaf)
    return name in _OF_STATEMENT or (leaf.foldable() and name != "VariableReference")


def _exact(literal: Any, of: DataType) -> str:
    """A literal of Catalyst as SQL; that of a timestamp would be in the session's time zone."""
    if isinstance(of, TimestampType) and literal.value() is not None:
        return f"timestamp_micros({literal.value()})"
    return str(literal.sql())


def _items(seq: Any) -> list[Any]:
    """The items of a Scala sequence."""
    return [seq.apply(i) for i in range(seq.size())]


def _name(expression: Any) -> str:
    return str(expression.getClass().getSimpleName())
