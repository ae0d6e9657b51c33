"""What a start makes of each state that a location has, or is to have.

It is told from what was decided (:mod:`.decision`), before anything is written.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from html import escape

from groundswell.runtime.backfill.fill import BackfillPlan
from groundswell.runtime.decision import Decision
from groundswell.runtime.planning.graph import Graph, Operator, graph_of
from groundswell.runtime.record.epochs import EpochManifest

KEEP, MOVE, BACKFILL, BEGIN, DROP = "keep", "move", "backfill", "begin", "drop"
FATES = {
    KEEP: "stay as they are",
    MOVE: "are written again with other columns or partitions",
    BACKFILL: "are computed from rows that are kept",
    BEGIN: "begin empty",
    DROP: "go with the last epoch that names them",
}
"""What becomes of states, in the order in which it is told."""
_INDENT = 10


@dataclass(frozen=True)
class Step:
    """What becomes of one state.

    Attributes:
        state: its name.
        fate: one of :data:`FATES`.
        of: what has it: ``view a``, ``index i``, ``table t``; in order, none twice.
        rows: how many it has in the newest epoch, or those that are written again for it.
    """

    state: str
    fate: str
    of: tuple[str, ...] = ()
    rows: int = 0


@dataclass(frozen=True)
class Transition:
    """What a start would make of a location.

    Attributes:
        location: qualified.
        epoch: the newest one; None: there is none.
        steps: one for each state that is there, or is to be.
        reads: how many rows are read to compute new states.
        beside: whether running barriers go on meanwhile.
        suspended: names of the views that stand still.
    """

    location: str
    epoch: int | None
    steps: tuple[Step, ...]
    reads: int = 0
    beside: bool = False
    suspended: tuple[str, ...] = field(default=())

    def states(self, fate: str) -> frozenset[str]:
        """Names of the states that share a fate."""
        return frozenset(step.state for step in self.steps if step.fate == fate)

    @property
    def changes(self) -> bool:
        """Whether any state is other than kept."""
        return any(step.fate != KEEP for step in self.steps)

    def __str__(self) -> str:
        at = "with no epoch yet" if self.epoch is None else f"at epoch {self.epoch}"
        lines = [f"{self.location}, {at}:"]
        by = {fate: [step for step in self.steps if step.fate == fate] for fate in FATES}
        lines += [f"  {f.ljust(_INDENT)}{self._told(f, steps)}" for f, steps in by.items() if steps]
        if self.suspended:
            lines.append(f"  {'suspended'.ljust(_INDENT)}{', '.join(self.suspended)}")
        if not self.steps:
            lines.append("  nothing: there is no view, and no table that is kept")
        return "\n".join(lines)

    def _told(self, fate: str, steps: Sequence[Step]) -> str:
        of = ", ".join(dict.fromkeys(name for step in steps for name in step.of)) or "nobody"
        count = "1 state" if len(steps) == 1 else f"{len(steps)} states"
        rows = sum(step.rows for step in steps)
        more = f", {rows:,} rows" if rows else ""
        if fate == BACKFILL:
            when = "beside the running barriers" if self.beside else "before the next barrier"
            more = f", from {self.reads:,} rows, {when}"
        return f"{count} of {of}{more}"

    def _repr_html_(self) -> str:
        return f"<pre>{escape(str(self))}</pre>"


def transition(
    location: str, made: Decision, plans: Iterable[BackfillPlan], beside: bool, before: Graph | None
) -> Transition:
    """What becomes of each state.

    Args:
        location: qualified.
        made: what was decided.
        plans: what is to be filled, and which tables are to be written again.
        beside: whether running barriers go on meanwhile.
        before: the operators of the last run; None: nobody knows them.
    """
    last, wanted, plans = made.last, made.dataflow.states, list(plans)
    filled = frozenset[str]().union(*(plan.new for plan in plans))
    there, names = _rows(last), _names(made, before)
    moved = {each.state: there.get(each.reads, 0) for each in made.shapes.reshapes}
    sizes = {**moved, **there}
    aside = {each.state for each in made.wanted.aside.values()}
    fates: dict[str, str] = {}
    for state in dict.fromkeys((*wanted, *there)):
        if state in moved or (state in there and state in wanted and made.rescales):
            fates[state] = MOVE
        elif state in filled:
            fates[state] = BACKFILL
        elif state in wanted:
            fates[state] = KEEP if state in there else BEGIN
        else:
            fates[state] = KEEP if state in aside else DROP
    read = {
        state for plan in plans if moved.keys().isdisjoint(plan.new) for state in plan.snapshots
    }
    reads = sum(sizes.get(state, 0) for state in read)
    steps = tuple(
        Step(state, fate, names.get(state, ()), sizes.get(state, 0))
        for state, fate in fates.items()
    )
    epoch = last.epoch if last is not None else None
    return Transition(location, epoch, steps, reads, beside, tuple(sorted(made.wanted.aside)))


def _rows(last: EpochManifest | None) -> dict[str, int]:
    commits = last.commits if last is not None else {}
    return {state: sum(ref.rows for ref in refs) for state, refs in commits.items()}


def _names(made: Decision, before: Graph | None) -> dict[str, tuple[str, ...]]:
    """By state, what has it, as people call that."""
    found: dict[str, set[str]] = {}
    operators = graph_of(made.dataflow.operators, 0, {}).operators
    for each in ([*before.operators] if before else []), [*operators]:
        for state, readers in _readers(each).items():
            found.setdefault(state, set()).update(readers)
    views = [*(made.last.views if made.last else {}).items(), *made.dataflow.views.items()]
    own = [(state, f"view {name}") for name, state in views]
    own += [(state, f"index {name}") for name, state in made.dataflow.indexes.items()]
    for definition in filter(None, (made.owner, made.wanted)):
        own += [(definition.state_of(name), f"source {name}") for name in definition.sources]
    for state, name in own:
        found[state] = {name}
    return {state: tuple(sorted(names)) for state, names in found.items()}


def _readers(operators: Sequence[Operator]) -> dict[str, set[str]]:
    """By state, the views that are computed with it."""
    found: dict[str, set[str]] = {}
    views: dict[int, set[str]] = {}
    for op in reversed(operators):
        by = {f"view {op.view}"} if op.view is not None else views.get(op.id, set())
        for below in op.inputs:
            views.setdefault(below, set()).update(by)
        if op.state is not None:
            found.setdefault(op.state, set()).update(by)
    return found
