"""The benchmark's arithmetic, and (in `make soak`) one quick run of it."""

import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from store import report
from store.cases import FIGURES, MODES, PROVIDERS, Case, cases
from store.results import Results, cell_of, percentile
from store.worker import Round

ROOT = Path(__file__).resolve().parents[2]


def filled(**millis: float) -> Results:
    """Reopening took each provider that many milliseconds."""
    results = Results(rows=1000)
    figure = next(figure for figure in FIGURES if figure.name == "reopen")
    for provider in PROVIDERS:
        taken = millis.get(provider.name)
        if taken is not None:
            done = Round(1, int(taken * 1e6), [], {})
            results.add(Case(MODES[0], figure, provider), cell_of("ms", [done]))
    return results


def test_percentiles_are_values_that_were_measured() -> None:
    ordered = [float(i) for i in range(1, 51)]
    assert percentile(ordered, 50) == 25
    assert percentile(ordered, 99) == 50
    assert percentile([7.0], 99) == 7


def test_a_rate_is_the_median_round() -> None:
    rounds = [Round(100, nanos, [], {}) for nanos in (10**9, 10**8, 10**7)]
    assert cell_of("rows/s", rounds).value == 1000


def test_no_round_with_a_commit_is_left_out() -> None:
    rounds = [Round(100, 10**8, [10**6], {}), Round(100, 9 * 10**8, [10**7], {})]
    cell = cell_of("rows/s", rounds)
    assert cell.value == 200
    assert (cell.commit_p50, cell.commit_p99) == (1, 10)


def test_times_and_rates_are_better_in_opposite_directions() -> None:
    text = report.markdown(filled(groundswell=10, rocksdb=100, hdfs=5))
    line = next(line for line in text.splitlines() if line.startswith("| reopen in"))
    assert line.endswith("| 10.0 | 0.5 |")


def test_what_is_slower_is_named() -> None:
    slow = report.markdown(filled(groundswell=10, rocksdb=100, hdfs=5))
    assert "reopen in a new process: behind HDFS-backed (2.0 times)" in slow
    assert "RocksDB (" not in slow
    fast = report.markdown(filled(groundswell=1, rocksdb=100, hdfs=5))
    assert "Slower or larger than another: nothing." in fast


def test_providers_take_turns_in_going_first() -> None:
    first = Counter()
    for mode in MODES:
        for figure in FIGURES:
            whole = [c for c in cases() if c.mode == mode and c.figure == figure]
            first[whole[0].provider.name] += 1
    assert max(first.values()) - min(first.values()) <= 4
    assert len(first) >= 3


@pytest.mark.soak
def test_a_quick_run_ends_with_a_table(jar) -> None:
    options = ["--benchmark-only", "--quick", "--rows", "2000", "-k", "shipped and not hdfs"]
    said = subprocess.run(
        [sys.executable, "-m", "pytest", "benchmarks/store", *options],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert said.returncode == 0, said.stdout + said.stderr
    assert "| get, key present (rows/s) |" in said.stdout
