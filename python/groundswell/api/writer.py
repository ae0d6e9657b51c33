"""``writeStream`` of an incremental frame: Spark's own habits."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from groundswell.catalog.view import BatchFunction, View
from groundswell.config import OPTIONS
from groundswell.errors import ConfigurationError
from groundswell.runtime.pipeline import Pipeline
from groundswell.runtime.query import IncrementalQuery
from groundswell.sinks.sink import Sink


class IncrementalWriter:
    """Collects settings; ``toView`` or ``start`` starts."""

    def __init__(self, frame: View) -> None:
        self._frame = frame
        self._options: dict[str, Any] = {}
        self._trigger: dict[str, Any] = {}
        self._name: str | None = None
        self._sink: BatchFunction | None = None
        self._format: str | Sink | None = None

    def option(self, key: str, value: Any) -> IncrementalWriter:
        """Sets an option; ``checkpointLocation`` is needed."""
        self._options[key] = str(value) if isinstance(value, Path) else value
        return self

    def options(self, **options: Any) -> IncrementalWriter:
        """Sets several options."""
        for key, value in options.items():
            self.option(key, value)
        return self

    def trigger(self, **trigger: Any) -> IncrementalWriter:
        """``processingTime="1 second"`` (the barrier interval) or ``availableNow=True``."""
        self._trigger = {key: value for key, value in trigger.items() if value is not None}
        return self

    def queryName(self, name: str) -> IncrementalWriter:
        """Names the query, as in Spark."""
        self._name = name
        return self

    def outputMode(self, mode: str) -> IncrementalWriter:
        """Views have one mode, update: readers see the table, sinks its changelog."""
        if mode.lower() != "update":
            raise ConfigurationError(
                f"outputMode {mode!r} does not apply to a view: leave it out; "
                "readers see the whole table, foreachBatch gets its changes"
            )
        return self

    def format(self, source: str | Sink) -> IncrementalWriter:
        """Sends the view's changes to another system, each epoch exactly once.

        Options that are not the pipeline's own are the sink's; see :meth:`Pipeline.sink`.

        Args:
            source: a name, see ``docs/sinks.md``, or your own :class:`groundswell.Sink`.
        """
        self._format = source
        return self

    def foreachBatch(self, function: BatchFunction) -> IncrementalWriter:
        """Calls ``function(changelog, epoch)`` for every epoch, in order, once it is durable.

        The changelog is a DataFrame of the view's columns and ``_change_type``: insert, delete,
        update_preimage, update_postimage. After a crash the last epoch may come again, with the
        same rows and the same number.
        """
        if not callable(function):
            raise ConfigurationError("foreachBatch takes a function of (DataFrame, epoch)")
        self._sink = function
        return self

    def toView(self, name: str, *, takeover: bool = False) -> IncrementalQuery:
        """Starts keeping the view under ``name``; readers find it with ``gs.read_view``.

        Args:
            name: letters, digits and underscores.
            takeover: see :meth:`groundswell.Pipeline.start`.
        """
        if "checkpointlocation" not in {key.lower() for key in self._options}:
            raise ConfigurationError('a view needs a home: .option("checkpointLocation", path)')
        options = dict(self._options)
        (key,) = [key for key in options if key.lower() == "checkpointlocation"]
        of_pipeline = {o.lower() for o in OPTIONS}
        of_sink = {}
        if self._format is not None:
            of_sink = {o: options.pop(o) for o in list(options) if o.lower() not in of_pipeline}
        pipeline = Pipeline(self._frame.frame.sparkSession, options.pop(key), **options)
        pipeline.view(name, self._frame, self._sink)
        if self._format is not None:
            pipeline.sink(name, name, self._format, **of_sink)
        return pipeline.start(queryName=self._name, takeover=takeover, **self._trigger)

    def start(self, *, takeover: bool = False) -> IncrementalQuery:
        """Starts a view that only feeds ``foreachBatch`` or ``format``; it is called ``view``.

        Args:
            takeover: see :meth:`groundswell.Pipeline.start`.
        """
        if self._sink is None and self._format is None:
            raise ConfigurationError(
                "nothing to start: use toView(name), foreachBatch(fn) or format(name)"
            )
        return self.toView("view", takeover=takeover)
