"""Classes that Spark generates for views are compiled once."""

import sys
from pathlib import Path

import pytest

from jvm_options import OPTIONS
from submission.processes import HERE, environment, run, said

pytestmark = pytest.mark.rest


def compiled(folder: Path, *confs: str) -> int:
    folder.mkdir()
    command = [sys.executable, HERE / "compiling.py", folder, *confs]
    return said(run(command, environment(folder / "cache", SPARK_SUBMIT_OPTS=OPTIONS)))["compiled"]


def test_a_first_barrier_compiles_no_class_twice(tmp_path: Path, jar: Path) -> None:
    """Spark keeps 100 classes by default, and the views of one pipeline push each other's out."""
    by_default = compiled(tmp_path / "ours")
    assert by_default > 100  # what Spark keeps: it would compile some again
    assert by_default < 1.03 * compiled(tmp_path / "all", "spark.sql.codegen.cache.maxEntries=9999")
