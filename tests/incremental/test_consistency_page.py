"""The code of docs/consistency.md, as a reader would paste it."""

import re
from pathlib import Path

from pyspark.sql import SparkSession

import groundswell as gs

PAGE = Path(__file__).parents[2] / "docs" / "consistency.md"


def test_the_page_is_right(session: SparkSession, tmp_path: Path) -> None:
    blocks = re.findall(r"```python\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
    assert len(blocks) == 4
    names = {"gs": gs, "spark": session, "location": str(tmp_path / "c")}
    for block in blocks:
        exec(compile(block, str(PAGE), "exec"), names)
