"""How views and sinks of a running query come and go."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Collection
from typing import TYPE_CHECKING, Any

from groundswell import jvm
from groundswell.plan.divert import SUFFIX
from groundswell.runtime.aside import first_of, resumed, set_aside, with_readers
from groundswell.runtime.barrier import BatchFunction
from groundswell.runtime.epochs import EpochLog
from groundswell.runtime.launch import Started
from groundswell.runtime.location import EPOCHS
from groundswell.runtime.query import IncrementalQuery
from groundswell.runtime.view_spec import SET_ASIDE
from groundswell.runtime.views import FOLDER
from groundswell.sinks.sink import Sink

if TYPE_CHECKING:
    from groundswell.runtime.pipeline import Pipeline

running: dict[str, IncrementalQuery] = {}
"""By location: the queries of this process."""
lock = threading.Lock()


class Updates:
    """Changes the views of a running query: checked first, then stopped and started again."""

    def __init__(self, pipeline: Pipeline, name: str | None, trigger: dict[str, Any]) -> None:
        self._pipeline = pipeline
        self._name = name
        self._trigger = trigger
        self.query: IncrementalQuery | None = None

    def __call__(self, stop: Callable[[], None]) -> tuple[tuple[str, ...], Started, str]:
        """Checks, stops and starts again; what then runs."""
        pipeline = self._pipeline
        planned = pipeline._planned()
        pipeline._launch(planned).check()
        with lock:
            pipeline._vacate(self.query)
            stop()
            started = pipeline._launch(planned).start(self._name, self._trigger)
            assert self.query is not None
            running[pipeline._location] = self.query
        return tuple(planned.streams), started, pipeline._explained(planned)

    def undo(self) -> Callable[[], None]:
        """What takes back all that is noted from now on."""
        pipeline, has = self._pipeline, vars(self._pipeline)
        views = set(pipeline._views)
        noted = {name: part.copy() for name, part in has.items() if isinstance(part, dict | set)}

        def back() -> None:
            added = pipeline._views.keys() - views
            has.update(noted)
            # the definition may have them
            pipeline._dropped |= {made for name in added for made in (name, name + SUFFIX)}

        return back

    def add(self, name: str, frame: Any, sink: BatchFunction | None) -> None:
        """Notes a view to add."""
        self._pipeline.view(name, frame, sink)

    def drop(self, name: str) -> None:
        """Notes a view to give up."""
        self._pipeline.drop(name)

    def add_sink(self, name: str, view: str, format: str | Sink, options: Any) -> None:  # noqa: A002
        """Notes a sink to add."""
        self._pipeline.sink(name, view, format, **options)

    def drop_sink(self, name: str) -> None:
        """Notes a sink to give up."""
        self._pipeline.dropSink(name)

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

    def resume(self, name: str) -> None:
        """Notes a view that stands still to go on."""
        self._pipeline._aside = resumed(self._pipeline._aside, name)
