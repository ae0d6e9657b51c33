"""Every benchmark of the Makefile has a smallest run."""

import re
from pathlib import Path

from smallest import SMALLEST

MAKEFILE = Path(__file__).resolve().parents[2] / "Makefile"


def test_each_benchmark_of_the_makefile_has_a_smallest_run() -> None:
    assert set(re.findall(r"^(bench-[a-z-]+):", MAKEFILE.read_text(), re.MULTILINE)) == set(
        SMALLEST
    )
