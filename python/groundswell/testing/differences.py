"""Rows that are missing from a view, or that nobody expected, as a table for people. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from datetime import tzinfo

from groundswell.testing.values import shown

Row = tuple[Hashable, ...]
MISSING, UNEXPECTED = "missing", "unexpected"


@dataclass(frozen=True)
class Difference:
    """What a view has after a step, beside what it should.

    Attributes:
        step: what the step is called.
        columns: those that are compared.
        missing: expected rows that the view has not, each as often as it lacks.
        unexpected: rows that the view has beside the expected ones.
        same: number of rows that it has and should have.
    """

    step: str
    columns: Sequence[str]
    missing: tuple[Row, ...]
    unexpected: tuple[Row, ...]
    same: int

    def lines(self, zone: tzinfo) -> list[str]:
        """The rows under their columns' names; timestamps are shown in a time zone."""
        marked = [
            *((MISSING, r) for r in self.missing),
            *((UNEXPECTED, r) for r in self.unexpected),
        ]
        texts = [(mark, tuple(shown(value, zone) for value in row)) for mark, row in marked]
        order = {MISSING: 0, UNEXPECTED: 1}
        texts.sort(key=lambda each: (each[1], order[each[0]]))
        cells = [("", *self.columns), *((mark, *row) for mark, row in texts)]
        widths = [max(len(row[i]) for row in cells) for i in range(len(cells[0]))]
        lines = [" | ".join(c.ljust(w) for c, w in zip(row, widths, strict=True)) for row in cells]
        lines.insert(1, "-+-".join("-" * width for width in widths))
        told = f"{len(self.missing)} missing, {len(self.unexpected)} unexpected"
        return [
            f"{self.step}: {told}, {self.same} as expected",
            *(f"  {line.rstrip()}" for line in lines),
        ]


def difference(
    step: str, columns: Sequence[str], expected: Iterable[Row], found: Iterable[Row]
) -> Difference | None:
    """What differs between two bags of rows; None: nothing."""
    wanted, there = Counter(expected), Counter(found)
    missing, unexpected = wanted - there, there - wanted
    if not missing and not unexpected:
        return None
    same = (wanted & there).total()
    return Difference(step, columns, tuple(missing.elements()), tuple(unexpected.elements()), same)
