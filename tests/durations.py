"""How long each file of tests took: those that take long go first, and are named at the end.

Workers take whole files in this order. A long file that starts last would leave the other worker
idle; files of one folder stay together, as they ask for the same Spark context.

Runs of whole parts (``--write-durations``) merge what they measured into ``build/durations.json``,
which git does not know. ``make durations`` takes it into ``durations.json``, for fresh clones.
"""

import json
import os
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
KNOWN = ROOT / "tests" / "durations.json"
"""Part of the tests -> file -> seconds. What is not in it goes first."""
MEASURED = ROOT / "build" / "durations.json"
"""The same, as of this machine's last runs."""
PARTS = ("test", "rest")  # of `make test` and `make test-rest`
OTHERS = ("soak", "systems")  # they run in the order in which they are found
UNKNOWN = 1000.0
SHOWN = 10

Durations = dict[str, dict[str, float]]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--write-durations",
        action="store_true",
        help="merge the seconds of this run, which runs whole files, into build/durations.json",
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


def part_of(marks: Collection[str]) -> str | None:
    """The part that a test with these marks belongs to; None: none that is measured."""
    if any(mark in marks for mark in OTHERS):
        return None
    return "rest" if "rest" in marks else "test"


def read(path: Path) -> Durations:
    found = json.loads(path.read_text("utf-8")) if path.is_file() else {}
    return {part: found.get(part, {}) for part in PARTS}


def merged(old: Durations, new: Durations, there: Callable[[str], bool]) -> Durations:
    """The old figures, but the new ones of files that were run, and none of files that are gone."""
    return {
        part: {
            file: seconds
            for file, seconds in sorted({**old[part], **new.get(part, {})}.items())
            if there(file)
        }
        for part in PARTS
    }


def is_there(file: str) -> bool:
    return (ROOT / file).is_file()


def write(path: Path, durations: Durations) -> None:
    path.parent.mkdir(exist_ok=True)
    half = path.with_suffix(f".{os.getpid()}")
    half.write_text(json.dumps(durations, indent=1) + "\n", "utf-8")
    half.replace(path)


def expected(tests: Iterable[tuple[str, str | None]], known: Durations) -> dict[str, float]:
    """File -> seconds, of those of its parts that these tests are of."""
    parts = defaultdict(set)
    for file, part in tests:
        parts[file].add(part or PARTS[0])
    return {
        file: sum(known[part].get(file, UNKNOWN) for part in chosen)
        for file, chosen in parts.items()
    }


# After pytest has taken out what `-m` leaves out.
@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    known = merged(read(KNOWN), read(MEASURED), is_there)
    tests = [
        (file_of(item.nodeid), part_of({mark.name for mark in item.iter_markers()}))
        for item in items
    ]
    seconds = expected(tests, known)
    place = {file: number for number, file in enumerate(by_length(list(seconds), seconds))}
    items.sort(key=lambda item: place[file_of(item.nodeid)])


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, exitstatus: int, config: pytest.Config
) -> None:
    spent: Counter[str] = Counter()
    parts: dict[str, Counter[str]] = {part: Counter() for part in PARTS}
    for reports in terminalreporter.stats.values():
        for report in reports:
            if isinstance(report, pytest.TestReport):
                file = file_of(report.nodeid)
                spent[file] += report.duration
                part = part_of(report.keywords)
                if part is not None:
                    parts[part][file] += report.duration
    if sum(spent.values()) > SHOWN:
        terminalreporter.section("slowest files")
        for file, seconds in spent.most_common(SHOWN):
            terminalreporter.write_line(f"{seconds:7.1f} s  {file}")
    ended = exitstatus in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED)
    if config.getoption("--write-durations") and ended:
        rounded = {
            part: {file: round(seconds, 1) for file, seconds in found.items()}
            for part, found in parts.items()
        }
        write(MEASURED, merged(read(MEASURED), rounded, is_there))


if __name__ == "__main__":
    write(KNOWN, merged(read(KNOWN), read(MEASURED), is_there))
