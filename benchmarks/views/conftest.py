"""Options, data, and the report at the end."""

import os
from collections.abc import Collection
from pathlib import Path
from typing import NoReturn

import pytest

from nexmark import events, stored
from nexmark.queries import QUERIES
from shared import page, process
from shared.arguments import positive_int
from shared.names import named
from views import plots, report
from views.engines import ENGINES

RESULTS = pytest.StashKey[report.Results]()
DEFAULT = "q3,q4,q5,q7,q8,q9,q15,q16,q17,q18,q19,q20,totals"
SMALL_EVENTS, SMALL_BARRIERS = 20_000, 4


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("views")
    group.addoption(
        "--events", type=positive_int, default=1_000_000, help="events in all (1,000,000)"
    )
    group.addoption("--barriers", type=positive_int, default=20, help="barriers they come in (20)")
    group.addoption("--queries", default=DEFAULT, help="names, with commas between; or 'all'")
    group.addoption("--engines", default=",".join(ENGINES), help="ours, native, recompute")
    group.addoption("--cold", action="store_true", help="whole runs in fresh processes as well")
    group.addoption(
        "--base", type=positive_int, default=5_000_000, help="events before the changes of 1 %"
    )
    group.addoption("--base-queries", default="q4,q9", help="that take changes of 1 %; '' for none")
    group.addoption("--heap", default="4g", help="of each engine's JVM (4g)")
    group.addoption(
        "--limit",
        type=positive_int,
        default=process.LIMIT,
        help="seconds of a run; then it is stopped",
    )
    group.addoption("--page", default="views", help="name of the report in results (views)")


def pytest_configure(config: pytest.Config) -> None:
    for check in (_queries, _engines, _base_queries):
        check(config)  # before anything runs
    config.stash[RESULTS] = report.Results(
        config.getoption("--events"),
        config.getoption("--barriers"),
        os.getloadavg()[0],
        config.getoption("--base"),
    )


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    engines = _engines(metafunc.config)
    if "query" in metafunc.fixturenames:
        cells = [(query, engine) for query in _queries(metafunc.config) for engine in engines]
        metafunc.parametrize(("query", "engine"), cells, ids=[f"{q}-{e}" for q, e in cells])
    if "base_query" in metafunc.fixturenames:
        both = {"ours", "recompute"} <= set(engines)
        metafunc.parametrize("base_query", _base_queries(metafunc.config) if both else [])


def _queries(config: pytest.Config) -> list[str]:
    every = config.getoption("--queries") == "all"
    return list(QUERIES) if every else _names(config, "queries", QUERIES)


def _engines(config: pytest.Config) -> list[str]:
    return _names(config, "engines", ENGINES)


def _base_queries(config: pytest.Config) -> list[str]:
    some = config.getoption("--base-queries")
    return _names(config, "base-queries", QUERIES) if some else []


def _names(config: pytest.Config, option: str, known: Collection[str]) -> list[str]:
    def fail(message: str) -> NoReturn:
        raise pytest.UsageError(message)

    return named(fail, option, config.getoption(f"--{option}"), known)


@pytest.fixture(scope="session")
def results(pytestconfig: pytest.Config) -> report.Results:
    return pytestconfig.stash[RESULTS]


@pytest.fixture(scope="session")
def data(
    pytestconfig: pytest.Config, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Path, Path]:
    """Large and small input, the same for all engines."""
    small = tmp_path_factory.mktemp("nexmark") / "small"
    events.write(small, SMALL_EVENTS, SMALL_BARRIERS)
    large = stored.stored(pytestconfig.getoption("--events"), pytestconfig.getoption("--barriers"))
    return large, small


@pytest.fixture(scope="session")
def base(
    pytestconfig: pytest.Config, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Path, Path]:
    """A base that comes in one barrier and five changes of 1 %; and a small one."""
    root = tmp_path_factory.mktemp("base")
    large, small = root / "large", root / "small"
    events.write(large, pytestconfig.getoption("--base"), 1, deltas=(5, 0.01))
    events.write(small, SMALL_EVENTS, 1, deltas=(3, 0.1))
    return large, small


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    results = config.stash[RESULTS]
    if results.cells or results.changes:
        text, name = report.markdown(results), config.getoption("--page")
        page.show(terminalreporter, config, "incremental views side by side", text, name)
        if not config.getoption("--benchmark-disable", False):
            report.write(results, page.FOLDER / f"{name}.json")
            runs = {query: c.series for (query, _), c in results.cells.items() if c.series}
            if runs:
                barrier = results.events / results.barriers
                plots.draw(runs, barrier, page.FOLDER / f"{name}.svg")
