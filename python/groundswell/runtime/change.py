"""What a running query needs of its pipeline to change what it keeps."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from groundswell.runtime.filling.beside import BesideFill
from groundswell.runtime.filling.reoptimize import Replanned
from groundswell.runtime.planning.planned import PlannedViews
from groundswell.runtime.request import Started


@dataclass(frozen=True)
class Prepared:
    """What is to run after a change.

    Attributes:
        planned: its views.
        fill: what can be filled beside the running barriers; None: nothing is to be filled, or the
            query must stand still meanwhile.
        starts: how often the query was started when it was planned.
    """

    planned: PlannedViews
    fill: BesideFill | None
    starts: int


class Updates(Protocol):
    """Changes which views are kept."""

    def define(self, what: str, *given: Any, **named: Any) -> None:
        """Notes what a method of the pipeline does."""

    def sets_aside(self, views: Collection[str] | None = None) -> bool:
        """Whether some view is set aside when it fails; of ``views``: whether all are."""

    def set_aside(self, views: Collection[str], reason: str) -> None:
        """Notes views that failed, with those that read them."""

    def resume(self, name: str) -> None:
        """Notes a view that stands still to go on."""

    def rescale(self, partitions: int) -> None:
        """Notes another number of partitions of every state."""

    def replanned(self, names: Sequence[str]) -> tuple[Replanned, ...]:
        """What it would be to plan views again; nothing is noted."""

    def plan_anew(self, names: Collection[str]) -> None:
        """Notes views to be planned again."""

    def unfinished(self) -> list[dict[str, Any]]:
        """The fills that were cut off and that somebody can go on with."""

    def forget(self, view: str) -> bool:
        """Gives up what was filled of a view; whether there was something."""

    def undo(self, *, stored: bool = True) -> Callable[[], None]:
        """What takes back all that is noted from now on."""

    def again(self) -> Callable[[], Callable[[], None]]:
        """What notes once more all that is noted from now on."""

    def ended(self) -> None:
        """Notes that the query has let its location go; it may be started again."""

    def prepare(self) -> Prepared:
        """Checks what is noted, and plans it."""

    def __call__(
        self, stop: Callable[[], None], ready: Prepared | None = None
    ) -> tuple[tuple[str, ...], Started, str]:
        """Stops and starts again; what then runs."""
