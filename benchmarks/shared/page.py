"""A run's report: on the terminal, and as a page of benchmarks/results."""

from __future__ import annotations

import datetime
import json
import os
import platform
from pathlib import Path
from typing import Any

import pyspark
import pytest

OWN = Path(__file__).resolve().parents[1] / "results"
FOLDER = Path(os.environ.get("GROUNDSWELL_RESULTS") or OWN)


def where() -> str:
    """The machine and the versions."""
    spark = pyspark.__version__
    return f"{os.cpu_count()} cores, Python {platform.python_version()}, Spark {spark}"


def show(
    reporter: pytest.TerminalReporter,
    config: pytest.Config,
    title: str,
    text: str,
    name: str,
    data: dict[str, Any] | None = None,
) -> None:
    """Prints a report, and writes ``<name>.md`` with the date, unless nothing was timed.

    ``data`` goes into ``<name>.json`` beside it.
    """
    reporter.section(title)
    reporter.write_line(text)
    if not config.getoption("--benchmark-disable", False):
        FOLDER.mkdir(parents=True, exist_ok=True)
        today = datetime.datetime.now(datetime.UTC).date().isoformat()
        page = FOLDER / f"{name}.md"
        page.write_text(f"Run of {today}. {text}\n", "utf-8")
        if data is not None:
            document = json.dumps({"date": today, "where": where(), **data}, indent=1)
            page.with_suffix(".json").write_text(f"{document}\n", "utf-8")
        reporter.write_line(f"written: {page}")
