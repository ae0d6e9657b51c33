"""Runs barriers by the policies of views: follows what changed, or computes views anew.

A view that is recomputed has its states begun again within the barrier, of the tables as they
are after it; its rows are replaced, and sinks and readers see what differs as this epoch's changes.
All commits of the barrier are published together, so a process that dies in between has done
nothing, whatever it had chosen; the next one may choose otherwise.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import replace
from typing import Any

from groundswell import jvm
from groundswell.contract.barrier import (
    BarrierMillis,
    BarrierRequest,
    BarrierResult,
    BatchSize,
    OperatorTotals,
)
from groundswell.contract.commits import Commits
from groundswell.contract.dataflow.flow import DataflowSpec
from groundswell.contract.dataflow.views import MaterializeSpec
from groundswell.errors import ConfigurationError, DefinitionChanged
from groundswell.optimizer.refresh import (
    AUTO,
    FULL,
    INCREMENTAL,
    STRICT,
    Choice,
    choose,
    figures_in,
    noted,
)
from groundswell.physical.recompute import Operators, Unit, anew_of, rest_of, units

VIEWS, FIGURES, ROW_BYTES = "views", "figures", "rowBytes"
"""What an epoch's record says of policies."""


class Refreshing:
    """The dataflow of a run, by policies.

    Attributes:
        chosen: of the last barrier: what the record of its epoch says of policies; empty if no view
            was given one.
    """

    def __init__(
        self,
        capture: jvm.Capture,
        spec: DataflowSpec,
        policies: Mapping[str, str],
        types: Mapping[str, Any],
        record: Mapping[str, Any],
        main: jvm.Dataflow | None = None,
        hit: Callable[[str], None] = lambda _: None,
    ) -> None:
        """Compiles what follows changes; the other dataflows when they are first needed.

        Args:
            capture: the queries.
            spec: the dataflow, as the JVM takes it.
            policies: by view, of those that were given one.
            types: of the columns of the sources, by ref.
            record: what the last epoch's record says of policies.
            main: the dataflow, if it was compiled before.
            hit: dies if a test armed this point.
        """
        self.chosen: Mapping[str, Any] = {}
        self.main = main or jvm.Dataflow(capture, spec)
        self._capture = capture
        self._hit = hit
        self._spec = spec
        self._policies = policies
        self._types = types
        found = units(spec.operators) if policies else ()
        self._units = [unit for unit in found if policies.keys() & {*unit.views}]
        self._figures = {
            _name(unit): figures_in(record.get(FIGURES, {}).get(_name(unit), {}))
            for unit in self._units
        }
        self._row_bytes: dict[str, float] = dict(record.get(ROW_BYTES, {}))
        self._flows: dict[tuple[str, ...], tuple[jvm.Dataflow, jvm.Dataflow]] = {}

    def run(self, request: BarrierRequest, batch: Any) -> BarrierResult:
        """Runs a barrier; see :class:`~groundswell.runtime.barriers.barrier.Runner`."""
        if not self._units:
            return self.main.run(request, batch)
        sizes = self.main.sizes(batch) if self._asks_for_sizes() else {}
        choices = [(unit, self._choice(unit, request.base, sizes)) for unit in self._units]
        anew = [unit for unit, choice in choices if choice.full]
        if anew:
            result, millis = self._run_anew(anew, request, batch)
        else:
            result = self.main.run(request, batch)
            millis = _shares(self._units, result.operators, result.millis)
        self._note(choices, request.base, result, millis, sizes)
        return result

    def close(self) -> None:
        """Lets go of the dataflows."""
        for flows in self._flows.values():
            for flow in flows:
                flow.close()
        self.main.close()

    def _asks_for_sizes(self) -> bool:
        """Only if it may decide something."""
        may = ({self._policy(view) for view in unit.views} for unit in self._units)
        return any(not policies & {INCREMENTAL, STRICT} for policies in may)

    def _policy(self, view: str) -> str:
        return self._policies.get(view, INCREMENTAL)

    def _choice(self, unit: Unit, base: Commits, sizes: Mapping[str, BatchSize]) -> Choice:
        missing = [s for s in (*unit.states, *unit.tables) if s not in base]
        cannot = unit.cannot or ("its states are begun by this barrier" if missing else "")
        return choose(
            [self._policy(view) for view in unit.views],
            cannot,
            self._expected(unit, sizes),
            _rows(unit, base),
            self._figures[_name(unit)],
        )

    def _expected(self, unit: Unit, sizes: Mapping[str, BatchSize]) -> int | None:
        """About how many rows of its sources a batch has; None: it is not known."""
        rows = 0.0
        for source, name in unit.sources.items():
            size = sizes.get(source, BatchSize())
            each = self._row_bytes.get(name)
            if not size.known or (size.bytes and not each):
                return None
            rows += size.rows + (size.bytes / each if each else 0)
        return round(rows)

    def _run_anew(
        self, anew: list[Unit], request: BarrierRequest, batch: Any
    ) -> tuple[BarrierResult, Mapping[str, float]]:
        rest, whole = self._flow(anew)
        base = request.base
        first = rest.run(request, batch)
        self._hit("before_anew")
        read = [*(s for unit in anew for s in unit.tables), *self._view_states(anew)]
        now = {**base, **first.commits}
        then = whole.run(replace(request, base={s: now[s] for s in read}), None)
        made = {**first.commits, **then.commits}
        commits = {**{s: made[s] for s in base if s in made}, **made}
        millis = BarrierMillis(
            first.millis.build + then.millis.build, first.millis.job + then.millis.job
        )
        # what keeping the tables took is a part of both ways
        own = _shares(self._units, first.operators, first.millis)
        for name, took in _shares(anew, then.operators, then.millis).items():
            own[name] += took
        return replace(
            first,
            commits=commits,
            operators={**first.operators, **then.operators},
            millis=millis,
            waiting=(*first.waiting, *then.waiting),
        ), own

    def _view_states(self, anew: Iterable[Unit]) -> list[str]:
        views = {view for unit in anew for view in unit.views}
        return [
            op.state
            for op in self._spec.operators
            if isinstance(op, MaterializeSpec) and op.view in views
        ]

    def _flow(self, anew: list[Unit]) -> tuple[jvm.Dataflow, jvm.Dataflow]:
        names = tuple(map(_name, anew))
        if names not in self._flows:
            operators = self._spec.operators
            rest = replace(self._spec, operators=rest_of(operators, anew))
            whole = replace(self._spec, operators=anew_of(operators, anew, self._types))
            self._flows[names] = (
                jvm.Dataflow(self._capture, rest),
                jvm.Dataflow(self._capture, whole),
            )
        return self._flows[names]

    def _note(
        self,
        choices: list[tuple[Unit, Choice]],
        base: Commits,
        result: BarrierResult,
        millis: Mapping[str, float],
        sizes: Mapping[str, BatchSize],
    ) -> None:
        views: dict[str, Any] = {}
        for unit, choice in choices:
            name = _name(unit)
            changed = sum(result.sources.get(source, 0) for source in unit.sources)
            rows, took = _rows(unit, base), millis.get(name, 0.0)
            if choice.full:
                self._figures[name] = self._figures[name].with_anew(rows, took)
            elif rows:
                self._figures[name] = self._figures[name].with_changed(changed, took)
            for view in unit.views:
                if view in self._policies:
                    views[view] = {
                        "policy": self._policies[view],
                        "choice": str(choice),
                        "reason": choice.reason,
                        "changedRows": changed,
                        "inputRows": rows,
                        "millis": round(took, 1),
                    }
        names = {id_: name for unit in self._units for id_, name in unit.sources.items()}
        for source, size in sizes.items():
            read = result.sources.get(source, 0) - size.rows
            if size.bytes and read > 0 and source in names:
                self._row_bytes[names[source]] = round(size.bytes / read, 2)
        self.chosen = {
            VIEWS: views,
            FIGURES: {name: noted(figures) for name, figures in self._figures.items()},
            **({ROW_BYTES: dict(self._row_bytes)} if self._row_bytes else {}),
        }


def check_policies(operators: Operators, policies: Mapping[str, str]) -> None:
    """Refuses what no barrier could keep to.

    Raises:
        ConfigurationError: a view with the policy FULL cannot be recomputed, or is kept together
            with one that may not be.
    """
    for unit in units(operators) if FULL in policies.values() else ():
        full = [view for view in unit.views if policies.get(view) == FULL]
        if not full:
            continue
        if unit.cannot:
            raise ConfigurationError(
                f"view {full[0]} has the policy FULL, and cannot be recomputed: {unit.cannot}. "
                "Take AUTO, which follows its changes, or INCREMENTAL"
            )
        others = [v for v in unit.views if policies.get(v) in (INCREMENTAL, STRICT)]
        if others:
            raise ConfigurationError(
                f"view {full[0]} has the policy FULL, and shares states with view {others[0]}, "
                f"whose policy is {policies[others[0]]}: they can only be recomputed together. "
                "Give both one policy, or one of them AUTO"
            )


def check_strict(
    fills: Collection[str], there: Collection[str], policies: Mapping[str, str]
) -> None:
    """Refuses a start that would compute a STRICT view anew.

    Args:
        fills: the views that the start would fill.
        there: the views that the location has had.
        policies: by view.

    Raises:
        DefinitionChanged: with the view.
    """
    for view in fills:
        if policies.get(view) == STRICT and view in there:
            raise DefinitionChanged(
                f"view {view} has the policy STRICT, and would be recomputed by this start: its "
                "query, or what it is kept with, is another one now. Go back to what it was, or "
                "give it the policy INCREMENTAL for this start"
            )


def explained(operators: Operators, policies: Mapping[str, str]) -> list[str]:
    """What is to be said of policies: a line a view that has one."""
    lines = []
    for unit in units(operators):
        for view in (v for v in unit.views if v in policies):
            policy, also = policies[view], [v for v in unit.views if v != view]
            if unit.cannot:
                text = f"its changes are followed; it cannot be recomputed: {unit.cannot}"
            elif policy in (INCREMENTAL, STRICT):
                text = "its changes are followed"
            else:
                text = "it is recomputed" + (" where that costs less" if policy == AUTO else "")
                text += f", together with {', '.join(also)}" if also else ""
            lines.append(f"Policy {policy} of view {view}: {text}")
    return lines


def _name(unit: Unit) -> str:
    return ",".join(unit.views)


def _rows(unit: Unit, base: Commits) -> int:
    return sum(commit.rows for table in unit.tables for commit in base.get(table, ()))


def _shares(
    parts: Iterable[Unit], operators: Mapping[str, OperatorTotals], millis: BarrierMillis
) -> dict[str, float]:
    """What a run took, shared out as the operators' own time was."""
    whole = sum(totals.own_micros for totals in operators.values())
    shared = {}
    for unit in parts:
        own = sum(operators[i].own_micros for i in map(str, unit.operators) if i in operators)
        shared[_name(unit)] = (millis.build + millis.job) * own / whole if whole else 0.0
    return shared
