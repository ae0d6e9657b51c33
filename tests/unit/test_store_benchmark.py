"""The benchmark's arithmetic, and (in `make soak`) one quick run of it."""

import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from store import report
from store.cases import (
    CHURN,
    GET_PRESENT,
    OURS,
    REOPEN,
    SAME_FILES,
    SHIPPED,
    SLOW,
    SUITES,
    TENTH,
    Case,
    cases,
)
from store.results import (
    ROW_BYTES,
    Results,
    cell_of,
    percentile,
    space_amplification,
    write_amplification,
)
from store.stores import Stores
from store.turns import turns, variant
from store.worker import Round

ROOT = Path(__file__).resolve().parents[2]


def filled(**millis: float) -> Results:
    """Reopening took each provider that many milliseconds."""
    results = Results(SUITES["all"], rows=1000)
    for provider in SUITES["all"].providers:
        taken = millis.get(provider.name)
        if taken is not None:
            done = Round(1, int(taken * 1e6), [], {})
            results.add(Case(SHIPPED, REOPEN, provider), cell_of("ms", [done]))
    return results


def batch(millis: float, written: int = 0, **metrics: int) -> Round:
    """100 rows with a commit that took half of the time."""
    return Round(100, int(millis * 1e6), [int(millis * 5e5)], metrics, written)


class Told:
    """Stands for a process: its rounds take ever longer, and all CPU time is told each time."""

    def __init__(self, millis: float, order: list[float]) -> None:
        self.millis, self.order, self.rounds = millis, order, 0

    def round(self) -> Round:
        self.rounds += 1
        self.order.append(self.millis)
        whole = int(self.rounds * self.millis * 1e6)
        return batch(self.millis)._replace(cpu_nanos=whole)


def test_processes_take_turns_and_rounds_that_warm_up_do_not_count() -> None:
    order: list[float] = []
    fast, slow = turns([Told(1, order), Told(3, order)], rounds=2, warm=1)  # type: ignore[list-item]
    assert fast.cpu == pytest.approx([10, 10])
    assert slow.wall == pytest.approx([30, 30])
    assert slow.commits == pytest.approx([1.5, 1.5])
    assert order == [3, 1, 1, 3, 3, 1]


def test_a_variant_names_a_provider_and_its_settings() -> None:
    small = variant("groundswell,blockBytes=2048")
    assert small.confs["spark.sql.streaming.stateStore.groundswell.blockBytes"] == "2048"
    assert SAME_FILES.for_others.items() <= variant("rocksdb").confs.items()
    with pytest.raises(ValueError, match="unknown variant 'hdfs'"):
        variant("hdfs")


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


def test_a_batch_is_timed_as_a_whole() -> None:
    cell = cell_of("rows/s", [batch(10), batch(30), batch(20)])
    assert (cell.batch_p50, cell.batch_p99) == (20, 30)
    assert (cell.commit_p50, cell.commit_p99) == (10, 15)


def test_one_round_of_many_commits_is_no_batch() -> None:
    cell = cell_of("rows/s", [Round(200, 10**9, [10**6, 2 * 10**6], {})])
    assert cell.batch_p50 is None
    assert cell.commit_p99 == 2


def test_batches_tell_of_the_merges_beside_them() -> None:
    rounds = [
        batch(10, groundswellSubLevels=4, groundswellCompactionBytes=0),
        batch(10, groundswellSubLevels=7, groundswellCompactionBytes=30, groundswellStallMs=2),
        batch(10, groundswellSubLevels=5, groundswellCompactionBytes=12),
    ]
    cell = cell_of("rows/s", rounds)
    assert cell.sub_levels == (4, 7)
    assert (cell.merged_bytes, cell.batches_with_merges, cell.stalled_ms) == (42, 2, 2)


def test_bytes_written_are_counted_between_the_first_and_the_last_round() -> None:
    put = 100 * ROW_BYTES
    assert write_amplification([batch(1, 5 * put), batch(1, 8 * put), batch(1, 9 * put)]) == 2
    assert write_amplification([batch(1, 3 * put)]) == 3
    assert write_amplification([batch(1, 0)]) is None


def test_cells_that_waited_for_the_disk_are_named() -> None:
    results = Results(SUITES["large"], rows=1000)
    rounds = [Round(1, 10**7, [], {}, 0, read) for read in (10**6, 8 * 10**6)]
    results.add(Case(SAME_FILES, GET_PRESENT, OURS), cell_of("rows/s", rounds))
    results.add(Case(SAME_FILES, REOPEN, OURS), cell_of("ms", rounds, apart=True))
    text = report.markdown(results)
    assert "- Groundswell, same-files, get, key present: 7 MB" in text
    assert "- Groundswell, same-files, reopen in a new process: 9 MB" in text


def test_space_is_compared_with_the_same_store_merged() -> None:
    assert space_amplification({"groundswellFileBytes": 130}, {"fileBytes": 100}) == 1.3
    assert space_amplification({"rocksdbSstFileSize": 90}, {"rocksdbSstFileSize": 60}) == 1.5
    assert space_amplification({}, {}) is None


def test_the_report_says_how_reopening_grows_with_the_store() -> None:
    results = Results(SUITES["large"], rows=1000)
    for figure, millis in ((TENTH, 10), (REOPEN, 15)):
        cell = cell_of("ms", [Round(1, millis * 10**6, [], {})])
        results.add(Case(SAME_FILES, figure, OURS), cell)
    assert "reopen takes 1.5 × the time of a store of 1/10 of the rows" in report.markdown(results)


def test_the_report_says_what_merges_cost_batches() -> None:
    results = Results(SUITES["large"], rows=1000)
    rounds = [batch(10, groundswellCompactionBytes=2_000_000), batch(25)]
    results.add(Case(SAME_FILES, CHURN, OURS), cell_of("rows/s", rounds))
    text = report.markdown(results)
    assert "batch p99 is 2.5 × the median" in text
    assert "merges wrote 2 MB beside 1 of 2 batches" in text
    assert "| batch p99 | 25 ms |" in text


def test_slow_storage_is_slow_for_all() -> None:
    for provider in SUITES["all"].providers:
        assert Stores.confs(SLOW, provider)["fs.slow.latency"] == "PUT=20,GET=10,LIST=50"


def test_no_cell_is_there_twice() -> None:
    for suite in SUITES.values():
        ids = [case.id for case in cases(suite)]
        assert len(set(ids)) == len(ids)


def test_nothing_reads_a_store_that_a_large_run_wrote_into() -> None:
    figures = [figure for _, chosen in SUITES["large"].tables for figure in chosen]
    assert all(figure.name != "churn" for figure in figures[:-1])


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
    for mode, figures in SUITES["all"].tables:
        for figure in figures:
            whole = [c for c in cases(SUITES["all"]) if c.mode == mode and c.figure == figure]
            first[whole[0].provider.name] += 1
    assert max(first.values()) - min(first.values()) <= 4
    assert len(first) >= 3


@pytest.mark.soak
@pytest.mark.parametrize(
    ("options", "line"),
    [
        (["--rows", "2000", "-k", "shipped and not hdfs"], "| get, key present (rows/s) |"),
        (
            ["--rows", "2000", "-k", "slow and not hdfs"],
            "| open and first batch of a new process |",
        ),
        (["--rows", "60000", "--cases", "large"], "| bytes of files / after merging all |"),
    ],
    ids=["shipped", "slow", "large"],
)
def test_a_quick_run_ends_with_a_table(jar, options: list[str], line: str) -> None:
    said = subprocess.run(
        [
            sys.executable,
            "-m",
            "pytest",
            "benchmarks/store",
            "--benchmark-only",
            "--quick",
            *options,
        ],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert said.returncode == 0, said.stdout + said.stderr
    assert line in said.stdout
