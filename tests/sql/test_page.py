"""The examples of docs/sql.md, and that they print what the page says."""

import re
from pathlib import Path

from pyspark.sql import SparkSession

from conftest import ROOT
from groundswell.sql.file import read_file
from groundswell.sql.script import Script

BLOCK = re.compile(r"```(sql|text)\n(.*?)```", re.DOTALL)


def test_the_page_is_right(session: SparkSession, tmp_path: Path) -> None:
    clicks = tmp_path / "clicks"
    clicks.mkdir()
    page = (ROOT / "docs" / "sql.md").read_text("utf-8")
    page = page.replace("/tmp/shop-clicks", str(clicks)).replace(
        "/tmp/shop", str(tmp_path / "shop")
    )
    blocks = BLOCK.findall(page)
    file = tmp_path / "page.sql"
    file.write_text("\n".join(body for kind, body in blocks if kind == "sql"), "utf-8")
    printed: list[str] = []
    Script(session, read_file(str(file)), once=True, out=printed.append).run()
    text = "\n".join(printed)
    for kind, body in blocks:
        if kind == "text":
            assert body.rstrip() in text, text
