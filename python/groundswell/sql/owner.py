"""Which process runs a pipeline by SQL: definitions are its alone.

Layout: ``<location>/groundswell/sql-owner.json``, written by each start, and marked when it ends.
A process that died on this machine is told by its number; one on another machine counts as alive
until somebody takes the pipeline over. (What keeps two runs from writing one location is not here:
this is for people, who are told whom to ask.)
"""

from __future__ import annotations

import os
import platform
from dataclasses import dataclass
from datetime import UTC, datetime

from groundswell.errors import ConfigurationError
from groundswell.runtime.location import Folder, read_document, write_document
from groundswell.sql.log import here

NAME = "sql-owner.json"
KIND = "sql-owner"


@dataclass(frozen=True)
class Owner:
    """Who runs a pipeline.

    Attributes:
        by: user, process and machine, for messages.
        host: the machine.
        pid: the process.
        since: ISO time.
        ended: whether it has stopped the pipeline.
    """

    by: str
    host: str
    pid: int
    since: str
    ended: bool = False


def current() -> Owner:
    """This process, from now on."""
    now = datetime.now(UTC).isoformat(timespec="seconds")
    return Owner(here(), platform.node(), os.getpid(), now)


def load(home: Folder) -> Owner | None:
    """Who has started the pipeline last; None: nobody, by SQL."""
    found = read_document(home, NAME, KIND)
    if found is None:
        return None
    return Owner(found["by"], found["host"], found["pid"], found["since"], found["ended"])


def store(home: Folder, owner: Owner) -> None:
    """Notes who runs it."""
    write_document(
        home,
        NAME,
        KIND,
        {
            "by": owner.by,
            "host": owner.host,
            "pid": owner.pid,
            "since": owner.since,
            "ended": owner.ended,
        },
    )


def another(owner: Owner | None) -> Owner | None:
    """The process that runs the pipeline, if it is not this one."""
    if owner is None or owner.ended:
        return None
    if owner.host != platform.node():
        return owner
    if owner.pid == os.getpid() or not _alive(owner.pid):
        return None
    return owner


def check(home: Folder, pipeline: str) -> None:
    """Refuses where another process runs the pipeline.

    Raises:
        ConfigurationError: with its name.
    """
    found = another(load(home))
    if found is not None:
        raise ConfigurationError(
            f"pipeline {pipeline} is run by {found.by} since {found.since}, and what defines it is "
            "that process's alone: run the statement there, or stop the pipeline there first. If "
            "the process is gone, take the pipeline over: CREATE PIPELINE IF NOT EXISTS "
            f"{pipeline} LOCATION '...' WITH (takeover = 'true')"
        )


def _alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
