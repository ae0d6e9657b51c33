"""The README's first ten lines, as a reader would paste them."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.rest

README = Path(__file__).parents[2] / "README.md"


def test_the_first_ten_lines_show_a_view(tmp_path: Path) -> None:
    code = re.search(r"```python\n(.*?)```", README.read_text(), re.DOTALL)
    assert code is not None
    lines = code.group(1)
    assert len(lines.splitlines()) == 10
    assert lines.count("/tmp/votes") == 2
    lines = lines.replace("/tmp/votes", str(tmp_path / "votes"))
    done = subprocess.run(
        [sys.executable, "-c", lines],
        capture_output=True,
        text=True,
        timeout=240,
        cwd=tmp_path,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-4000:]
    assert "|story|" in done.stdout, done.stdout + done.stderr[-4000:]
    assert re.search(r"\|\s+\d\|\s*\d+\|", done.stdout), f"the view is empty:\n{done.stdout}"
