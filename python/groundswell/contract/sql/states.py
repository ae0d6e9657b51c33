"""The states that statements read, and the epochs that they ask for."""

from __future__ import annotations

from dataclasses import dataclass

from groundswell.contract.codec import SparkType
from groundswell.contract.commits import IndexPlaces, StateCommits


@dataclass(frozen=True)
class EpochRange:
    """Which epochs' changes are asked for; without any bound, all rows and all that come.

    Attributes:
        after: those after that one; negative: all rows of epoch ``-after - 1``, and those after it.
        until: the last of these.
        first: the first one, as SQL says its version.
        last: the last one, as SQL says its version; None: the newest.
        first_micros: in place of ``first``: the newest one that was published by then.
        last_micros: in place of ``last``.
        first_inclusive: whether the first one's changes are among them.
        last_inclusive: whether the last one's are.
        newest: begin with all rows of the newest one.
    """

    after: int | None = None
    until: int | None = None
    first: str | None = None
    last: str | None = None
    first_micros: int | None = None
    last_micros: int | None = None
    first_inclusive: bool = True
    last_inclusive: bool = True
    newest: bool = False


@dataclass(frozen=True)
class StateAt:
    """The rows of a table, view or index at an epoch.

    Attributes:
        at: their state.
        schema: of the rows, hidden columns included.
        by: names of the key columns, or of those that the index is looked up by; empty: no lookups.
        places: of an index; None: it is a table or view.
    """

    at: StateCommits
    schema: SparkType
    by: tuple[str, ...]
    places: IndexPlaces | None = None


@dataclass(frozen=True)
class EpochChanges:
    """What an epoch changed in a table or view.

    Attributes:
        epoch: which.
        micros: when it was published.
        at: the state after it.
        before: the state that its changes are told from; None: they stand in its changelog.
        whole: whether all its rows count as new.
    """

    epoch: int
    micros: int
    at: StateCommits
    before: StateCommits | None
    whole: bool
