"""The first pages, as a new reader would run them: all blocks in order, in one empty folder."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.rest
def test_the_first_pages_and_the_notebook_run_in_one_folder(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, str(ROOT / "tools" / "docs_walk.py"), str(tmp_path / "walk")],
        capture_output=True,
        text=True,
        timeout=900,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr[-4000:]
    assert "README.md: 2 blocks of SQL, 3 of Python" in done.stdout
    assert "sql-tutorial.md: 5 blocks of SQL" in done.stdout
    assert "tour.ipynb: 7 cells" in done.stdout
