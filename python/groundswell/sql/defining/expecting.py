"""What the constraints of statements become."""

from __future__ import annotations

from collections.abc import Iterable

from pyspark.sql import DataFrame

from groundswell.catalog.expectation import Expectation, with_expectations
from groundswell.errors import ConfigurationError
from groundswell.plan.divert import STOP
from groundswell.sql.parsing.statements import Constraint, CreateRelation


def expectations(constraints: Iterable[Constraint]) -> list[Expectation]:
    """Constraints of a view or source."""
    return [Expectation(c.name, c.condition, c.action) for c in constraints]


def checks(table: CreateRelation) -> dict[str, str]:
    """What is checked of each write to a table without a connector.

    Raises:
        ConfigurationError: rows that do not meet a constraint are to be dropped or counted.
    """
    for each in table.constraints:
        if each.action != STOP:
            name = table.name[-1]
            raise ConfigurationError(
                f"table {name}, constraint {each.name}: what is written to a table is refused if "
                "it does not meet a constraint. Write CHECK, or ON VIOLATION FAIL UPDATE; to drop "
                f"or count such rows, give the constraint to a view: CREATE MATERIALIZED VIEW v "
                f"(CONSTRAINT {each.name} EXPECT (...)) AS SELECT * FROM {name}"
            )
    return {each.name: each.condition for each in table.constraints}


def expected(source: CreateRelation, frame: DataFrame) -> DataFrame:
    """What stands for a source in queries: its rows that meet its constraints."""
    given = expectations(source.constraints)
    return with_expectations(source.name[-1], frame, given, source.kind)
