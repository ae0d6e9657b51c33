"""Statements handed over to the process that runs a pipeline."""

import threading
import time
from typing import Any

import pytest

import groundswell as gs
from groundswell.sql.requests import Request, ask, request, serve
from unit.runtime.folders import MemoryFolder


def served(folder: MemoryFolder, run: Any) -> threading.Thread:
    def loop() -> None:
        until = time.monotonic() + 20
        while time.monotonic() < until and not serve(folder, "owner", run):
            time.sleep(0.01)

    thread = threading.Thread(target=loop, daemon=True)
    thread.start()
    return thread


def test_the_owner_runs_a_statement_and_its_rows_come_back() -> None:
    folder, seen = MemoryFolder(), []

    def run(each: Request) -> list[list[Any]]:
        seen.append(each)
        return [["v", 7]]

    made = request("FLUSH", "groundswell", ("p",), "ann")
    thread = served(folder, run)
    assert ask(folder, made, "bob", 20) == [["v", 7]]
    thread.join()
    assert seen == [made]
    assert serve(folder, "owner", run) == 0
    assert folder.names() == []


def test_what_the_owner_raises_is_raised_here() -> None:
    folder = MemoryFolder()

    def run(each: Request) -> list[list[Any]]:
        raise gs.SourceError(f"cannot {each.text}")

    thread = served(folder, run)
    with pytest.raises(gs.SourceError, match="cannot DROP TABLE t"):
        ask(folder, request("DROP TABLE t", "groundswell", ("p",), "ann"), "bob", 20)
    thread.join()


def test_a_statement_that_nobody_took_is_taken_back() -> None:
    folder, made = MemoryFolder(), request("DROP TABLE t", "groundswell", ("p",), "ann")
    with pytest.raises(gs.ConfigurationError, match="bob runs the pipeline, and did not take"):
        ask(folder, made, "bob", 0)
    assert serve(folder, "owner", lambda _: pytest.fail("it was taken back")) == 0
    assert folder.names() == []


def test_the_owner_may_be_slow_and_statements_keep_their_order() -> None:
    folder = MemoryFolder()
    ran: list[str] = []
    asked = [request(str(i), "groundswell", (), "ann") for i in range(3)]
    threads = []
    errors: list[BaseException] = []

    def one(made: Request) -> None:
        try:
            ask(folder, made, "bob", 10)
        except BaseException as e:  # noqa: BLE001
            errors.append(e)

    for made in asked:
        threads.append(threading.Thread(target=one, args=(made,), daemon=True))
        threads[-1].start()
    while len([n for n in folder.names() if "-" not in n]) < 3:
        time.sleep(0.01)

    def run(each: Request) -> list[list[Any]]:
        ran.append(each.text)
        time.sleep(0.05)
        return []

    assert serve(folder, "owner", run) == 3
    for thread in threads:
        thread.join()
    assert ran == ["0", "1", "2"]
    assert not errors


def test_what_a_dead_asker_left_goes_after_an_hour() -> None:
    folder = MemoryFolder()
    with pytest.raises(gs.ConfigurationError):
        ask(folder, request("x", "groundswell", (), "ann"), "bob", 0)
    from groundswell.runtime.location import write_document

    content = {"statement": "x", "catalog": "c", "namespace": [], "by": "ann", "seconds": 100.0}
    write_document(folder, "a.json", "sql-request", content)
    assert serve(folder, "owner", lambda _: [], now=200.0) == 1
    assert len(folder.names()) == 3
    assert serve(folder, "owner", lambda _: [], now=4000.0) == 0
    assert folder.names() == []
