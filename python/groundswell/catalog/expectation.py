"""Expectations: conditions that the rows of a view are to meet, and what becomes of others. Pure.

A view with expectations is its query over the rows that meet them: ``query WHERE condition IS NOT
FALSE``, for those that drop rows. Null meets a condition, as it meets SQL's ``CHECK``.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from pyspark.sql import DataFrame

from groundswell.catalog.names import check_name
from groundswell.errors import ConfigurationError
from groundswell.jvm.expectations import expecting
from groundswell.plan.divert import ON_VIOLATION, STOP


@dataclass(frozen=True)
class Expectation:
    """A condition that each row of a view is to meet.

    Args:
        name: of the constraint, for counts and messages: letters, digits and underscores.
        condition: in SQL, over the columns of the view: a function of the row alone. A row for
            which it is false does not meet it, nor does one for which it cannot be computed. Null
            meets it.
        on_violation: what becomes of a row that does not meet it. ``keep``: it stays in the view,
            and is counted. ``drop``: it is left out of the view, for as long as it does not meet
            the condition. ``fail``: its barrier ends with :class:`~groundswell.RowFailed` before
            anything of it is visible.

    Raises:
        ConfigurationError, SourceError: a value is not allowed.

    Examples:
        >>> votes = p.table("votes", "story bigint, user string")
        >>> named = gs.Expectation("named", "user IS NOT NULL", "drop")
        >>> query = p.view("fans", votes.df, expect=[named]).start()
        >>> votes.insert([(1, "ann"), (2, None)])
        >>> query.processAllAvailable()
        >>> query.view("fans").collect()
        [Row(story=1, user='ann')]
        >>> query.lastProgress["expectations"]
        {'fans': {'named': {'passed': 1, 'failed': 1}}}
        >>> bad = query.view("fans_diverted").select("expression", "row")
        >>> bad.collect()  # doctest: +ELLIPSIS
        [Row(expression='CONSTRAINT named EXPECT ((user IS NOT NULL))', row='{..."story":2...}')]
        >>> query.stop()
    """

    name: str
    condition: str
    on_violation: str = "keep"

    def __post_init__(self) -> None:
        """Refuses what cannot be."""
        check_name("constraint", self.name)
        if not isinstance(self.condition, str) or not self.condition.strip():
            raise ConfigurationError(
                f"constraint {self.name}: its condition is text of SQL, got {self.condition!r}"
            )
        if self.on_violation not in ON_VIOLATION:
            raise ConfigurationError(
                f"constraint {self.name}: on_violation must be one of {', '.join(ON_VIOLATION)}, "
                f"got {self.on_violation!r}"
            )


def check_expectations(view: str, given: Iterable[Expectation] | None) -> tuple[Expectation, ...]:
    """The expectations of a view.

    Raises:
        ConfigurationError: one is something else, or two have one name.
    """
    found: tuple[Any, ...] = tuple(given or ())
    for each in found:
        if not isinstance(each, Expectation):
            raise ConfigurationError(
                f"view {view!r}: expect takes gs.Expectation(name, condition, on_violation), got "
                f"{each!r}"
            )
    names = [each.name.lower() for each in found]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise ConfigurationError(f"view {view!r}: two constraints are named {twice[0]!r}")
    return found


def with_expectations(
    owner: str,
    frame: DataFrame,
    given: Iterable[Expectation],
    kind: str = "view",
    clause: str = "EXPECT",
) -> DataFrame:
    """A view's query, or what stands for a source, whose rows are to meet expectations.

    Those that fail a barrier come first: they see the rows that others drop.

    Raises:
        ConfigurationError: a condition cannot be read, or is not about the row alone.
    """
    for each in sorted(given, key=lambda each: each.on_violation != STOP):
        frame = expecting(frame, owner, each.name, each.condition, each.on_violation, kind, clause)
    return frame
