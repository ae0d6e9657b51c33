"""Options, fixtures, and the report at the end."""

import shutil
from collections.abc import Iterator

import pytest

from shared.arguments import positive_int
from store import report
from store.cases import SUITES, Suite, cases
from store.results import Results
from store.stores import Stores
from store.worker import compile_classes

RESULTS = pytest.StashKey[Results]()


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("store")
    group.addoption("--cases", choices=list(SUITES), default="all", help="which tables (all)")
    group.addoption(
        "--rows", type=positive_int, help="keys in the store (200,000; large: 10,000,000)"
    )
    group.addoption("--heap", help="the JVMs' -Xmx, and so the cache: a quarter of it (large: 2g)")
    group.addoption("--quick", action="store_true", help="two rounds of everything: a smoke test")


def suite_of(config: pytest.Config) -> Suite:
    suite = SUITES[config.getoption("--cases")]
    return suite._replace(heap=config.getoption("--heap") or suite.heap)


def pytest_configure(config: pytest.Config) -> None:
    suite = suite_of(config)
    config.stash[RESULTS] = Results(suite, config.getoption("--rows") or suite.rows)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "case" in metafunc.fixturenames:
        chosen = list(cases(suite_of(metafunc.config)))
        metafunc.parametrize("case", chosen, ids=lambda case: case.id)


@pytest.fixture(scope="session")
def results(pytestconfig: pytest.Config) -> Results:
    return pytestconfig.stash[RESULTS]


@pytest.fixture(scope="session")
def stores(results: Results, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stores]:
    compile_classes()
    root = tmp_path_factory.mktemp("stores")
    yield Stores(root, results.suite, results.rows)
    shutil.rmtree(root, ignore_errors=True)


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    results = config.stash[RESULTS]
    if not results.cells:
        return
    text = report.markdown(results)
    terminalreporter.section(results.suite.title)
    terminalreporter.write_line(text)
    if not config.getoption("--quick") and not config.getoption("keyword"):
        for path in report.write(results, text):
            terminalreporter.write_line(f"written: {path}")
