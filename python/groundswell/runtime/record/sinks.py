"""What a location remembers of its sinks: ``sinks-<token>.json``."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from groundswell.runtime.record import removal
from groundswell.runtime.record.location import (
    Folder,
    owned_name,
    read_owned,
    write_document,
)
from groundswell.runtime.record.told import ToldViews, document, told_of

NAME = "sinks"
KIND = "sinks"


@dataclass(frozen=True)
class Known:
    """What a location remembers of its sinks.

    Attributes:
        ids: by name of the sink; None: there is no record.
        active: names of the sinks of the last start: epochs since then keep what changed.
        states: by name of the sink, the state of its view that the target's rows come from.
        stopped: by name of a sink that stopped, why; the others had gone on without it.
        told: the rows that views had when they stopped, whose changes since are not delivered.
    """

    ids: Mapping[str, str] | None = None
    active: Collection[str] = ()
    states: Mapping[str, str] = field(default_factory=dict)
    stopped: Mapping[str, str] = field(default_factory=dict)
    told: ToldViews = field(default_factory=dict)


def known_sinks(home: Folder) -> Known:
    """What a location remembers of its sinks."""
    found = read_owned(home, NAME, KIND)
    if found is None:
        return Known()
    stopped, told = found.get("stopped", {}), told_of(found.get("told", {}))
    return Known(found["ids"], found["active"], found["states"], stopped, told)


def note(home: Folder, known: Known, token: int) -> None:
    """Notes what is remembered from now on, as an owner."""
    content = {
        "ids": dict(known.ids or {}),
        "active": list(known.active),
        "states": dict(known.states),
        "stopped": dict(known.stopped),
        **({"told": document(known.told)} if known.told else {}),
    }
    write_document(home, owned_name(NAME, token), KIND, content)
    removal.owned(home, NAME, token)
