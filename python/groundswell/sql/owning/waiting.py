"""Waits for a barrier of a running pipeline that has what was written before."""

from __future__ import annotations

import time

from groundswell.runtime.query import IncrementalQuery

_ASK_AGAIN = 1.0
"""A batch that was being put together may have answered the clock, and be none that begins now.

So the clock is asked again after each barrier that is none, and after so many seconds."""


def wait_for_barrier(query: IncrementalQuery) -> None:
    """Until one is published whose sources Spark has asked for news from now on.

    A first load has to be whole before.

    When a batch was put together does not tell: Spark asks one source after the other before. It
    reports a batch a little after its barrier is published; until then no other one is asked for.
    """
    while query.loads:
        query.awaitTermination(1)
    with query._turns.waits():
        _wait(query)


def _wait(query: IncrementalQuery) -> None:
    since = time.time() * 1000
    asked, seen = 0.0, None
    wanted: int | None = None  # the first epoch that will do
    while query.isActive or not query.awaitTermination(1):  # a query may be started again
        newest = last["epoch"] if (last := query.lastProgress) else None
        trigger = query._last_trigger()
        if trigger and trigger[1] >= since:
            wanted = trigger[0] if wanted is None else min(wanted, trigger[0])
        if wanted is not None and newest is not None and wanted <= newest:
            return
        reported = newest is None or (trigger is not None and trigger[0] >= newest)
        if (newest != seen and reported) or time.monotonic() - asked > _ASK_AGAIN:
            query.tick()
            asked, seen = time.monotonic(), newest
        time.sleep(0.02)
