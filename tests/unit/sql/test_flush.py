"""FLUSH waits for a barrier whose sources were asked after it was called."""

import time
from typing import Any, cast

from groundswell.runtime.turns import Turns
from groundswell.sql.owning.waiting import wait_for_barrier


class Query:
    """Tells of a batch at work when the statement comes, then of the next one."""

    isActive = True  # noqa: N815
    loads = False
    lastProgress: dict[str, Any] = {"epoch": 4}  # noqa: N815, RUF012

    def __init__(self) -> None:
        now = time.time() * 1000
        self.told = [(4, now - 1), (4, now - 1), (5, now + 60_000), (4, now + 60_000)]
        self.ticks = 0
        self._turns = Turns()

    def _last_trigger(self) -> tuple[int, float]:
        return self.told.pop(0)

    def tick(self) -> None:
        self.ticks += 1


def test_a_batch_that_was_at_work_before_is_not_the_one() -> None:
    query = Query()
    wait_for_barrier(cast("Any", query))
    assert query.told == []  # nor one that is not published yet
    assert query.ticks == 1
    assert query._turns.give_way(0)  # it waits no more


def test_no_barrier_is_asked_for_before_the_last_is_reported() -> None:
    epochs = [4, 4, 5, 5]

    class Late(Query):
        @property
        def lastProgress(self) -> dict[str, Any]:  # type: ignore[override]
            return {"epoch": epochs.pop(0)}

    query, now = Late(), time.time() * 1000
    query.told = [(4, now - 1), (4, now - 1), (4, now - 1), (5, now + 60_000)]
    wait_for_barrier(cast("Any", query))
    assert query.told == epochs == []
    assert query.ticks == 1


def test_batches_that_are_reported_before_they_are_published_hold_nobody_up() -> None:
    """As checkpoints that overlap have them: the last one reported is never published yet."""
    epochs = [4, 4, 4, 5]

    class Ahead(Query):
        @property
        def lastProgress(self) -> dict[str, Any]:  # type: ignore[override]
            return {"epoch": epochs.pop(0)}

    query, now = Ahead(), time.time() * 1000
    query.told = [(5, now - 1), (5, now + 60_000), (6, now + 60_000), (7, now + 60_000)]
    wait_for_barrier(cast("Any", query))
    assert query.told == epochs == []
