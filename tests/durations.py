"""How long each file of tests took: those that take long go first, and are named at the end.

Workers take whole files in this order. A long file that starts last would leave the other worker
idle; files of one folder stay together, as they ask for the same Spark context.
"""

import json
from collections import Counter
from pathlib import Path

import pytest

KNOWN = Path(__file__).with_name("durations.json")
"""File -> seconds, as of the last run with --write-durations. What is not in it goes first."""
UNKNOWN = 1000.0
SHOWN = 10


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--write-durations", action="store_true", help=f"write {KNOWN.name} after this run"
    )


def by_length(files: list[str], seconds: dict[str, float]) -> list[str]:
    """Folders in the order of their longest file, each with its own files, longest first."""
    longest: dict[str, float] = {}
    for file in files:
        folder = file.rpartition("/")[0]
        longest[folder] = max(longest.get(folder, 0.0), seconds.get(file, UNKNOWN))

    def place(file: str) -> tuple[float, str, float]:
        folder = file.rpartition("/")[0]
        return (-longest[folder], folder, -seconds.get(file, UNKNOWN))

    return sorted(files, key=place)


def file_of(nodeid: str) -> str:
    return nodeid.partition("::")[0]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    seconds = json.loads(KNOWN.read_text("utf-8")) if KNOWN.is_file() else {}
    files = list(dict.fromkeys(file_of(item.nodeid) for item in items))
    place = {file: number for number, file in enumerate(by_length(files, seconds))}
    items.sort(key=lambda item: place[file_of(item.nodeid)])


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    spent: Counter[str] = Counter()
    for reports in terminalreporter.stats.values():
        for report in reports:
            if isinstance(report, pytest.TestReport):
                spent[file_of(report.nodeid)] += report.duration
    if sum(spent.values()) > SHOWN:
        terminalreporter.section("slowest files")
        for file, seconds in spent.most_common(SHOWN):
            terminalreporter.write_line(f"{seconds:7.1f} s  {file}")
    if config.getoption("--write-durations"):
        rounded = {file: round(seconds, 1) for file, seconds in sorted(spent.items())}
        KNOWN.write_text(json.dumps(rounded, indent=1) + "\n", "utf-8")
