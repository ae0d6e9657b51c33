"""A barrier that does not fit into the heap ends neither the process nor the pipeline."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from crash import large_values, operators, short_of_memory

pytestmark = pytest.mark.rest


@pytest.mark.parametrize("kind", ["delta", "csv"])
def test_a_barrier_that_is_too_large_is_taken_in_smaller_ones(
    jar: Path, tmp_path: Path, kind: str
) -> None:
    """Spark ended the process; and each start took the same rows again, whatever the limit."""
    command = [sys.executable, short_of_memory.__file__, str(tmp_path), kind]
    done = subprocess.run(command, capture_output=True, text=True, timeout=560)
    told = done.stderr[-6000:]
    assert done.returncode == 0, told
    assert "[OUT_OF_MEMORY]" in done.stderr, "the test needs more rows, or a smaller heap"
    assert "It is taken again, in barriers of a quarter of its limit" in done.stderr
    count, total, length, epoch = map(int, done.stdout.split())
    rows = short_of_memory.ROWS
    assert (count, total, length) == (rows, rows * (rows - 1) // 2, rows * 512), told
    assert epoch > 0


def test_rows_that_a_source_has_no_room_for_end_the_barrier_alone(
    jar: Path, tmp_path: Path
) -> None:
    """Spark's reader of Parquet wraps the JVM's error, and Spark ended the process for it."""
    command = [sys.executable, large_values.__file__, str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr[-3000:]
    assert done.stdout.startswith("3 [OUT_OF_MEMORY] "), done.stdout


@pytest.mark.soak
@pytest.mark.parametrize("name", operators.QUERIES)
def test_all_rows_below_an_operator_change_in_a_small_heap(
    jar: Path, tmp_path: Path, name: str
) -> None:
    command = [sys.executable, operators.__file__, str(tmp_path), "150000", name]
    done = subprocess.run(command, capture_output=True, text=True, timeout=560)
    assert (done.returncode, done.stdout) == (0, f"{name}: equal\n"), done.stderr[-6000:]
