"""Statements handed over to the process that runs a pipeline."""

import threading
import time
from collections.abc import Callable

import pytest

import groundswell as gs
from groundswell.sql.owning import requests
from groundswell.sql.owning.requests import Inbox, Request, Rows, ask, request
from unit.runtime.folders import MemoryFolder


def there() -> bool:
    return False


def served(folder: MemoryFolder, run: Callable[[Request], Rows]) -> threading.Thread:
    inbox = Inbox(folder, "owner")

    def loop() -> None:
        until = time.monotonic() + 20
        while time.monotonic() < until and not inbox.serve(run):
            time.sleep(0.01)

    thread = threading.Thread(target=loop, daemon=True)
    thread.start()
    return thread


def made(text: str, seconds: float | None = None) -> Request:
    return request(text, "groundswell", ("p",), f"ann for {text}", seconds)


def test_the_owner_runs_a_statement_once_and_its_rows_come_back() -> None:
    folder, seen = MemoryFolder(), []

    def run(each: Request) -> Rows:
        seen.append(each)
        return [["v", 7]]

    asked = made("FLUSH")
    thread = served(folder, run)
    assert ask(folder, asked, "bob", there, "") == [["v", 7]]
    thread.join()
    assert seen == [asked]
    assert Inbox(folder, "the next owner").serve(run) == 0


def test_what_the_owner_raises_is_raised_here() -> None:
    folder = MemoryFolder()

    def run(each: Request) -> Rows:
        raise gs.SourceError(f"cannot {each.text}")

    thread = served(folder, run)
    with pytest.raises(gs.SourceError, match="cannot DROP TABLE t"):
        ask(folder, made("DROP TABLE t"), "bob", there, "")
    thread.join()


def test_an_error_of_views_says_which_on_either_side() -> None:
    folder = MemoryFolder()

    def run(each: Request) -> Rows:
        raise gs.RowFailed("[ROW_FAILED] x", views=["a, b", "source_rows"], sources=["s"])

    thread = served(folder, run)
    with pytest.raises(gs.RowFailed) as e:
        ask(folder, made("CREATE ..."), "bob", there, "")
    thread.join()
    assert (e.value.views, e.value.sources) == (("a, b", "source_rows"), ("s",))


def test_a_statement_that_nobody_took_is_taken_back() -> None:
    folder = MemoryFolder()
    with pytest.raises(gs.ConfigurationError, match="bob runs the pipeline, and did not take"):
        ask(folder, made("DROP TABLE t", 0), "bob", there, "take it over")
    assert ask(folder, made("DROP TABLE t", 0), "bob", lambda: True, "") is None
    assert Inbox(folder, "owner").serve(lambda _: pytest.fail("it was taken back")) == 0


def test_an_owner_that_dies_over_a_statement_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    folder = MemoryFolder()
    monkeypatch.setattr(requests, "_LOOK_AFTER", 0.0)
    inbox, died = Inbox(folder, "owner"), []

    def die(each: Request) -> Rows:
        raise KeyboardInterrupt

    def gone() -> bool:
        if not died:
            died.append(True)
            with pytest.raises(KeyboardInterrupt):
                inbox.serve(die)
        return True

    with pytest.raises(gs.ConfigurationError, match="bob began the statement, and is gone"):
        ask(folder, made("DROP TABLE t"), "bob", gone, "")
    assert Inbox(folder, "the next owner").serve(lambda _: pytest.fail("it began once")) == 0


def test_statements_keep_their_order_and_later_ones_are_found() -> None:
    folder, ran = MemoryFolder(), []
    inbox = Inbox(folder, "owner")
    threads = []
    for i in range(3):
        each = made(str(i))
        threads.append(threading.Thread(target=ask, args=(folder, each, "bob", there, "")))
        threads[-1].start()
        while len([n for n in folder.names() if "-" not in n]) <= i:
            time.sleep(0.01)

    def run(each: Request) -> Rows:
        ran.append(each.text)
        return []

    assert inbox.serve(run) == 3
    for thread in threads:
        thread.join()
    assert ran == ["0", "1", "2"]
    with pytest.raises(gs.ConfigurationError):
        ask(folder, made("nobody looks", 0), "bob", there, "")
    thread = served(folder, run)
    ask(folder, made("3"), "bob", there, "")
    thread.join()
    assert ran[3:] == ["3"]


def test_a_statement_of_a_dead_asker_is_not_run() -> None:
    folder = MemoryFolder()
    requests._put(folder, made("CREATE TABLE t (a int)", -1))
    inbox = Inbox(folder, "owner")
    assert inbox.serve(lambda _: pytest.fail("nobody waits for it")) == 1
    with pytest.raises(gs.ConfigurationError, match="did not take"):
        ask(folder, made("x", 0), "bob", there, "")
    assert len([n for n in folder.names() if "-" not in n]) == 2
    inbox.serve(lambda _: [])
    inbox.sweep(time.time() + 4000)
    assert [n for n in folder.names() if "-" not in n] == ["00000000000000000002.json"]
    assert requests._put(folder, made("y")) == 3


def test_an_owner_that_was_followed_takes_nothing() -> None:
    folder = MemoryFolder()
    requests._put(folder, made("x"))
    assert Inbox(folder, "owner").serve(lambda _: pytest.fail("followed"), lambda: False) == 0
    assert Inbox(folder, "the next").serve(lambda _: []) == 1


def test_an_owner_can_turn_requests_off(monkeypatch: pytest.MonkeyPatch) -> None:
    """Who could write to the location had statements run as the pipeline's owner."""
    monkeypatch.setenv("GROUNDSWELL_REQUESTS", "off")
    folder, ran = MemoryFolder(), []

    def run(each: Request) -> Rows:
        ran.append(each)
        return []

    thread = served(folder, run)
    with pytest.raises(gs.ConfigurationError, match="takes no statements of other processes"):
        ask(folder, made("FLUSH"), "bob", there, "")
    thread.join()
    assert ran == []
