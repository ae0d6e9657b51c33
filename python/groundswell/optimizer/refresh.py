"""Whether a barrier's changes are followed, or a view is recomputed, by what both took. Pure.

Following changes costs in proportion to the changed rows, recomputing in proportion to the rows
of the inputs. Both are measured where they run: there is no cost that was set. What a run measures
first is not taken for good, for its code is cold; the second takes its place.

Before both ways are known, a barrier that changes at least half as many rows as the inputs have
tries the one that is not known. So a pipeline without such barriers never tries anything.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

AUTO, INCREMENTAL, FULL, STRICT = "AUTO", "INCREMENTAL", "FULL", "STRICT"
POLICIES = (AUTO, INCREMENTAL, FULL, STRICT)
"""How a view is kept, see ``docs/refresh-policy.md``."""
MARGIN = 1.1
"""Recomputing must be so many times cheaper, for figures of two barriers are not that exact."""
SETTLED = 2
"""So many measurements make a figure."""
REACH = 4
"""Of a barrier so many times larger nothing is foretold."""


@dataclass(frozen=True)
class Measured:
    """What so many rows took.

    Attributes:
        rows: how many.
        millis: what they took.
        count: how often it was measured.
    """

    rows: int
    millis: float
    count: int = 1

    def then(self, rows: int, millis: float) -> Measured:
        """With one more measurement: the second replaces the first, later ones count half."""
        if self.count < SETTLED:
            return Measured(rows, millis, self.count + 1)
        scaled = self.millis * rows / self.rows if self.rows else self.millis
        return Measured(rows, (scaled + millis) / 2, self.count + 1)

    @property
    def is_settled(self) -> bool:
        """Whether it is not a first measurement."""
        return self.count >= SETTLED

    def __str__(self) -> str:
        each = self.millis * 1000 / self.rows if self.rows else 0.0
        return f"{self.rows:,} rows × {each:.3g} µs = {self.millis:,.0f} ms"


@dataclass(frozen=True)
class Figures:
    """What was measured of views that are computed together.

    Attributes:
        anew: by the rows of the inputs; None: they were never recomputed.
        changed: by the changed rows, ascending, one for each power of two.
    """

    anew: Measured | None = None
    changed: tuple[Measured, ...] = ()

    def with_anew(self, rows: int, millis: float) -> Figures:
        """After they were recomputed, of so many rows of the inputs."""
        known = self.anew
        return replace(self, anew=known.then(rows, millis) if known else Measured(rows, millis))

    def with_changed(self, rows: int, millis: float) -> Figures:
        """After so many changed rows were followed."""
        if rows < 1:
            return self
        by = {each.rows.bit_length(): each for each in self.changed}
        known = by.get(rows.bit_length())
        by[rows.bit_length()] = known.then(rows, millis) if known else Measured(rows, millis)
        return replace(self, changed=tuple(by[size] for size in sorted(by)))

    def recompute(self, rows: int) -> Measured | None:
        """What recomputing of so many rows is expected to take."""
        if self.anew is None or not self.anew.rows:
            return None
        return Measured(rows, self.anew.millis * rows / self.anew.rows, self.anew.count)

    def follow(self, rows: int) -> Measured | None:
        """What following so many changed rows is expected to take; None: too few were seen."""
        below = [m for m in self.changed if m.rows <= rows]
        above = [m for m in self.changed if m.rows > rows]
        if not above:
            last = below[-1] if below else None
            if last is None or last.rows * REACH < rows:
                return None
            return Measured(rows, last.millis * rows / last.rows, last.count)
        if not below:
            return Measured(rows, above[0].millis, above[0].count)
        low, high = below[-1], above[0]
        share = (rows - low.rows) / (high.rows - low.rows)
        near = low if rows - low.rows < high.rows - rows else high
        return Measured(rows, low.millis + share * (high.millis - low.millis), near.count)


@dataclass(frozen=True)
class Choice:
    """What becomes of views in a barrier.

    Attributes:
        full: whether they are recomputed.
        reason: why.
    """

    full: bool
    reason: str

    def __str__(self) -> str:
        return "full" if self.full else "incremental"


def choose(
    policies: Sequence[str],
    cannot: str,
    changed: int | None,
    rows: int,
    figures: Figures,
) -> Choice:
    """Decides on views that can only be recomputed together.

    Args:
        policies: of the views; a FULL beside an INCREMENTAL or STRICT one was refused before.
        cannot: why they cannot be recomputed; empty: they can.
        changed: about how many rows the barrier changes; None: it is not known.
        rows: of the inputs, before it.
        figures: what was measured.
    """
    for policy in (STRICT, INCREMENTAL):
        if policy in policies:
            whose = "the policy" if len({*policies}) == 1 else "that of a view kept with it"
            return Choice(False, f"{whose} is {policy}")
    if cannot:
        return Choice(False, f"it cannot be recomputed: {cannot}")
    if changed == 0:
        return Choice(False, "nothing of its sources came")
    if FULL in policies:
        return Choice(True, "the policy is FULL")
    if changed is None:
        return Choice(False, "how many rows it changes is not known before they are read")
    if not rows:
        return Choice(False, "the inputs had no rows")
    large = changed * 2 >= rows
    part = f"{changed:,} of {rows:,} rows change"
    anew = figures.recompute(rows)
    if anew is None or not anew.is_settled:
        if large:
            return Choice(True, f"{part}, and recomputing is to be measured")
        return Choice(False, f"{part}, fewer than half, and recomputing was not measured yet")
    follow = figures.follow(changed)
    if follow is None or (large and not follow.is_settled):
        return Choice(False, f"{part}, and following so many is to be measured")
    if follow.millis > MARGIN * anew.millis:
        return Choice(True, f"{part}: {follow} to follow, {anew} anew")
    return Choice(False, f"{part}: {follow} to follow, {anew} anew")


def noted(figures: Figures) -> dict[str, Any]:
    """Figures as they stand in an epoch's record."""
    return {
        "anew": _list(figures.anew) if figures.anew else None,
        "changed": [_list(each) for each in figures.changed],
    }


def figures_in(document: Mapping[str, Any]) -> Figures:
    """What :func:`noted` gave."""
    anew = document.get("anew")
    return Figures(
        Measured(*anew) if anew else None,
        tuple(Measured(*each) for each in document.get("changed", ())),
    )


def _list(measured: Measured) -> list[float]:
    return [measured.rows, round(measured.millis, 1), measured.count]
