"""Statements for the process that runs a pipeline, handed over by others.

Layout, in ``<location>/groundswell/sql/requests``: ``<20 digits>.json`` is a statement and who
asks, numbered in the order in which they are asked. ``<20 digits>-taken.json`` says who has it: the
owner, to run it, or its asker, who waits no longer. It is created on condition, so one of them has
it for good, and nothing runs twice. ``<20 digits>-done.json`` is the owner's answer.

An owner looks for the next number, without listing. A statement whose asker cannot be waiting any
more is not run. The asker removes the answer, the owner the rest after an hour.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from pyspark.sql import SparkSession

from groundswell import errors
from groundswell.errors import ConfigurationError, GroundswellError
from groundswell.format.envelope import seal
from groundswell.runtime.record import removal
from groundswell.runtime.record.location import (
    Folder,
    number_of,
    numbered_name,
    read_document,
    write_document,
)
from groundswell.sinks.trust import REQUESTS, takes_requests

FOLDER = "requests"
KIND = "sql-request"
BEGIN_SECONDS = 60.0
"""How long an asker waits until the owner begins."""

END_SECONDS = 3600.0
"""How long it waits for the end of what has begun."""

_FIELDS = ("views", "sources")
"""What an error says of itself beside its message."""

_KEPT_SECONDS = 3600
_SWEEP_AFTER = 100
_PAUSE = 0.1
_LOOK_AFTER = 1.0
"""Seconds between two looks whether the owner is still there."""

Rows = list[list[Any]]


@dataclass(frozen=True)
class Request:
    """A statement that another process is to run.

    Attributes:
        text: the statement.
        catalog: the asker's current catalog.
        namespace: the asker's current namespace.
        by: the asker: user, process and machine.
        asked: seconds since the epoch of clocks.
        until: the same, when its asker waits no longer for it to begin.
    """

    text: str
    catalog: str
    namespace: tuple[str, ...]
    by: str
    asked: float
    until: float


CarryOut = Callable[[SparkSession, Request], Rows]
"""Runs a statement of another process in a session, and gives the rows that it shows."""


def request(
    text: str, catalog: str, namespace: Iterable[str], by: str, seconds: float | None = None
) -> Request:
    """A request that is made now; ``seconds``: how long its asker waits until it begins."""
    now = time.time()
    wait = BEGIN_SECONDS if seconds is None else seconds
    return Request(text, catalog, tuple(namespace), by, now, now + wait)


def ask(
    folder: Folder, made: Request, owner: str, gone: Callable[[], bool], advice: str
) -> Rows | None:
    """Has the owner run a statement, and waits for its answer.

    Args:
        folder: of requests.
        made: the request.
        owner: who runs the pipeline, for messages.
        gone: whether it does so no longer.
        advice: what to do about an owner that does not answer.

    Returns:
        The rows that the statement shows. None: the owner was gone before it began, and nobody will
        run it.

    Raises:
        GroundswellError: what the owner raised, or that it did not answer.
    """
    number = _put(folder, made)
    wait = made.until - made.asked
    answer = _await(folder, number, wait, gone)
    if answer is None and _take(folder, number, made.by):
        if gone():
            return None
        raise ConfigurationError(
            f"{owner} runs the pipeline, and did not take the statement within {wait:g} seconds; "
            f"it will not run it any more. {advice}"
        )
    if answer is None:
        answer = _await(folder, number, END_SECONDS, gone)
    if answer is None:
        what = "is gone" if gone() else f"has not ended it within {END_SECONDS:g} seconds"
        raise ConfigurationError(
            f"{owner} began the statement, and {what}. Look whether it was done, with SHOW TABLES, "
            "SHOW MATERIALIZED VIEWS, SHOW SINKS or SHOW INDEXES, before you run it again"
        )
    removal.request(folder, _done(number))
    if "error" in answer:
        raise _error(answer)
    rows: Rows = answer["rows"]
    return rows


def _put(folder: Folder, made: Request) -> int:
    """Numbers are given away on condition, so each request has one of its own."""
    content = {
        "statement": made.text,
        "catalog": made.catalog,
        "namespace": list(made.namespace),
        "by": made.by,
        "asked": made.asked,
        "until": made.until,
    }
    number = _greatest(folder.names()) + 1
    while not folder.put_new(numbered_name(number), seal(KIND, content)):
        number += 1
    return number


def _await(
    folder: Folder, number: int, seconds: float, gone: Callable[[], bool]
) -> dict[str, Any] | None:
    until = time.monotonic() + seconds
    look = time.monotonic() + _LOOK_AFTER
    while True:
        now = time.monotonic()
        over = now > until
        if now > look:
            look = now + _LOOK_AFTER
            over = over or gone()  # before the answer is read: the last thing that it wrote
        answer = read_document(folder, _done(number), KIND)
        if answer is not None or over:
            return answer
        time.sleep(_PAUSE)


def _error(answer: dict[str, Any]) -> GroundswellError:
    kind = getattr(errors, answer["error"], GroundswellError)
    fields = {name: answer[name] for name in _FIELDS if name in answer}
    try:
        made = kind(answer["message"], **fields)
    except TypeError:
        made = GroundswellError(answer["message"])
    return made if isinstance(made, GroundswellError) else GroundswellError(answer["message"])


class Inbox:
    """The requests that an owner has not looked at yet.

    Args:
        folder: of requests.
        here: this process, for messages.
    """

    def __init__(self, folder: Folder, here: str) -> None:
        self._folder = folder
        self._here = here
        names = set(folder.names())
        numbers = sorted(n for name in names if (n := number_of(name)) is not None)
        waiting = [n for n in numbers if _taken(n) not in names]
        self._next = waiting[0] if waiting else _greatest(names) + 1
        self._swept = 0

    def serve(
        self,
        run: Callable[[Request], Rows],
        may: Callable[[], bool] = lambda: True,
        now: Callable[[], float] = time.time,
    ) -> int:
        """Runs the statements that wait, in the order in which they were asked.

        Args:
            run: runs one, and gives the rows that it shows.
            may: whether this process is still the owner; asked before each.
            now: the clock, in seconds.

        Returns:
            How many were run.
        """
        ran = 0
        while True:
            document = read_document(self._folder, numbered_name(self._next), KIND)
            if document is None or not may():
                break
            number = self._next
            if _take(self._folder, number, self._here):
                answer = self._answer(_read(document), run, now())
                write_document(self._folder, _done(number), KIND, answer)
                ran += 1
            self._next = number + 1
        if self._next - self._swept > _SWEEP_AFTER:
            self.sweep(now())
        return ran

    def _answer(self, each: Request, run: Callable[[Request], Rows], now: float) -> dict[str, Any]:
        if not takes_requests():
            return {
                "error": "ConfigurationError",
                "message": f"{self._here} runs the pipeline, and takes no statements of other "
                f"processes ({REQUESTS} is off there); run the statement in that process",
            }
        if now > each.until:
            return {
                "error": "ConfigurationError",
                "message": f"the statement was asked {now - each.asked:.0f} seconds ago by the "
                f"clock of {self._here}, and was not run: its asker may be gone",
            }
        try:
            return {"rows": run(each)}
        except Exception as e:  # noqa: BLE001 - it goes on in the process that asked
            fields = {n: list(found) for n in _FIELDS if (found := getattr(e, n, None)) is not None}
            return {"error": type(e).__name__, "message": str(e), **fields}

    def sweep(self, now: float) -> None:
        """Removes what is older than an hour; the greatest number stays, others follow it."""
        names = self._folder.names()
        last = _greatest(names)
        for number in sorted(n for name in names if (n := number_of(name)) is not None):
            document = read_document(self._folder, numbered_name(number), KIND)
            old = document is None or now - document["asked"] > _KEPT_SECONDS
            if old and number < min(last, self._next):
                gone = _done(number), _taken(number), numbered_name(number)
                removal.request(self._folder, *gone)
        self._swept = self._next


def _read(document: dict[str, Any]) -> Request:
    return Request(
        document["statement"],
        document["catalog"],
        tuple(document["namespace"]),
        document["by"],
        document["asked"],
        document["until"],
    )


def _greatest(names: Iterable[str]) -> int:
    return max((number_of(name[:20] + ".json") or 0 for name in names), default=0)


def _taken(number: int) -> str:
    return f"{number:020d}-taken.json"


def _done(number: int) -> str:
    return f"{number:020d}-done.json"


def _take(folder: Folder, number: int, who: str) -> bool:
    return folder.put_new(_taken(number), seal(KIND, {"by": who}))
