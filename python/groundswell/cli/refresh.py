"""Refreshes files of SQL statements from the command line: once, or again and again."""

from __future__ import annotations

import logging
import signal
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from groundswell.cli import session
from groundswell.cli.sql import INTERRUPTED, interrupt, interruptible, is_no_interrupt
from groundswell.durations import micros_of
from groundswell.errors import GroundswellError

if TYPE_CHECKING:
    from groundswell.sql.console.script import Script


def run(
    paths: Sequence[str],
    checkpoint: str | None,
    every: str | None,
    master: str | None,
    confs: Mapping[str, str],
) -> int:
    """Catches up the views of some files, and says what was done.

    A file that fails holds up no other one. With ``every`` the next round begins so long after the
    beginning of the last one, or at once if that took longer. The process stays warm meanwhile.

    Args:
        paths: of the files; each is a pipeline.
        checkpoint: location of the one file's pipeline, in the place of what it says.
        every: time from round to round, as ``"5 minutes"``; None: there is one round.
        master: Spark's master.
        confs: more Spark confs.

    Returns:
        0; 1 if a file of the last round failed; 130 if a signal has ended a round.
    """
    from groundswell.sql.console.file import read_file

    seconds = micros_of(every) / 1_000_000 if every is not None else 0.0
    try:
        if wrong := _wrong(paths, checkpoint, every, seconds):
            return _failed(wrong)
        files = [read_file(path) for path in paths]
    except (GroundswellError, OSError) as error:
        return _failed(error)
    signal.signal(signal.SIGTERM, interrupt)
    logging.getLogger().addFilter(is_no_interrupt)
    spark = session.start(master, confs)
    from groundswell.sql.console.script import Script

    scripts = [
        Script(spark, file, checkpoint, refresh=True, out=_line, tell=_told) for file in files
    ]
    failed, busy = 0, None
    try:
        while True:
            begun, failed = time.monotonic(), 0
            for script in scripts:
                busy = script
                if len(scripts) > 1 or every:
                    _line(f"{time.strftime('%Y-%m-%d %H:%M:%S')}  {script.path}")
                with interruptible():
                    failed |= _refreshed(script)
            busy = None
            if every is None:
                return failed
            time.sleep(max(0.0, begun + seconds - time.monotonic()))
    except KeyboardInterrupt:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)  # a second one ends it at once
        if busy is None:
            return failed
        _told("stopping; what is not done is done by the next start")
        with suppress(Exception):  # a signal to the group may have ended the JVM, too
            busy.stop()
        return INTERRUPTED
    finally:
        session.stop(spark)


def _wrong(paths: Sequence[str], checkpoint: str | None, every: str | None, seconds: float) -> str:
    """What is wrong with the arguments; empty: nothing."""
    if checkpoint is not None and len(paths) > 1:
        return "--checkpoint is the location of one file's pipeline: name one file with it"
    if every is not None and not seconds:
        return f"--every takes a number and a unit, as '5 minutes', got {every!r}"
    return ""


def _refreshed(script: Script) -> int:
    try:
        script.run()
    except (GroundswellError, OSError) as error:
        with suppress(Exception):
            script.stop()
        return _failed(error)
    return 0


def _failed(error: object) -> int:
    _told(f"error: {error}")
    return 1


def _line(text: str) -> None:
    print(text, flush=True)


def _told(text: str) -> None:
    print(text, file=sys.stderr, flush=True)
