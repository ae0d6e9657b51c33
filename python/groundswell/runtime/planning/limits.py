"""How large the states behind a view may grow. Pure but for the warning."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from typing import Any

from groundswell.catalog.view import View
from groundswell.contract.dataflow.operators import OperatorSpec
from groundswell.contract.dataflow.sources import NormalizeSpec
from groundswell.contract.dataflow.views import MaterializeSpec
from groundswell.errors import StateTooLarge

WARN_AT = 0.8
_log = logging.getLogger("groundswell")


def operators_of(view: str, operators: Sequence[OperatorSpec]) -> set[int]:
    """The operators whose states are a view's: all below it, but tables of sources."""
    found: set[int] = set()
    for op in reversed(operators):
        if isinstance(op, MaterializeSpec) and op.view == view:
            found.add(op.id)
        if op.id in found:
            found.update(op.inputs)
    sources = {op.id for op in operators if isinstance(op, NormalizeSpec | MaterializeSpec)}
    own = {op.id for op in operators if isinstance(op, MaterializeSpec) and op.view == view}
    return (found - sources) | own


class StateLimits:
    """The limits of a pipeline's views."""

    def __init__(self, views: Mapping[str, View], operators: Sequence[OperatorSpec]) -> None:
        self._limits = {n: v.max_state_bytes for n, v in views.items() if v.max_state_bytes}
        self._operators = {view: operators_of(view, operators) for view in self._limits}
        self._warned: set[str] = set()

    def check(self, counters: Sequence[Mapping[str, Any]]) -> None:
        """Looks at the operators' counters after a barrier.

        Raises:
            StateTooLarge: if a view's states take more than they may.
        """
        for view, limit in self._limits.items():
            ids = self._operators[view]
            size = sum(each.get("stateBytes", 0) for each in counters if each["id"] in ids)
            if size > limit:
                raise StateTooLarge(
                    f"[STATE_TOO_LARGE] view {view}: its states take {size:,} bytes, and "
                    f"maxStateBytes is {limit:,}. Raise the limit, or bound the state: a "
                    "watermark, a ttl, fewer columns",
                    views=[view],
                )
            if size > WARN_AT * limit and view not in self._warned:
                self._warned.add(view)
                _log.warning(
                    "view %s: its states take %s of %s bytes (maxStateBytes)", view, size, limit
                )
