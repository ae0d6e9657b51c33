"""How views and sinks of a running query come and go."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Collection, Sequence
from typing import TYPE_CHECKING, Any

from groundswell import jvm
from groundswell.errors import ConfigurationError
from groundswell.plan.divert import SUFFIX
from groundswell.runtime.change import Prepared
from groundswell.runtime.filling import unfinished
from groundswell.runtime.filling.beside import BesideFill
from groundswell.runtime.filling.journal import Keeper, keeper_of
from groundswell.runtime.filling.reoptimize import Replanned, replanned
from groundswell.runtime.filling.rescale import check_partitions
from groundswell.runtime.planning.view_spec import SET_ASIDE
from groundswell.runtime.query import IncrementalQuery
from groundswell.runtime.record.aside import first_of, resumed, set_aside, with_readers
from groundswell.runtime.record.epochs import EpochLog
from groundswell.runtime.record.location import EPOCHS, FOLDER
from groundswell.runtime.request import Started

if TYPE_CHECKING:
    from groundswell.runtime.pipeline import Pipeline

running: dict[str, IncrementalQuery] = {}
"""By location: the queries of this process."""
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
    """Changes the views of a running query: checked first, then stopped and started again."""

    def __init__(self, pipeline: Pipeline, name: str | None, trigger: dict[str, Any]) -> None:
        self._pipeline = pipeline
        self._name = name
        self._trigger = trigger
        self.query: IncrementalQuery | None = None
        self._starts = 0

    def prepare(self) -> Prepared:
        """Checks what is noted, and plans it."""
        pipeline = self._pipeline
        seen = pipeline._look()
        planned = pipeline._planned(seen)
        plan = pipeline._launch(planned, seen).check()
        fill = None if plan is None else BesideFill(pipeline._spark, plan, self._keeper())
        return Prepared(planned, fill, self._starts)

    def _keeper(self) -> Keeper:
        assert self.query is not None
        query, pipeline = self.query, self._pipeline
        return keeper_of(pipeline._home(), lambda: query.ownerToken, pipeline._options)

    def unfinished(self) -> list[dict[str, Any]]:
        """The fills that were cut off and that somebody can go on with."""
        return unfinished.told(self._keeper())

    def forget(self, view: str) -> bool:
        """Gives up what was filled of a view; whether there was something."""
        assert self.query is not None
        owner = self.query._ownership
        return unfinished.forget(self._pipeline._spark, self._keeper(), view, owner.check)

    def __call__(
        self, stop: Callable[[], None], ready: Prepared | None = None
    ) -> tuple[tuple[str, ...], Started, str]:
        """Checks, stops and starts again; what then runs.

        Args:
            stop: stops what runs.
            ready: what was prepared; it counts if nothing was started since, what it has filled
                always.
        """
        pipeline = self._pipeline
        now = ready if ready is not None and ready.starts == self._starts else self.prepare()
        fill = ready.fill.fill if ready is not None and ready.fill is not None else None
        with lock:
            vacate(pipeline._location, self.query)
            stop()
            started = pipeline._launch(now.planned).start(self._name, self._trigger, fill)
            assert self.query is not None
            running[pipeline._location] = self.query
            self._starts += 1
            pipeline._anew.clear()  # the definition says by now how they are planned
        return tuple(now.planned.streams), started, pipeline._explained(now.planned)

    def again(self) -> Callable[[], Callable[[], None]]:
        """What notes once more all that is noted from now on, for it is taken back meanwhile."""
        before = self._parts()

        def noted() -> Callable[[], None]:
            differences = {name: difference(before[name], part) for name, part in self._now()}

            def back() -> None:
                for name, part in self._now():
                    differences[name](part)

            return back

        return noted

    def _now(self) -> list[tuple[str, Any]]:
        """What the pipeline consists of."""
        parts = vars(self._pipeline).items()
        return [(name, part) for name, part in parts if isinstance(part, dict | set)]

    def _parts(self) -> dict[str, Any]:
        return {name: part.copy() for name, part in self._now()}

    def undo(self, *, stored: bool = True) -> Callable[[], None]:
        """What takes back all that is noted from now on.

        Args:
            stored: whether the location may know of it by then.
        """
        pipeline, has = self._pipeline, vars(self._pipeline)
        views = set(pipeline._views)
        noted = self._parts()

        def back() -> None:
            added = pipeline._views.keys() - views
            has.update(noted)
            if stored:  # the definition may have them
                pipeline._dropped |= {made for name in added for made in (name, name + SUFFIX)}

        return back

    def define(self, what: str, *given: Any, **named: Any) -> None:
        """Notes what a method of the pipeline does: ``view``, ``drop``, ``index``, ``sink``, ..."""
        getattr(self._pipeline, what)(*given, **named)

    def sets_aside(self, views: Collection[str] | None = None) -> bool:
        """Whether some view, or all of ``views``, are set aside when they fail."""
        specs = self._pipeline._views
        wanted = specs if views is None else self._failed(views)
        policies = [specs[name].on_failure == SET_ASIDE for name in wanted]
        return any(policies) if views is None else bool(policies) and all(policies)

    def _failed(self, views: Collection[str]) -> list[str]:
        known = self._pipeline._views
        return first_of(
            (name if name in known else name.removesuffix(SUFFIX) for name in views),
            self._pipeline._reads(),
        )

    def set_aside(self, views: Collection[str], reason: str) -> None:
        """Notes views that failed, with those that read them."""
        pipeline = self._pipeline
        failed, reads, known = self._failed(views), pipeline._reads(), pipeline._views
        because = with_readers(failed, reads)
        because |= {name + SUFFIX: by for name, by in because.items() if name + SUFFIX in known}
        home = jvm.JvmFolder.open(pipeline._spark, pipeline._location).child(FOLDER)
        log = EpochLog(home.child(EPOCHS))
        last = log.newest() if log.epochs() else None
        pipeline._aside |= set_aside(because, reason, last, round(time.time() * 1000))

    def replanned(self, names: Sequence[str]) -> tuple[Replanned, ...]:
        """What it would be to plan views again; nothing is noted.

        Args:
            names: of the views; none: all.
        """
        pipeline = self._pipeline
        known = [name for name in pipeline._views if name not in pipeline._aside]
        for name in names:
            if name not in known:
                raise ConfigurationError(
                    f"view {name!r} cannot be planned again: the query keeps "
                    f"{', '.join(known) or 'no view'}"
                )
        before = pipeline._planned()
        wanted = list(names or known)
        while True:
            pipeline._anew = set(wanted)
            try:
                found = replanned(before, pipeline._planned(), names or known, wanted)
            finally:
                pipeline._anew = set()
            better = [each.view for each in found if each.changed]
            if better == wanted or not better:
                return found
            wanted = better

    def plan_anew(self, names: Collection[str]) -> None:
        """Notes views to be planned again."""
        self._pipeline._anew |= set(names)

    def resume(self, name: str) -> None:
        """Notes a view that stands still to go on."""
        self._pipeline._aside = resumed(self._pipeline._aside, name)

    def rescale(self, partitions: int) -> None:
        """Notes another number of partitions of every state."""
        check_partitions(partitions)
        self._pipeline._options["partitions"] = partitions


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
