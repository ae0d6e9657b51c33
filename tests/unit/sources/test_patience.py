"""A server that is away is waited for, said once, and given up with what to do."""

from __future__ import annotations

import logging
from typing import Any

import pytest

from groundswell.errors import SourceError
from groundswell.sources import patience as module
from groundswell.sources.patience import Connection, Patience


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    monkeypatch.setattr(module.time, "monotonic", lambda: now[0])
    monkeypatch.setattr(module.time, "sleep", lambda seconds: now.__setitem__(0, now[0] + seconds))


def patience(seconds: float) -> Patience:
    return Patience(
        seconds,
        "the server",
        lambda e: isinstance(e, OSError),
        lambda e: SourceError(f"refused: {e}"),
        lambda e: str(e).replace("s3cret", "***"),
    )


def test_the_log_says_once_an_absence_that_a_server_is_away(
    clock: None, caplog: pytest.LogCaptureFixture
) -> None:
    waiting = patience(60)
    for _ in range(30):
        waiting.wait(OSError("no s3cret route"))
    waiting.reset()
    waiting.wait(OSError("for a moment"))
    waiting.reset()
    for _ in range(10):
        waiting.wait(OSError("gone"))
    said = [(each.levelno, each.getMessage()) for each in caplog.records]
    assert said == [
        (logging.WARNING, "the server is away: no *** route; trying again for 59 s"),
        (logging.WARNING, "the server is away: gone; trying again for 59 s"),
    ]


def test_it_ends_with_what_to_do(clock: None) -> None:
    waiting, gone = patience(1), OSError("no s3cret")
    while module.time.monotonic() <= 1:
        waiting.wait(gone)
    with pytest.raises(SourceError, match=r"was away for 1 s: no \*\*\*.*start the pipeline again"):
        waiting.wait(gone)
    with pytest.raises(SourceError, match="refused: a password"):
        patience(5).wait(ValueError("a password"))


class Opened:
    def __init__(self) -> None:
        self.closed = False

    def close(self) -> None:
        self.closed = True


def test_a_connection_is_made_again_until_the_server_answers(clock: None) -> None:
    made: list[Opened] = []

    def connect() -> Opened:
        made.append(Opened())
        return made[-1]

    def answer(opened: Any) -> int:
        if len(made) < 3:
            raise OSError("reset")
        assert opened is made[-1]
        return 5

    server = Connection(connect, patience(60), (OSError,))
    assert (server.ask(answer), server.ask(answer)) == (5, 5)
    assert [each.closed for each in made] == [True, True, False]


def test_a_stopped_connection_asks_nothing_more(clock: None) -> None:
    made: list[Opened] = []

    def connect() -> Opened:
        made.append(Opened())
        return made[-1]

    def stopped_beside(_: Any) -> None:
        server.stop()
        raise OSError("its connection was closed")

    server = Connection(connect, patience(60), (OSError,))
    for _ in range(2):
        with pytest.raises(SourceError, match="was stopped"):
            server.ask(stopped_beside)
    assert [each.closed for each in made] == [True]
