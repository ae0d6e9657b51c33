"""Options, fixtures, and the report at the end."""

import shutil
from collections.abc import Iterator

import pytest

from store import report
from store.results import Results
from store.stores import Stores
from store.worker import compile_classes

RESULTS = pytest.StashKey[Results]()


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("store")
    group.addoption("--rows", type=int, default=200_000, help="keys in the store (200,000)")
    group.addoption("--quick", action="store_true", help="two rounds of everything: a smoke test")


def pytest_configure(config: pytest.Config) -> None:
    config.stash[RESULTS] = Results(rows=config.getoption("--rows"))


@pytest.fixture(scope="session")
def results(pytestconfig: pytest.Config) -> Results:
    return pytestconfig.stash[RESULTS]


@pytest.fixture(scope="session")
def stores(
    pytestconfig: pytest.Config, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Stores]:
    compile_classes()
    root = tmp_path_factory.mktemp("stores")
    yield Stores(root, pytestconfig.getoption("--rows"))
    shutil.rmtree(root, ignore_errors=True)


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    results = config.stash[RESULTS]
    if not results.cells:
        return
    text = report.markdown(results)
    terminalreporter.section("state stores side by side")
    terminalreporter.write_line(text)
    if not config.getoption("--quick"):
        for path in report.write(results, text):
            terminalreporter.write_line(f"written: {path}")
