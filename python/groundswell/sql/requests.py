"""Statements for the process that runs a pipeline, handed over by others.

Layout, in ``<location>/groundswell/sql/requests``: ``ID.json`` is a statement and who asks;
``ID-taken.json`` says who has it: the owner, to run it, or its asker, who waits no longer. It is
created on condition, so one of them has it for good. ``ID-done.json`` is the owner's answer. The
asker removes statement and answer, the owner the rest. What dead askers left goes after an hour.
"""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from groundswell import errors
from groundswell.errors import ConfigurationError, GroundswellError
from groundswell.format.envelope import seal
from groundswell.runtime.location import Folder, read_document, write_document

FOLDER = "requests"
KIND = "sql-request"
_KEPT_SECONDS = 3600
_PAUSE = 0.2


@dataclass(frozen=True)
class Request:
    """A statement that another process is to run.

    Attributes:
        id: names the request.
        text: the statement.
        catalog: the asker's current catalog.
        namespace: the asker's current namespace.
        by: the asker: user, process and machine.
        seconds: since the epoch of clocks, when it was asked.
    """

    id: str
    text: str
    catalog: str
    namespace: tuple[str, ...]
    by: str
    seconds: float


def request(text: str, catalog: str, namespace: Iterable[str], by: str) -> Request:
    """A request that is made now."""
    return Request(uuid.uuid4().hex, text, catalog, tuple(namespace), by, time.time())


def ask(folder: Folder, made: Request, owner: str, seconds: float) -> list[list[Any]]:
    """Has the owner run a statement, and waits for its answer.

    Args:
        folder: of requests.
        made: the request.
        owner: who runs the pipeline, for messages.
        seconds: how long to wait for the owner to begin; a statement that has begun is waited for
            as long again.

    Returns:
        The rows that the statement shows.

    Raises:
        GroundswellError: what the owner raised, or that it did not answer.
    """
    write_document(
        folder,
        f"{made.id}.json",
        KIND,
        {
            "statement": made.text,
            "catalog": made.catalog,
            "namespace": list(made.namespace),
            "by": made.by,
            "seconds": made.seconds,
        },
    )
    try:
        answer = _await(folder, made.id, seconds)
        if answer is None and _take(folder, made.id, made.by):
            raise ConfigurationError(
                f"{owner} runs the pipeline, and did not take the statement within {seconds:g} "
                "seconds; it will not run it any more. If the process is gone, take the pipeline "
                "over: CREATE PIPELINE IF NOT EXISTS ... WITH (takeover = 'true')"
            )
        if answer is None:
            answer = _await(folder, made.id, seconds)
        if answer is None:
            raise ConfigurationError(
                f"{owner} began the statement, and has not ended it within {seconds:g} seconds; it "
                "goes on: SHOW MATERIALIZED VIEWS, SHOW SINKS and SHOW INDEXES tell when it is done"
            )
    finally:
        # that it was taken stays: the owner may have listed the request before
        folder.delete(f"{made.id}.json")
        folder.delete(f"{made.id}-done.json")
    if "error" in answer:
        raise _error(answer)
    rows: list[list[Any]] = answer["rows"]
    return rows


def _await(folder: Folder, id_: str, seconds: float) -> dict[str, Any] | None:
    until = time.monotonic() + seconds
    while True:
        answer = read_document(folder, f"{id_}-done.json", KIND)
        if answer is not None or time.monotonic() > until:
            return answer
        time.sleep(_PAUSE)


def _error(answer: dict[str, Any]) -> GroundswellError:
    kind = getattr(errors, answer["error"], GroundswellError)
    try:
        made = kind(answer["message"])
    except TypeError:
        made = GroundswellError(answer["message"])
    return made if isinstance(made, GroundswellError) else GroundswellError(answer["message"])


def serve(
    folder: Folder, here: str, run: Callable[[Request], list[list[Any]]], now: float | None = None
) -> int:
    """Runs the statements that wait, in the order in which they were asked.

    Args:
        folder: of requests.
        here: this process, for messages.
        run: runs one, and gives the rows that it shows.
        now: in seconds; default: the clock's.

    Returns:
        How many were run.
    """
    names = set(folder.names())
    waiting = []
    for name in names:
        id_, dot, _ = name.partition(".")
        if dot and "-" not in id_ and f"{id_}-taken.json" not in names:
            document = read_document(folder, name, KIND)
            if document is not None:
                waiting.append(
                    Request(
                        id_,
                        document["statement"],
                        document["catalog"],
                        tuple(document["namespace"]),
                        document["by"],
                        document["seconds"],
                    )
                )
    done = 0
    for each in sorted(waiting, key=lambda r: (r.seconds, r.id)):
        if _take(folder, each.id, here):
            write_document(folder, f"{each.id}-done.json", KIND, _answered(each, run))
            done += 1
    _sweep(folder, names, time.time() if now is None else now)
    return done


def _answered(each: Request, run: Callable[[Request], list[list[Any]]]) -> dict[str, Any]:
    try:
        return {"rows": run(each)}
    except Exception as e:  # noqa: BLE001 - it goes on in the process that asked
        return {"error": type(e).__name__, "message": str(e)}


def _take(folder: Folder, id_: str, who: str) -> bool:
    return folder.put_new(f"{id_}-taken.json", seal(KIND, {"by": who}))


def _sweep(folder: Folder, names: Iterable[str], now: float) -> None:
    """Removes what askers have left that died; an answer without its request is left, too."""
    names = set(names)
    for name in names:
        id_ = name.partition(".")[0].partition("-")[0]
        if f"{id_}.json" in names:
            document = read_document(folder, f"{id_}.json", KIND)
            if document is not None and now - document["seconds"] < _KEPT_SECONDS:
                continue
        folder.delete(name)
