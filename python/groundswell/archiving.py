"""Makes the files that JVMs start from, by a process that runs small views."""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from groundswell import archive
from groundswell.archive import Setup
from groundswell.installation import find_spark_home

LIMIT = 900
"""Seconds that the process may take."""
AGAIN = 24 * 3600
"""Seconds after a failure until another attempt is made in the background."""
KEPT = 4
"""Files of other setups that stay: those that were used last."""
_OF_ANOTHER_RUN = (
    "PYSPARK_GATEWAY_PORT",
    "PYSPARK_GATEWAY_SECRET",
    "PYSPARK_SUBMIT_ARGS",
    "SPARK_API_MODE",
    "SPARK_CONNECT_MODE_ENABLED",
    "SPARK_REMOTE",
)
"""Variables that would lead the process to a JVM, or a cluster, of somebody else."""


class ArchiveError(RuntimeError):
    """The JVM wrote no file, or none that it can use."""


def make(setup: Setup) -> Path:
    """Makes the file of a setup, unless it is there.

    A file appears as a whole, once a JVM has started from it. The older one of the setup goes, and
    of other setups' all but those that were used last.

    Returns:
        The file, some 200 MB.

    Raises:
        ArchiveError: with what was said, if the process failed.
    """
    why = archive.hindrance()
    if why:
        raise ArchiveError(why)
    setup.folder.mkdir(parents=True, exist_ok=True)
    with _alone(setup):
        file = setup.file
        if file is None:
            with tempfile.TemporaryDirectory(dir=setup.folder) as drafts:
                draft = Path(drafts) / f"draft{setup.kind.suffix}"
                _write(setup, draft)
                _check(setup, draft)
                file = draft.replace(setup.named(draft))
            failure(setup).unlink(missing_ok=True)
            _clean(setup, file)
    return file


def make_beside(setup: Setup) -> bool:
    """Starts a process that makes the file while this one goes on.

    Returns:
        Whether it was started: not where an attempt has failed within a day.
    """
    log = failure(setup)
    if setup.file or (log.is_file() and time.time() - log.stat().st_mtime < AGAIN):
        return False
    log.parent.mkdir(parents=True, exist_ok=True)
    command = [sys.executable, "-m", "groundswell", "train"]
    nice = shutil.which("nice")
    with log.open("w") as said:  # it goes when the file is there
        subprocess.Popen(
            [nice, "-n", "10", *command] if nice else command,
            stdin=subprocess.DEVNULL,
            stdout=said,
            stderr=said,
            start_new_session=True,
        )
    return True


def failure(setup: Setup) -> Path:
    """What the last process in the background said, if it made no file."""
    return setup.folder / f"{setup.place}-{setup.build}.log"


def _write(setup: Setup, draft: Path) -> None:
    ran = _run([sys.executable, "-m", "groundswell.cli.training"], setup.writing(draft))
    if ran.returncode != 0 or not draft.is_file():
        raise ArchiveError(f"the JVM wrote no {setup.kind.name}: {ran.stderr[-1000:]}")


def _check(setup: Setup, draft: Path) -> None:
    """Starts a JVM that ends at once, and that fails where it cannot use the file."""
    command = [str(_spark_submit()), "--version"]
    ran = _run(command, setup.requiring(draft))
    if ran.returncode != 0:
        said = (ran.stdout + ran.stderr)[-1000:]
        raise ArchiveError(f"no JVM can start from the {setup.kind.name} that it wrote: {said}")


def _run(command: list[str], options: dict[str, str]) -> subprocess.CompletedProcess[str]:
    kept = {key: value for key, value in os.environ.items() if key not in _OF_ANOTHER_RUN}
    given = {**kept, **options}
    try:
        return subprocess.run(
            command, env=given, capture_output=True, text=True, check=False, timeout=LIMIT
        )
    except subprocess.TimeoutExpired as e:
        raise ArchiveError(f"{' '.join(command)} did not end within {LIMIT} seconds") from e


def _spark_submit() -> Path:
    home = find_spark_home()
    assert home is not None, "a setup has a Spark"
    return home / "bin" / "spark-submit"


@contextmanager
def _alone(setup: Setup) -> Iterator[None]:
    """One process at a time makes files; the next one finds what it made."""
    with (setup.folder / "making").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _clean(setup: Setup, made: Path) -> None:
    files = [f for f in setup.folder.iterdir() if f.suffix in (".jsa", ".aot") and f != made]
    stale = [file for file in files if file.name.startswith(f"{setup.place}-")]
    used = sorted(set(files) - set(stale), key=lambda file: -file.stat().st_atime)
    for file in [*stale, *used[KEPT:]]:
        file.unlink(missing_ok=True)
