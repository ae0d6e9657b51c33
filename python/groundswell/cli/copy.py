"""Copies a pipeline at an epoch, from the command line; needs no Spark."""

from __future__ import annotations

import sys
import time

from groundswell.errors import GroundswellError

EVERY_SECONDS = 1.0


def run(checkpoint: str, target: str, epoch: int | None, as_clone: bool) -> int:
    """Copies, and says how far it is once a second.

    Args:
        checkpoint: checkpointLocation of the pipeline; it may run.
        target: where to copy to; must be empty.
        epoch: which epoch; None: the newest.
        as_clone: whether the copy is to run beside the pipeline.

    Returns:
        0; 1 if nothing was copied that can be started, and why on stderr.
    """
    from groundswell.migrate import backup

    told = time.monotonic()

    def progress(files: int, of: int, size: int) -> None:
        nonlocal told
        if files == of or time.monotonic() - told >= EVERY_SECONDS:
            told = time.monotonic()
            print(f"{files} of {of} files, {size:,} bytes", flush=True)

    try:
        copied = (backup.clone if as_clone else backup.backup)(checkpoint, target, epoch, progress)
    except (GroundswellError, ImportError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    print(
        f"{copied.location} has epoch {copied.epoch}: {copied.files} files of states, "
        f"{copied.linked} of them by reference"
    )
    return 0
