"""Each cell of the table: a JVM of its own, warmed up, then timed round by round.

pytest-benchmark's own columns show seconds a round; the report at the end shows what the JVM
measured of it. Nothing here fails for being slow; a wrong answer fails.
"""

from pathlib import Path

import pytest

from store.cases import Case, cases
from store.results import Results, cell_of
from store.stores import Stores
from store.worker import Round, Worker


@pytest.mark.parametrize("case", list(cases()), ids=lambda case: case.id)
def test_store(
    case: Case, benchmark, stores: Stores, results: Results, pytestconfig: pytest.Config
) -> None:
    mode, figure, provider = case
    benchmark.group = f"{mode.name}: {figure.label}"
    if figure.name == "load":
        loaded = benchmark.pedantic(stores.load, args=(mode, provider, figure.store))
        cell = cell_of(figure.unit, [loaded.round])
        results.add(case, cell._replace(bytes=loaded.bytes, files=loaded.files))
        return

    loaded = stores.load(mode, provider, figure.store)
    folder = stores.copy(loaded) if figure.writes else loaded.folder
    quick = pytestconfig.getoption("--quick")
    if figure.processes > 1:
        count = 1 if quick else figure.processes
        rounds = in_many_processes(case, benchmark, stores, folder, count)
    else:
        counts = (2, 2) if quick else (figure.warm_up, figure.rounds)
        rounds = in_one_process(case, benchmark, stores, folder, *counts)
    results.add(case, cell_of(figure.unit, rounds))


def worker_for(case: Case, stores: Stores, folder: Path) -> Worker:
    mode, figure, provider = case
    cold = figure.name == "reopen-cold"
    warm = None if cold else stores.warm_folder(mode, provider)
    confs = stores.confs(mode, provider)
    return Worker(figure.name, folder, stores.rows, stores.version, confs, warm)


def in_one_process(
    case: Case, benchmark, stores: Stores, folder: Path, warm_up: int, count: int
) -> list[Round]:
    rounds: list[Round] = []
    with worker_for(case, stores, folder) as worker:
        for _ in range(warm_up):
            worker.round()
        benchmark.pedantic(lambda: rounds.append(worker.round()), rounds=count)
    return rounds


def in_many_processes(
    case: Case, benchmark, stores: Stores, folder: Path, count: int
) -> list[Round]:
    rounds: list[Round] = []
    workers: list[Worker] = []

    def fresh() -> None:
        for old in workers:
            old.close()
        workers[:] = [worker_for(case, stores, folder)]

    benchmark.pedantic(lambda: rounds.append(workers[0].round()), setup=fresh, rounds=count)
    workers[0].close()
    return rounds
