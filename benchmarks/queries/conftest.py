"""Options, data, and the report at the end."""

import os
from pathlib import Path

import pytest

from queries import report, workload
from shared import page
from shared.arguments import positive_int

RESULTS = pytest.StashKey[report.Results]()
# Ours runs in one way only, and stands in both tables.
CELLS = [("default", "ours"), ("default", "rocksdb"), ("same", "rocksdb")]
CELLS += [("default", "hdfs"), ("same", "hdfs")]
EMPTY_BATCHES = 60


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("queries")
    group.addoption(
        "--batch-rows", type=positive_int, default=200_000, help="rows a batch (200,000)"
    )
    group.addoption("--batches", type=positive_int, default=9, help="the first three warm up (9)")
    group.addoption("--workloads", default=",".join(workload.WORKLOADS), help="names")


def pytest_configure(config: pytest.Config) -> None:
    config.stash[RESULTS] = report.Results(config.getoption("--batch-rows"), os.getloadavg()[0])


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "provider" in metafunc.fixturenames:
        names = metafunc.config.getoption("--workloads").split(",")
        cells = [
            (name, mode, provider)
            for name in names
            for mode, provider in CELLS
            if provider != "hdfs" or not workload.WORKLOADS[name].families
        ]
        metafunc.parametrize(("name", "mode", "provider"), cells, ids=["-".join(c) for c in cells])


@pytest.fixture(scope="session")
def results(pytestconfig: pytest.Config) -> report.Results:
    return pytestconfig.stash[RESULTS]


@pytest.fixture(scope="session")
def data(pytestconfig: pytest.Config, tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Two streams and one of empty files, the same for all."""
    root = tmp_path_factory.mktemp("queries")
    rows, batches = pytestconfig.getoption("--batch-rows"), pytestconfig.getoption("--batches")
    folders = [root / "left", root / "right"]
    for number, folder in enumerate(folders):
        workload.write(folder, rows // 2 if number else rows, batches, number)
    workload.write_empty(root / "empty", EMPTY_BATCHES)
    return [*folders, root / "empty"]


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    results = config.stash[RESULTS]
    if results.cells:
        text = report.markdown(results)
        page.show(
            terminalreporter, config, "whole queries side by side", text, "queries", results.data()
        )
