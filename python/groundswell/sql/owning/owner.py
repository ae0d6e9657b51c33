"""Which process runs a pipeline by SQL: definitions are its alone.

Layout: ``<location>/groundswell/sql-owner-<20 digits>.json``, a claim each; the greatest number
counts. A claim is created on condition that there is none of its number, so of two processes that
find a pipeline without an owner one has it. Its owner marks it when it ends. A process that died on
this machine is told by its number and the time of its start; one on another machine counts as alive
until somebody takes the pipeline over. (What keeps two runs from writing one location is not here,
see RFC 0006: this says who carries statements out.)
"""

from __future__ import annotations

import os
import platform
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime

from groundswell.errors import ConfigurationError
from groundswell.format.envelope import seal
from groundswell.runtime.ownership.processes import GONE, exists, seen
from groundswell.runtime.record import removal
from groundswell.runtime.record.location import (
    Folder,
    owned_name,
    owned_names,
    read_owned,
    write_document,
)
from groundswell.sql.history.log import here

STEM = "sql-owner"
KIND = "sql-owner"


class OwnedElsewhereError(ConfigurationError):
    """Another process has the pipeline."""


@dataclass(frozen=True)
class Owner:
    """Who runs a pipeline.

    Attributes:
        by: user, process and machine, for messages.
        host: the machine.
        pid: the process.
        born: tells the process from a later one of its number; empty: not known.
        since: ISO time.
        token: the claim's number, from 1.
        ended: whether it has stopped the pipeline.
    """

    by: str
    host: str
    pid: int
    born: str
    since: str
    token: int = 1
    ended: bool = False


def current(token: int = 1) -> Owner:
    """This process, from now on."""
    now = datetime.now(UTC).isoformat(timespec="seconds")
    pid = os.getpid()
    return Owner(here(), platform.node(), pid, seen(pid)[1], now, token)


def load(home: Folder) -> Owner | None:
    """Who has claimed the pipeline last; None: nobody, by SQL."""
    found = read_owned(home, STEM, KIND)
    return None if found is None else Owner(**found)


def claim(home: Folder, pipeline: str, force: bool = False) -> Owner:
    """Makes this process the owner.

    Args:
        home: the pipeline's folder.
        pipeline: its name, for messages.
        force: whether to take it from a process that counts as alive.

    Raises:
        OwnedElsewhereError: another process has it; with its name.
    """
    while True:
        last = load(home)
        found = another(last)
        if found is not None and not force:
            raise OwnedElsewhereError(
                f"pipeline {pipeline} is run by {found.by} since {found.since}, and what defines "
                f"it is that process's alone. {advice(pipeline)}"
            )
        if last is not None and not force and not last.ended and _is_here(last):
            return last
        made = current(last.token + 1 if last else 1)
        name = owned_name(STEM, made.token)
        if home.put_new(name, seal(KIND, asdict(made))) and owned_names(home, STEM)[-1] == name:
            removal.owned(home, STEM, made.token)
            return made


def end(home: Folder, mine: Owner) -> None:
    """Gives the pipeline up."""
    write_document(home, owned_name(STEM, mine.token), KIND, asdict(replace(mine, ended=True)))


def is_newest(home: Folder, mine: Owner) -> bool:
    """Whether nobody has claimed the pipeline since."""
    return owned_names(home, STEM)[-1:] == [owned_name(STEM, mine.token)]


def another(owner: Owner | None) -> Owner | None:
    """The process that runs the pipeline, if it is not this one."""
    if owner is None or owner.ended or _is_here(owner):
        return None
    return None if owner.host == platform.node() and not _lives(owner) else owner


def advice(pipeline: str) -> str:
    """What to do about an owner that does not answer."""
    return (
        "Run the statement there, or stop the pipeline there first. If the process is gone, take "
        f"the pipeline over: CREATE PIPELINE IF NOT EXISTS {pipeline} LOCATION '...' WITH "
        "(takeover = 'true')"
    )


def _is_here(owner: Owner) -> bool:
    own = os.getpid()
    return (owner.host, owner.pid, owner.born) == (platform.node(), own, seen(own)[1])


def _lives(owner: Owner) -> bool:
    state, born = seen(owner.pid)
    if born and owner.born and born != owner.born:
        return False  # its number went to a later process
    return exists(owner.pid) and state not in GONE
