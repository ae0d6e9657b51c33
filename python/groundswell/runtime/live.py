"""The changes that a running query takes, by what they are called."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from groundswell.runtime.change import Updates

if TYPE_CHECKING:
    from groundswell.sinks.sink import Sink


class LiveChanges:
    """What changes a pipeline while it runs, with one pause each."""

    _updates: Updates

    @abstractmethod
    def _change(self, note: Callable[[], None]) -> None:
        """Notes a change, and goes on with it."""

    def _define(self, what: str, *given: Any, **named: Any) -> None:
        self._change(lambda: self._updates.define(what, *given, **named))

    def addIndex(self, what: Any, *columns: str, name: str | None = None) -> None:
        """Adds an index while the pipeline runs; it is filled as a view is. See Pipeline.index.

        Raises:
            ConfigurationError: if there can be no such index; the query goes on without it.
        """
        self._define("index", what, *columns, name=name)

    def dropIndex(self, name: str) -> None:
        """Gives an index up while the pipeline runs; views that used it are filled anew."""
        self._define("dropIndex", name)

    def addSink(
        self,
        name: str,
        view: str,
        format: str | Sink,  # noqa: A002
        **options: Any,
    ) -> None:
        """Adds a sink while the pipeline runs; it gets the view's rows first. See Pipeline.sink.

        Raises:
            ConfigurationError, SinkError: if it cannot be; the query goes on without it.
        """
        self._define("sink", name, view, format, **options)

    def dropSink(self, name: str) -> None:
        """Gives a sink up while the pipeline runs; what its target has stays there."""
        self._define("dropSink", name)

    def change(self, define: Callable[[], Any]) -> None:
        """Changes several things of the pipeline while it runs, with one pause.

        Args:
            define: calls what the pipeline has to define its parts (``view``, ``drop``, ``index``,
                ``table``, ...); if it raises, or the query cannot go on as it says, nothing of it
                is done.
        """
        self._change(lambda: (define(), None)[1])

    def resume(self, name: str) -> None:
        """Fills a view again that was set aside, and with it those that stood still for it.

        Raises:
            ConfigurationError: if it is not set aside, or stands still for another view.
            DefinitionChanged, RowFailed: if it cannot be filled; it stays set aside, and the query
                goes on.
        """
        self._change(lambda: self._updates.resume(name))

    def rescale(self, partitions: int) -> None:
        """Gives the states of all views another number of partitions while the pipeline runs.

        The query stands still meanwhile. The new partitions refer to the files of those before;
        merges write them anew later. Epochs before it stay readable as long as they are kept. The
        next start of the pipeline keeps the number, unless it names another one.

        Args:
            partitions: 1 to 4,096.

        Raises:
            ConfigurationError: there cannot be so many, or a view is set aside; the query goes on
                as before.
            IllegalState: a state cannot be rescaled; the query goes on as before.
        """
        self._change(lambda: self._updates.rescale(partitions))
