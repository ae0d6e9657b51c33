"""SQL from the command line: files, and a shell."""

from __future__ import annotations

import logging
import os
import signal
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from types import FrameType

from groundswell.cli import session
from groundswell.config import check
from groundswell.errors import Fenced, GroundswellError

INTERRUPTED = 130
"""Exit code of what was to come to an end by itself, and did not."""
_interrupted = threading.Event()


def run_file(
    path: str,
    checkpoint: str | None,
    trigger: str | None,
    once: bool,
    master: str | None,
    confs: Mapping[str, str],
    standby: str | None = None,
    takeover: bool = False,
) -> int:
    """Runs a file of statements as a job, until it is interrupted or, with ``once``, is done.

    Args:
        path: the file.
        checkpoint: location of the file's pipeline, in the place of what the file says.
        trigger: the barrier interval, as ``"1 second"``.
        once: whether to read what is there, and end.
        master: Spark's master.
        confs: more Spark confs.
        standby: for how long a sign of life counts, as ``"15 seconds"``: it waits until no other
            run has the pipeline; when another one takes it over, it stands by again.
        takeover: whether to end the run that has the pipeline, should it live.

    Returns:
        0; 1 if a statement or the job failed, and why on stderr.
    """
    from groundswell.sql.console.file import read_file
    from groundswell.sql.console.script import Script

    if standby is not None:
        wrong = _not_to_stand_by(standby, once)
        if wrong:
            print(f"error: --standby: {wrong}", file=sys.stderr)
            return 1
    try:
        file = read_file(path)
    except (GroundswellError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    signal.signal(signal.SIGTERM, interrupt)
    logging.getLogger().addFilter(is_no_interrupt)
    spark = session.start(master, confs)
    try:
        script = Script(
            spark,
            file,
            checkpoint,
            trigger,
            once,
            standby=standby,
            takeover=takeover,
            out=_line,
            tell=lambda line: print(line, file=sys.stderr, flush=True),
        )
        with interruptible():
            script.run()
    except KeyboardInterrupt:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)  # a second one ends it at once
        print("stopping; what is not done is done by the next start", file=sys.stderr, flush=True)
        with suppress(Exception):  # a signal to the group may have ended the JVM, too
            script.stop()
        if once:
            return INTERRUPTED
    except Fenced as error:
        if standby is None:
            print(f"error: {error}", file=sys.stderr)
            return 1
        print(f"stopped: {error}", file=sys.stderr)
        session.stop(spark)
        # As a new process: nothing of the run that was fenced is left.
        os.execv(sys.executable, [sys.executable, "-m", "groundswell", *sys.argv[1:]])  # noqa: S606
    except (GroundswellError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    finally:
        session.stop(spark)
    return 0


def _not_to_stand_by(lease: str, once: bool) -> str:
    """Why a run cannot be a standby; empty: it can."""
    if once:
        return "a run with --once ends by itself, and has nothing to take over; leave one out"
    try:
        check({"ownerLease": lease})
    except GroundswellError as error:
        return str(error)
    return ""


def shell(master: str | None, confs: Mapping[str, str]) -> int:
    """Reads statements and runs them, until the end of the input."""
    import readline  # noqa: F401 - input() edits lines with it

    from groundswell.sql.console.shell import Shell

    spark = session.start(master, confs)
    made = Shell(spark, input if sys.stdin.isatty() else _piped, _line)
    try:
        made.run()
        made.stop()
    finally:
        session.stop(spark)
    return 0


def _piped(_prompt: str) -> str:
    line = sys.stdin.readline()
    if not line:
        raise EOFError
    return line.rstrip("\n")


def interrupt(_number: int, _frame: FrameType | None) -> None:
    """Ends the command as Ctrl-C does; a handler of signals."""
    _interrupted.set()
    raise KeyboardInterrupt


@contextmanager
def interruptible() -> Iterator[None]:
    """What fails because a signal has ended the JVM as well is the interruption."""
    try:
        yield
    except Exception as error:
        if _interrupted.is_set():
            raise KeyboardInterrupt from error
        raise


def is_no_interrupt(record: logging.LogRecord) -> bool:
    """Leaves out the traceback that py4j logs when it is interrupted; the command says it."""
    return not record.getMessage().startswith("KeyboardInterrupt while sending command")


def _line(text: str) -> None:
    print(text, flush=True)
