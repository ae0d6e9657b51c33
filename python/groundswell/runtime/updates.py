"""How views and sinks of a running query come and go."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Collection, Sequence
from typing import Any

from groundswell.errors import ConfigurationError
from groundswell.plan.divert import SUFFIX
from groundswell.runtime.change import Prepared
from groundswell.runtime.declared import Declared
from groundswell.runtime.filling import unfinished
from groundswell.runtime.filling.beside import BesideFill
from groundswell.runtime.filling.journal import Keeper, keeper_of
from groundswell.runtime.filling.reoptimize import Replanned, replanned
from groundswell.runtime.filling.rescale import check_partitions
from groundswell.runtime.planning.view_spec import SET_ASIDE
from groundswell.runtime.query import IncrementalQuery
from groundswell.runtime.record.aside import first_of, resumed, set_aside, with_readers
from groundswell.runtime.record.epochs import EpochLog
from groundswell.runtime.record.location import EPOCHS
from groundswell.runtime.request import Started

running: dict[str, IncrementalQuery] = {}
"""By location: the queries of this process that have it."""
lock = threading.Lock()


def vacate(location: str, query: IncrementalQuery | None = None) -> None:
    """Sees that no run of this process but ``query`` has a location."""
    other = running.get(location)
    if other is None or other is query:
        return
    if other.isActive:
        raise ConfigurationError(f"{location} is in use by {other!r}; stop it first")
    other._settle()


class Updates:
    """Changes the views of a running query: checked first, then stopped and started again.

    Args:
        declared: what the pipeline is.
        define: takes the name of a method of the pipeline, ``view``, ``drop``, ``index``, ``sink``,
            and what it takes, and notes what that does.
        name: ``queryName``.
        trigger: as the start was told.
    """

    def __init__(
        self,
        declared: Declared,
        define: Callable[..., Any],
        name: str | None,
        trigger: dict[str, Any],
    ) -> None:
        self._declared = declared
        self.define = define
        self._name = name
        self._trigger = trigger
        self.query: IncrementalQuery | None = None
        self._starts = 0

    def prepare(self) -> Prepared:
        """Checks what is noted, and plans it."""
        declared = self._declared
        seen = declared.look()
        planned = declared.planned(seen)
        plan = declared.launch(planned, seen).check()
        fill = None if plan is None else BesideFill(declared.spark, plan, self._keeper())
        return Prepared(planned, fill, self._starts)

    def ended(self) -> None:
        """Notes that the query has let its location go; it may be started again."""
        location = self._declared.location
        if running.get(location) is self.query:
            running.pop(location, None)

    def _keeper(self) -> Keeper:
        assert self.query is not None
        query, declared = self.query, self._declared
        return keeper_of(declared.home(), lambda: query.ownerToken, declared.options)

    def unfinished(self) -> list[dict[str, Any]]:
        """The fills that were cut off and that somebody can go on with."""
        return unfinished.told(self._keeper())

    def forget(self, view: str) -> bool:
        """Gives up what was filled of a view; whether there was something."""
        assert self.query is not None
        owner = self.query._ownership
        return unfinished.forget(self._declared.spark, self._keeper(), view, owner.check)

    def __call__(
        self, stop: Callable[[], None], ready: Prepared | None = None
    ) -> tuple[tuple[str, ...], Started, str]:
        """Checks, stops and starts again; what then runs.

        Args:
            stop: stops what runs.
            ready: what was prepared; it counts if nothing was started since, what it has filled
                always.
        """
        declared = self._declared
        now = ready if ready is not None and ready.starts == self._starts else self.prepare()
        fill = ready.fill.fill if ready is not None and ready.fill is not None else None
        with lock:
            vacate(declared.location, self.query)
            stop()
            started = declared.launch(now.planned).start(self._name, self._trigger, fill)
            assert self.query is not None
            running[declared.location] = self.query
            self._starts += 1
            declared.anew.clear()  # the definition says by now how they are planned
        return tuple(now.planned.streams), started, declared.explained(now.planned)

    def again(self) -> Callable[[], Callable[[], None]]:
        """What notes once more all that is noted from now on, for it is taken back meanwhile."""
        before = self._declared.copies()

        def noted() -> Callable[[], None]:
            differences = {
                name: difference(before[name], part) for name, part in self._declared.parts()
            }

            def back() -> None:
                for name, part in self._declared.parts():
                    differences[name](part)

            return back

        return noted

    def undo(self, *, stored: bool = True) -> Callable[[], None]:
        """What takes back all that is noted from now on.

        Args:
            stored: whether the location may know of it by then.
        """
        declared = self._declared
        views, noted = set(declared.views), declared.copies()

        def back() -> None:
            added = declared.views.keys() - views
            declared.restore(noted)
            if stored:  # the definition may have them
                declared.dropped |= {made for name in added for made in (name, name + SUFFIX)}

        return back

    def sets_aside(self, views: Collection[str] | None = None) -> bool:
        """Whether some view, or all of ``views``, are set aside when they fail."""
        specs = self._declared.views
        wanted = specs if views is None else self._failed(views)
        policies = [specs[name].on_failure == SET_ASIDE for name in wanted]
        return any(policies) if views is None else bool(policies) and all(policies)

    def _failed(self, views: Collection[str]) -> list[str]:
        known = self._declared.views
        return first_of(
            (name if name in known else name.removesuffix(SUFFIX) for name in views),
            self._declared.reads(),
        )

    def set_aside(self, views: Collection[str], reason: str) -> None:
        """Notes views that failed, with those that read them."""
        declared = self._declared
        failed, reads, known = self._failed(views), declared.reads(), declared.views
        because = with_readers(failed, reads)
        because |= {name + SUFFIX: by for name, by in because.items() if name + SUFFIX in known}
        log = EpochLog(declared.home().child(EPOCHS))
        last = log.newest() if log.epochs() else None
        declared.aside |= set_aside(because, reason, last, round(time.time() * 1000))

    def replanned(self, names: Sequence[str]) -> tuple[Replanned, ...]:
        """What it would be to plan views again; nothing is noted.

        Args:
            names: of the views; none: all.
        """
        declared = self._declared
        known = [name for name in declared.views if name not in declared.aside]
        for name in names:
            if name not in known:
                raise ConfigurationError(
                    f"view {name!r} cannot be planned again: the query keeps "
                    f"{', '.join(known) or 'no view'}"
                )
        before = declared.planned()
        wanted = list(names or known)
        while True:
            declared.anew = set(wanted)
            try:
                found = replanned(before, declared.planned(), names or known, wanted)
            finally:
                declared.anew = set()
            better = [each.view for each in found if each.changed]
            if better == wanted or not better:
                return found
            wanted = better

    def plan_anew(self, names: Collection[str]) -> None:
        """Notes views to be planned again."""
        self._declared.anew |= set(names)

    def resume(self, name: str) -> None:
        """Notes a view that stands still to go on."""
        self._declared.aside = resumed(self._declared.aside, name)

    def rescale(self, partitions: int) -> None:
        """Notes another number of partitions of every state."""
        check_partitions(partitions)
        self._declared.options["partitions"] = partitions


def difference(before: Any, after: Any) -> Callable[[Any], None]:
    """What makes of a dict or set like ``before`` one like ``after``; what is new comes last."""
    gone = {*before} - {*after}
    new: Any = after - before if isinstance(after, set) else None
    if new is None:
        new = {key: value for key, value in after.items() if before.get(key) is not value}

    def make(part: Any) -> None:
        for key in (*gone, *new):
            part.discard(key) if isinstance(part, set) else part.pop(key, None)
        part.update(new)

    return make
