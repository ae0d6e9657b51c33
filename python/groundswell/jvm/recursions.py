"""Recursive queries, as the JVM tells them apart from what reads them."""

from __future__ import annotations

from pyspark.sql import DataFrame

from groundswell.jvm.errors import JVM_ERRORS, engine_errors, summary
from groundswell.jvm.lists import items
from groundswell.jvm.process import entry

Unrolled = tuple[DataFrame, list[tuple[str, str, DataFrame, int]]]


def recursion_placeholders(base: DataFrame) -> tuple[tuple[str, DataFrame], tuple[str, DataFrame]]:
    """What stands for the result of a recursion, and for its rows within its step, with keys.

    Args:
        base: has its columns; within the step there is one more, the last: the level.
    """
    spark = base.sparkSession
    with engine_errors():
        bridge = entry(spark)
        frames = bridge.Recursions.result(base._jdf), bridge.Recursions.feedback(base._jdf)
        result, feedback = ((bridge.Placeholders.key(f), DataFrame(f, spark)) for f in frames)
        return result, feedback


def derivations(base: DataFrame, step: DataFrame, feedback: str) -> DataFrame:
    """The rows of a recursion as often as they are derived; the last column is their level.

    Args:
        base: its first rows.
        step: what is made of its rows.
        feedback: key of what stands for these.

    Raises:
        ValueError: if the step cannot be followed.
    """
    spark = base.sparkSession
    try:
        with engine_errors():
            made = entry(spark).Recursions.derivations(base._jdf, step._jdf, feedback)
            return DataFrame(made, spark)
    except JVM_ERRORS as e:
        raise ValueError(summary(e).partition(": ")[2]) from e


def unrolled(frame: DataFrame) -> Unrolled:
    """A query without its ``WITH RECURSIVE``, and what its recursions are.

    Returns:
        The query; for each recursion the keys of what stands for its result and for its rows within
        its step, its derivations, and how many levels it may have, -1 by default.

    Raises:
        ValueError: if a step cannot be followed.
    """
    spark = frame.sparkSession
    try:
        with engine_errors():
            recursions = entry(spark).Recursions
            if not recursions.isIn(frame._jdf):
                return frame, []
            made = recursions.unrolled(frame._jdf)
            loops = [
                (x.result(), x.feedback(), DataFrame(x.derivations(), spark), x.limit())
                for x in items(made.loops())
            ]
            return DataFrame(made.frame(), spark), loops
    except JVM_ERRORS as e:
        raise ValueError(summary(e).partition(": ")[2]) from e


def placeholders_of(frame: DataFrame) -> list[str]:
    """The keys of what stands for sources, views and recursions in a query."""
    with engine_errors():
        return items(entry(frame.sparkSession).Recursions.reads(frame._jdf))
