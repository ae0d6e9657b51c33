"""The code of the pages on views, as a reader would paste it, from top to bottom."""

import re
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

import groundswell as gs

pytestmark = pytest.mark.rest

DOCS = Path(__file__).parents[2] / "docs"
BLOCKS = {
    "changelogs": 2,
    "consistency": 6,
    "failing-rows": 4,
    "expectations": 5,
    "what-can-be-incremental": 3,
    "recursion": 4,
    "how-to/add-a-view": 8,
    "how-to/change-a-pipeline": 6,
    "how-to/apply-a-change-feed": 4,
    "how-to/back-up-a-pipeline": 2,
    "how-to/fix-a-failing-row": 3,
    "how-to/monitor": 3,
    "how-to/read-a-view": 6,
    "how-to/test-a-view": 3,
    "how-to/write-several-tables": 3,
}


@pytest.mark.parametrize("name", BLOCKS)
def test_the_page_is_right(session: SparkSession, tmp_path: Path, name: str) -> None:
    page = DOCS / f"{name}.md"
    blocks = re.findall(r"```python\n(.*?)```", page.read_text("utf-8"), re.DOTALL)
    assert len(blocks) == BLOCKS[name]
    names = {"gs": gs, "spark": session, "location": str(tmp_path / "c")}
    for block in blocks:
        exec(compile(block, str(page), "exec"), names)
