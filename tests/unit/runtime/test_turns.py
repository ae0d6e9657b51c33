"""Who waits for a barrier goes before a change."""

import threading
import time

from groundswell.runtime.turns import Turns


def test_a_change_waits_for_those_who_wait_already_and_for_no_others() -> None:
    turns = Turns()
    came, go = threading.Event(), threading.Event()

    def wait() -> None:
        with turns.waits():
            came.set()
            go.wait()

    first = threading.Thread(target=wait, daemon=True)
    first.start()
    assert came.wait(60)
    assert not turns.give_way(0.01)
    found: list[bool] = []
    change = threading.Thread(target=lambda: found.append(turns.give_way(60)), daemon=True)
    change.start()
    until = time.monotonic() + 60
    while not getattr(turns._left, "_waiters") and time.monotonic() < until:  # noqa: B009
        time.sleep(0.01)
    assert found == []
    with turns.waits():  # came after the change
        go.set()
        change.join(60)
        assert found == [True]
        assert not turns.give_way(0.01)
    assert turns.give_way(0)
    first.join(60)


def test_who_fails_does_not_wait_any_more() -> None:
    turns = Turns()
    try:
        with turns.waits():
            raise ValueError
    except ValueError:
        pass
    assert turns.give_way(0)
