"""Which columns of several inputs are equal. Pure."""

from __future__ import annotations


class Classes:
    """Columns that are equal in every row of the join."""

    def __init__(self) -> None:
        self._above: dict[str, str] = {}
        self._numbers: dict[str, int] = {}

    def join(self, left: str, right: str) -> None:
        """Says that two are equal."""
        left, right = self._top(left), self._top(right)
        if left != right:
            self._above[right] = left

    def add(self, ref: str) -> None:
        """Gives it a class though nothing may be equal to it."""
        self._top(ref)

    def of(self, ref: str) -> int | None:
        """The number of its class; None if it has none."""
        if ref not in self._above:
            return None
        return self._numbers.setdefault(self._top(ref), len(self._numbers))

    def _top(self, ref: str) -> str:
        self._above.setdefault(ref, ref)
        while self._above[ref] != ref:
            ref = self._above[ref]
        return ref


class Keys:
    """Join keys as classes: the first is 0."""

    def __init__(self, refs: tuple[str, ...]) -> None:
        self._numbers = {ref: number for number, ref in enumerate(refs)}

    def of(self, ref: str) -> int | None:
        """Its position; None if it is none of them."""
        return self._numbers.get(ref)
