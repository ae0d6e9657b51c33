"""What a tree of joins costs to keep: the work behind each change, and the state. Pure.

A set of inputs is a whole number, bit i being input i. Everything that is estimated of a set of
joined inputs depends on the set, not on the order in which it was joined:

* its rows: the product of the inputs' rows, divided for each class of equal columns by the distinct
  values of all but the input with the fewest, as in every textbook;
* its changes: an input's changed rows, each times the rows of the set per row of that input.

So the cost of a tree is a sum over its joins, and dynamic programming finds the least.

A join reads the other side and writes its own for each change of either side, and gives the changes
of its result::

    work  = 2 * (changes(left) + changes(right)) + changes(result)
    state = bytes(left) + bytes(right), as a share of the bytes of all inputs
    cost  = work / changed rows of all inputs + price * state

The price of a copy of the inputs is the same for all trees of a graph: :data:`KEEP` rows touched a
change or, where a change gives many rows of the result anyway, :data:`KEEP_RESULTS` times those.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

KEEP = 20.0
"""Rows that may be touched a change, to save a copy of the inputs. Set, not measured."""

KEEP_RESULTS = 3.0
"""The same, for each row of the result that a change gives. Set, not measured."""

Tree = int | tuple["Tree", "Tree"]
"""An input, or a join of two trees."""


@dataclass(frozen=True)
class Table:
    """An input of a join.

    Attributes:
        rows: how many take part in the join.
        keys: distinct values of each class of columns, those included that a filter drops.
        width: bytes a row.
        changes: changed rows, in any unit that is the same for all inputs; None: its rows.
        name: for people.
    """

    rows: float
    keys: Mapping[int, float]
    width: float = 1.0
    changes: float | None = None
    name: str = ""


@dataclass(frozen=True)
class Cost:
    """Of a tree, for one changed row of the inputs.

    Attributes:
        work: rows of state read and written, and rows given.
        state: bytes kept, as a multiple of the inputs' bytes.
        price: rows that may be touched for each changed row to save as much as the inputs.
    """

    work: float
    state: float
    price: float = KEEP

    @property
    def total(self) -> float:
        """Both, in rows touched a change."""
        return self.work + self.price * self.state

    def __add__(self, other: Cost) -> Cost:
        return Cost(self.work + other.work, self.state + other.state, self.price)

    def __str__(self) -> str:
        return (
            f"~{self.total:.3g} = {self.work:.3g} rows touched a change"
            f" + {self.price:.3g} * {self.state:.3g} times the inputs kept"
        )


class Graph:
    """Inputs and which of them share a class of columns.

    Attributes:
        tables: the inputs.
        neighbours: by input, the set of those that share a class with it.
        price: see :class:`Cost`.
    """

    def __init__(self, tables: Sequence[Table]) -> None:
        self.tables = tuple(tables)
        self.neighbours = tuple(
            sum(
                1 << j
                for j, other in enumerate(tables)
                if i != j and not table.keys.keys().isdisjoint(other.keys)
            )
            for i, table in enumerate(tables)
        )
        given = [t.rows if t.changes is None else t.changes for t in tables]
        self._changed = sum(given) or 1.0
        self._bytes = sum(t.rows * t.width for t in tables) or 1.0
        # of a set: its rows, its changes for each of its rows, its width, distinct values by class
        self._known: dict[int, tuple[float, float, float, Mapping[int, float]]] = {
            1 << i: (t.rows, given[i] / max(t.rows, 1.0) / self._changed, t.width, t.keys)
            for i, t in enumerate(tables)
        }
        rows, changes, _, _ = self._of((1 << len(tables)) - 1)
        self.price = max(KEEP, KEEP_RESULTS * rows * changes)

    def rows(self, inputs: int) -> float:
        """Expected rows of the join of a set of inputs."""
        return self._of(inputs)[0]

    def join(self, left: int, right: int) -> tuple[float, float]:
        """The work and state of one join; see :class:`Cost`."""
        a_rows, a_changes, a_width, _ = self._of(left)
        b_rows, b_changes, b_width, _ = self._of(right)
        rows, changes, _, _ = self._of(left | right)
        return (
            2.0 * (a_rows * a_changes + b_rows * b_changes) + rows * changes,
            (a_rows * a_width + b_rows * b_width) / self._bytes,
        )

    def cost(self, tree: Tree) -> Cost:
        """Of all joins of a tree."""
        if isinstance(tree, int):
            return Cost(0.0, 0.0, self.price)
        left, right = tree
        return (
            self.cost(left)
            + self.cost(right)
            + Cost(*self.join(inputs(left), inputs(right)), self.price)
        )

    def _of(self, inputs: int) -> tuple[float, float, float, Mapping[int, float]]:
        known = self._known.get(inputs)
        if known is None:
            # one input after another, so that a set has one estimate, however it is joined
            last = inputs & -inputs
            rows, changes, width, keys = self._of(inputs ^ last)
            own_rows, own_changes, own_width, own_keys = self._known[last]
            found = rows * own_rows
            merged = dict(keys)
            for number, values in own_keys.items():
                other = merged.get(number)
                if other is None:
                    merged[number] = values
                else:
                    found /= max(other, values, 1.0)
                    merged[number] = min(other, values)
            known = (found, changes + own_changes, width + own_width, merged)
            self._known[inputs] = known
        return known


def inputs(tree: Tree) -> int:
    """The set of a tree's inputs."""
    return 1 << tree if isinstance(tree, int) else inputs(tree[0]) | inputs(tree[1])


def text(tree: Tree, names: Sequence[str]) -> str:
    """``((a ⋈ b) ⋈ c)``."""
    if isinstance(tree, int):
        return names[tree]
    return f"({text(tree[0], names)} ⋈ {text(tree[1], names)})"
