"""What planning a view again changes, and why. Pure."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from groundswell.optimizer.delta_planner import equi_joins
from groundswell.optimizer.model import text
from groundswell.optimizer.reorder import Choice
from groundswell.plan.definition import definition, digest
from groundswell.runtime.planning.planned import PlannedViews


@dataclass(frozen=True)
class Replanned:
    """A view that was planned again.

    Attributes:
        view: its name.
        changed: whether it has another plan now, and was filled again.
        reasons: why it has, or why not, one a line.
        gone: the states that nothing needs any more because of it.
        made: the states that it began.
    """

    view: str
    changed: bool
    reasons: tuple[str, ...]
    gone: tuple[str, ...] = ()
    made: tuple[str, ...] = ()

    def __str__(self) -> str:
        what = "planned again" if self.changed else "as it was"
        return "\n  ".join([f"view {self.view}: {what}", *self.reasons])


def replanned(
    before: PlannedViews, after: PlannedViews, names: Sequence[str], anew: Collection[str]
) -> tuple[Replanned, ...]:
    """Compares two plans, view by view.

    Args:
        before: the plan that is there.
        after: the one to come.
        names: of the views to compare.
        anew: of those that were planned again in ``after``.

    Returns:
        One for each name. Joins in another form alone are no change if no state is saved by it.
    """
    was, now = _states(before), _states(after)
    fewer = len(_joins(now)) < len(_joins(was))
    found = []
    for name in names:
        same = definition(before.streams[name]) == definition(after.streams[name])
        orders = list(_orders(before.orders.get(name, ()), after.orders.get(name, ())))
        deltas = _deltas(before, name) != _deltas(after, name)
        why = [line for _, line in orders]
        if deltas:
            why += after.reasons(name)
        moved = deltas or any(moved for moved, _ in orders)
        if not same and not moved and fewer:
            why.append(f"{len(_joins(was))} states of joins become {len(_joins(now))}")
        changed = name in anew and ((not same and (moved or fewer)) or deltas)
        if not changed and not why:
            why.append("it has no joins whose order, form or indexes could be others")
        gone = tuple(sorted(was - now)) if changed else ()
        made = tuple(sorted(_own(after, name) - was)) if changed else ()
        found.append(Replanned(name, changed, tuple(why), gone, made))
    return tuple(found)


def _orders(was: Sequence[Choice], now: Sequence[Choice]) -> list[tuple[bool, str]]:
    """For each region: whether its order is another one, and why or why not."""
    found = []
    for at, choice in enumerate(now):
        names = [table.name for table in choice.tables]
        old = was[at].taken if at < len(was) else choice.written
        kept, best = choice.cost(old), choice.best
        if choice.taken != old:
            line = (
                f"joins as {text(choice.taken, names)}, not {text(old, names)}: "
                f"cost {choice.cost(choice.taken)} instead of {kept}"
            )
            found.append((True, line))
        elif best is not None and best != old:
            line = (
                f"joins stay as {text(old, names)}: the cheapest order, {text(best, names)}, "
                f"costs {choice.cost(best)} instead of {kept}, which does not pay a filling"
            )
            found.append((False, line))
        else:
            found.append((False, f"joins stay as {text(old, names)}: no order costs less"))
    return found


def _states(planned: PlannedViews) -> set[str]:
    return set(planned.dataflow().states)


def _joins(states: Collection[str]) -> set[str]:
    return {state for state in states if state.startswith("join-")}


def _own(planned: PlannedViews, view: str) -> set[str]:
    """States of one view's joins, and its own."""
    flow = planned.dataflow()
    joins = {f"join-{digest(join)}" for join in equi_joins(planned.streams[view])}
    mine = {s for s in flow.states for join in joins if f"{s}-".startswith(f"{join}-")}
    return mine | {flow.views[view]}


def _deltas(planned: PlannedViews, view: str) -> set[str]:
    found = planned.deltas(view)
    return {digest(s) for s in equi_joins(planned.streams[view]) if id(s) in found}
