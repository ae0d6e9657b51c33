"""The how-to's code, as a reader would paste it, from top to bottom."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

import groundswell as gs

pytestmark = pytest.mark.rest

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "serve-views.md"


def test_the_page_is_right(session: SparkSession, tmp_path: Path) -> None:
    text = PAGE.read_text("utf-8")
    blocks = re.findall(r"```(python|sh)\n(.*?)```", text, re.DOTALL)
    assert [kind for kind, _ in blocks] == ["python", "python", "sh"] + ["python"] * 4
    names = {"gs": gs, "spark": session, "location": str(tmp_path / "c")}
    for kind, block in blocks:
        if kind == "python":
            exec(compile(block, str(PAGE), "exec"), names)
        elif shutil.which("psql"):
            shell = {**os.environ, "PORT": str(names["port"]), "PGCONNECT_TIMEOUT": "20"}
            done = subprocess.run(
                ["sh", "-ec", block], env=shell, capture_output=True, text=True, check=False
            )
            assert done.returncode == 0, done.stderr
            assert "bob      |    70" in done.stdout
