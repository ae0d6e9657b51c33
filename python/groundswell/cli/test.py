"""Runs files of tests of views."""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

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
        paths: files, folders with such, or folders of dbt projects.
        wanted: runs only tests in whose name, or file's path, this text is.
        master: Spark's master; None: two threads of this machine.
        confs: Spark confs.

    Returns:
        0 if all passed; 1 if one did not, or a file cannot be read, and why on stdout or stderr.
    """
    try:
        found = [each for path in paths for each in _tests_in(path)]
        chosen = [each for each in found if wanted is None or _is_wanted(wanted, each)]
        if not chosen:
            raise ConfigurationError(
                f"no test has {wanted!r} in its name or path; there are "
                f"{', '.join(each.name for each in found)}"
            )
    except (GroundswellError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    began = time.monotonic()
    spark = session.start(master or "local[2]", {**_CONFS, **confs})
    try:
        failed = sum(not _passes(spark, each) for each in chosen)
    finally:
        session.stop(spark)
    what = "1 test" if len(chosen) == 1 else f"{len(chosen)} tests"
    print(f"{what}, {failed} failed, {time.monotonic() - began:.1f} s")
    return 1 if failed else 0


def _tests_in(path: str) -> Sequence[_Test]:
    """The tests of a file, a folder or a dbt project."""
    from groundswell.testing.dbt_projects import is_project, read_project
    from groundswell.testing.yaml_files import files_in, read_tests

    if is_project(path):
        return read_project(path)
    return [_Written(str(file), case) for file in files_in([path]) for case in read_tests(file)]


class _Test(Protocol):
    """A test of a view."""

    @property
    def file(self) -> str:
        """Where it is written."""

    @property
    def name(self) -> str:
        """What it is called."""

    def case(self, spark: SparkSession, /) -> Case:
        """What is run."""


@dataclass(frozen=True)
class _Written:
    """A test of a file of tests."""

    file: str
    of_file: Case

    @property
    def name(self) -> str:
        return self.of_file.name

    def case(self, _: SparkSession, /) -> Case:
        return self.of_file


def _is_wanted(wanted: str, test: _Test) -> bool:
    return wanted.lower() in test.name.lower() or wanted.lower() in test.file.lower()


def _passes(spark: SparkSession, test: _Test) -> bool:
    from groundswell.testing.running import run as run_case

    began = time.monotonic()
    try:
        told = run_case(spark, test.case(spark)).text
    except (GroundswellError, OSError) as error:
        told = f"error: {error}"
    seconds = f"{time.monotonic() - began:.1f} s"
    print(f"{'FAILED' if told else 'passed'} {test.file}: {test.name} ({seconds})", flush=True)
    for line in told.splitlines():
        print(f"  {line}", flush=True)
    return not told
