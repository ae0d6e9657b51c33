"""Runs files of tests of views."""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from groundswell.cli import session
from groundswell.errors import ConfigurationError, GroundswellError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from groundswell.testing.case import Case

_CONFS = {"spark.sql.session.timeZone": "UTC", "spark.sql.shuffle.partitions": "1"}


def run(
    paths: Sequence[str], wanted: str | None, master: str | None, confs: Mapping[str, str]
) -> int:
    """Runs the tests of files, in one session.

    Args:
        paths: files, or folders with such.
        wanted: runs only tests in whose name, or file's path, this text is.
        master: Spark's master; None: two threads of this machine.
        confs: Spark confs.

    Returns:
        0 if all passed; 1 if one did not, or a file cannot be read, and why on stdout or stderr.
    """
    from groundswell.testing.yaml_files import files_in, read_tests

    try:
        found = [(path, case) for path in files_in(list(paths)) for case in read_tests(path)]
        chosen = [each for each in found if wanted is None or _is_wanted(wanted, *each)]
        if not chosen:
            raise ConfigurationError(
                f"no test has {wanted!r} in its name or path; there are "
                f"{', '.join(case.name for _, case in found)}"
            )
    except (GroundswellError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    began = time.monotonic()
    spark = session.start(master or "local[2]", {**_CONFS, **confs})
    try:
        failed = sum(not _passes(spark, path, case) for path, case in chosen)
    finally:
        spark.stop()
    what = "1 test" if len(chosen) == 1 else f"{len(chosen)} tests"
    print(f"{what}, {failed} failed, {time.monotonic() - began:.1f} s")
    return 1 if failed else 0


def _is_wanted(wanted: str, path: Path, case: Case) -> bool:
    return wanted.lower() in case.name.lower() or wanted.lower() in str(path).lower()


def _passes(spark: SparkSession, path: Path, case: Case) -> bool:
    from groundswell.testing.running import run as run_case

    began = time.monotonic()
    try:
        told = run_case(spark, case).text
    except (GroundswellError, OSError) as error:
        told = f"error: {error}"
    seconds = f"{time.monotonic() - began:.1f} s"
    print(f"{'FAILED' if told else 'passed'} {path}: {case.name} ({seconds})", flush=True)
    for line in told.splitlines():
        print(f"  {line}", flush=True)
    return not told
