"""Queries whose rows are to meet conditions."""

from __future__ import annotations

from pyspark.errors import PySparkException
from pyspark.sql import DataFrame

from groundswell.errors import ConfigurationError, InvalidArgument
from groundswell.jvm.errors import engine_errors
from groundswell.jvm.process import entry


def expecting(
    frame: DataFrame,
    owner: str,
    constraint: str,
    condition: str,
    action: str,
    kind: str = "view",
    clause: str = "EXPECT",
) -> DataFrame:
    """The same query, whose rows are to meet a condition.

    Args:
        frame: the query.
        owner: the view, table or source.
        constraint: its name.
        condition: in SQL.
        action: what becomes of a row that does not meet it.
        kind: what the owner is, for messages.
        clause: what the user wrote before the condition, for messages.

    Raises:
        ConfigurationError: the condition cannot be read, or is not about the row alone.
    """
    spark = frame.sparkSession
    try:
        with engine_errors():
            made = entry(spark).Expectations.of(frame._jdf, owner, constraint, condition, action)
    except (PySparkException, InvalidArgument) as e:
        why = next((line.strip() for line in str(e).splitlines() if line.strip()), "")
        raise ConfigurationError(
            f"{kind} {owner}, constraint {constraint} {clause} ({condition}): {why.rstrip(';')}"
        ) from e
    return DataFrame(made, spark)
