"""Merges files for a pipeline that another process runs, from the command line."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Mapping

from groundswell.cli import session
from groundswell.errors import GroundswellError

SECONDS = 1.0


def run(
    location: str, once: bool, seconds: float, master: str | None, confs: Mapping[str, str]
) -> int:
    """Merges until it is interrupted, and says what it does.

    Args:
        location: the pipeline's checkpointLocation.
        once: whether one look is all.
        seconds: from one look to the next.
        master: Spark's master; None takes spark-submit's, or all cores of this machine.
        confs: more Spark confs.

    Returns:
        0; 1 if it could not merge, or another process does now, and why on stderr.
    """
    from groundswell.runtime.compactor import Compactor, Pass

    stop = threading.Event()

    def said(done: Pass) -> None:
        print(
            f"epoch {done.epoch}: {done.merges} merges, {done.read:,} bytes read, "
            f"{done.written:,} written",
            flush=True,
        )
        if done.failed is not None:
            print(f"looked at again later: {done.failed}", file=sys.stderr, flush=True)

    spark = session.start(master, confs)
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stop.set())
    try:
        compactor = Compactor(spark, location)
        if once:
            said(compactor.once())
        else:
            compactor.run(seconds, stop, said)
    except GroundswellError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    finally:
        session.stop(spark)
    return 0
