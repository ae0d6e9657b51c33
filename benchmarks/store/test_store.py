"""Each cell of the table: a JVM of its own, warmed up, then timed round by round.

pytest-benchmark's own columns show seconds a round; the report at the end shows what the JVM
measured of it. Nothing here fails for being slow; a wrong answer fails.
"""

from pathlib import Path
from typing import Any

import pytest

from store.cases import Case
from store.results import (
    Cell,
    Results,
    cell_of,
    space_amplification,
    write_amplification,
)
from store.stores import Loaded, Stores
from store.worker import Round, Worker


def test_store(
    case: Case, benchmark: Any, stores: Stores, results: Results, pytestconfig: pytest.Config
) -> None:
    figure = case.figure
    benchmark.group = f"{case.mode.name}: {figure.label}"
    if figure.name == "load":
        loaded = benchmark.pedantic(stores.load, args=(case,))
        results.add(case, loading(figure.unit, loaded))
        return

    loaded = stores.load(case)
    folder = stores.copy(loaded) if figure.copied else loaded.folder
    quick = pytestconfig.getoption("--quick")
    if figure.processes > 1:
        count = 1 if quick else figure.processes
        rounds = in_many_processes(case, benchmark, stores, folder, count)
        cell = cell_of(figure.unit, rounds, apart=True)
    else:
        warm_up, count = (2, 2) if quick else (figure.warm_up, figure.rounds)
        rounds = in_one_process(case, benchmark, stores, folder, warm_up, count)
        cell = cell_of(figure.unit, rounds[warm_up:])
        if cell.commit_p50 is not None:
            cell = amplified(case, stores, folder, rounds, cell)
    results.add(case, cell)


def loading(unit: str, loaded: Loaded) -> Cell:
    cell = cell_of(unit, [loaded.round])
    return cell._replace(
        bytes=loaded.bytes,
        files=loaded.files,
        write_amplification=write_amplification([loaded.round]),
    )


def amplified(case: Case, stores: Stores, folder: Path, rounds: list[Round], cell: Cell) -> Cell:
    """What batches wrote, those that warmed up too, and how large they left the store."""
    loaded = stores.load(case)
    merged = stores.compacted(case, loaded, folder, loaded.version + len(rounds))
    space = space_amplification(rounds[-1].metrics, merged.metrics) if merged else None
    return cell._replace(write_amplification=write_amplification(rounds), space_amplification=space)


def in_one_process(
    case: Case, benchmark: Any, stores: Stores, folder: Path, warm_up: int, count: int
) -> list[Round]:
    """All rounds, those that warm up first."""
    rounds: list[Round] = []
    with stores.worker(case, stores.load(case), folder) as worker:
        benchmark.pedantic(
            lambda: rounds.append(worker.round()), warmup_rounds=warm_up, rounds=count
        )
    return rounds


def in_many_processes(
    case: Case, benchmark: Any, stores: Stores, folder: Path, count: int
) -> list[Round]:
    rounds: list[Round] = []
    workers: list[Worker] = []

    def fresh() -> None:
        for old in workers:
            old.close()
        workers[:] = [stores.worker(case, stores.load(case), folder)]

    benchmark.pedantic(lambda: rounds.append(workers[0].round()), setup=fresh, rounds=count)
    workers[0].close()
    return rounds
