"""The tutorial, as a reader would type it: every block runs, every output is as printed."""

import contextlib
import io
import re
from pathlib import Path

from pyspark.sql import SparkSession

TUTORIAL = Path(__file__).parents[2] / "docs" / "tutorial.md"
BLOCK = re.compile(r"```python\n(.*?)```(?:\s*```text\n(.*?)```)?", re.DOTALL)


def test_the_tutorial_prints_what_it_shows(spark: SparkSession, tmp_path: Path) -> None:
    text = TUTORIAL.read_text("utf-8")
    assert text.count('location = "/tmp/votes"') == 1
    text = text.replace("/tmp/votes", str(tmp_path / "votes"))
    blocks = BLOCK.findall(text)
    assert sum(bool(shown) for _, shown in blocks) == 6
    names: dict[str, object] = {}
    for code, shown in blocks:
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(code, str(TUTORIAL), "exec"), names)
        assert shown.split() == printed.getvalue().split(), code
