"""What one epoch published, whoever reads it: Spark, or the reader without a JVM."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from groundswell.catalog.suspended import commits_suspended
from groundswell.contract.commits import CommitRef, Commits, IndexPlaces, StateCommits
from groundswell.errors import ConfigurationError, EpochUnavailable
from groundswell.runtime.record import definition
from groundswell.runtime.record.epochs import EpochLog
from groundswell.runtime.record.location import (
    EPOCHS,
    STATE,
    TABLES,
    Folder,
    no_pipeline,
    state_root,
)


class Published:
    """The views of a pipeline as they were after one epoch.

    A view that is set aside has the rows of its last good epoch, if the newest one is asked for.

    Attributes:
        epoch: the epoch.
        generation: of the states that it stands on.
        views: name of the state by name of the view, without those that are set aside.
        indexes: name of the state by name of the index.
        tables: the same of the tables and keyed sources that are declared readable.
    """

    def __init__(
        self,
        home: Folder,
        location: str,
        epoch: int | None = None,
        log: EpochLog | None = None,
    ) -> None:
        """Finds an epoch.

        Args:
            home: the pipeline's folder in the checkpointLocation.
            location: the checkpointLocation, for messages.
            epoch: a published epoch that is still retained; default: the newest.
            log: of its epochs; default: those that every process sees.

        Raises:
            ConfigurationError: nothing was ever started there.
            EpochUnavailable: the epoch is not published (yet), or retired.
        """
        log = log or EpochLog(home.child(EPOCHS))
        try:
            manifest = log.newest() if epoch is None else log.get(epoch)
        except EpochUnavailable:
            _owner(home, location)
            raise
        if manifest.loads:
            raise EpochUnavailable(
                f"{location}: epoch {manifest.epoch} has {manifest.loaded:.0f} % of the first load "
                "of the pipeline, and nothing can be read before it is whole. Wait until "
                "query.status has no 'loading' any more; if the pipeline does not run, start it: "
                "the load goes on"
            )
        owner = _owner(home, location)  # after the manifest: it has every state before an epoch has
        self._home, self._location = home, location
        self._aside = {
            name: one
            for name, one in owner.aside.items()
            if epoch is None or (one.epoch is not None and one.epoch <= epoch)
        }
        self._commits: Commits = {**commits_suspended(self._aside), **manifest.commits}
        self._layouts = owner.layouts
        self.epoch = manifest.epoch
        self.generation = manifest.generation
        self.views: Mapping[str, str] = manifest.views
        self.indexes: Mapping[str, str] = {
            name: state
            for state, layout in self._layouts.items()
            if state in manifest.commits
            for name in layout.get("indexes", ())
        }
        self.tables: Mapping[str, str] = {
            layout["table"]: state
            for state, layout in self._layouts.items()
            if "table" in layout and state in manifest.commits
        }

    def names(self) -> list[str]:
        """Views and readable tables that have rows, those included that are set aside."""
        still = [name for name, view in self._aside.items() if view.state is not None]
        return list(dict.fromkeys([*self.views, *still, *self.tables]))

    def has(self, view: str) -> bool:
        """Whether there is a view, or a readable table, of that name; or was, when set aside."""
        return view in self._aside or view in self.views or view in self.tables

    def state(self, view: str) -> str:
        """The state that holds a view, or a readable table of that name.

        Raises:
            ConfigurationError: there was no such view at that epoch.
        """
        aside = self._aside.get(view)
        if aside is not None and aside.state is not None:
            return aside.state
        try:
            return self.views.get(view) or self.tables[view]
        except KeyError:
            if aside is not None:
                raise ConfigurationError(f"{self._location}: {aside.text(view)}") from None
            known = f"its views are {', '.join(self.views)}"
            if self._home.child(TABLES).child(view).names():
                known = (
                    f"{view} is a table, and its rows are kept for views only. Make a view of it, "
                    f"or have readers see a table with a key by pipeline.keep(table). {known}"
                )
            raise ConfigurationError(
                f"{self._location} has no view {view!r} at epoch {self.epoch}; {known}"
            ) from None

    def at(self, root: str, state: str) -> StateCommits:
        """Where a state is at the epoch; ``root``: the pipeline's folder."""
        return StateCommits(
            f"{state_root(root, self.generation)}/{STATE}/{state}", self._commits[state]
        )

    def commits(self, state: str) -> tuple[CommitRef, ...]:
        """The version of each partition of a state."""
        return self._commits[state]

    def layout(self, state: str) -> Mapping[str, Any]:
        """Names and types of a state's columns."""
        layout: Mapping[str, Any] = self._layouts[state]
        return layout


def places_of(layout: Mapping[str, Any]) -> IndexPlaces | None:
    """Where the rows of an index have their keys; None: the layout is that of a view."""
    places = layout.get("places")
    return IndexPlaces(tuple(places["index"]), tuple(places["key"])) if places else None


def _owner(home: Folder, location: str) -> definition.Definition:
    owner = definition.load(home)
    if owner is None:
        raise no_pipeline(location)
    return owner
