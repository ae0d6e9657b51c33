"""The changes that a pipeline takes, each a small value; what they do is in :mod:`.catalog`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from groundswell.catalog.parts import Index, Table
from groundswell.catalog.suspended import Suspended
from groundswell.catalog.view import View
from groundswell.sinks.registry import SinkSpec


@dataclass(frozen=True)
class AddView:
    """A new view."""

    name: str
    view: View


@dataclass(frozen=True)
class ReplaceView:
    """Another query or other settings of a view; views, indexes and sinks on it follow."""

    name: str
    view: View


@dataclass(frozen=True)
class DropView:
    """A view goes; its epochs so far stay readable. It may be one of the location alone."""

    name: str


@dataclass(frozen=True)
class PutTable:
    """A table or source, new or again; one that is always kept stays so.

    It may have other columns: what read it goes on with those that it read.
    """

    name: str
    table: Table


@dataclass(frozen=True)
class DropTable:
    """The pipeline forgets a table or source; views that read it go on."""

    name: str


@dataclass(frozen=True)
class AddIndex:
    """A new index."""

    name: str
    index: Index


@dataclass(frozen=True)
class DropIndex:
    """An index goes; views that used it are filled again."""

    name: str


@dataclass(frozen=True)
class AddSink:
    """A new sink."""

    sink: SinkSpec


@dataclass(frozen=True)
class DropSink:
    """A sink goes; what its target has stays there."""

    name: str


@dataclass(frozen=True)
class Suspend:
    """Views, and those that read them, stop at their last good epoch."""

    views: Mapping[str, Suspended] = field(default_factory=dict)


@dataclass(frozen=True)
class Resume:
    """A suspended view is filled again, with those that are suspended for it."""

    view: str


@dataclass(frozen=True)
class Replan:
    """Views are planned again, by the rows that there are now."""

    views: frozenset[str]


@dataclass(frozen=True)
class SetOption:
    """An option of the pipeline, see :data:`groundswell.config.OPTIONS`."""

    key: str
    value: Any


@dataclass(frozen=True)
class Revise:
    """The catalog has all statements of a log up to one; the location says so once it has them."""

    number: int


def rescaled(partitions: int) -> SetOption:
    """Another number of partitions of every state."""
    return SetOption("partitions", partitions)


Change = (
    AddView
    | ReplaceView
    | DropView
    | PutTable
    | DropTable
    | AddIndex
    | DropIndex
    | AddSink
    | DropSink
    | Suspend
    | Resume
    | Replan
    | SetOption
    | Revise
)
