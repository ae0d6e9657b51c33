"""Barriers: sources apart, segments, operators' states, commits."""

import json
import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyspark.sql.functions as F
import pytest
from pyspark.sql import SparkSession

from bridge.flows import Flow, Rows
from cases import first_of
from groundswell import jvm
from groundswell.contract.barrier import BarrierRequest
from groundswell.contract.commits import RetireRequest
from groundswell.errors import EngineError, Fenced, IllegalState


@pytest.fixture
def flow(spark: SparkSession, tmp_path: Path) -> Flow:
    return Flow(spark, tmp_path)


def shop(flow: Flow) -> None:
    flow.source("item", "id long, name string, shop int", key=["id"])
    flow.source("sale", "item long, price double")
    flow.start(
        {
            "sales": "SELECT i.id, upper(i.name) name, s.price FROM item i JOIN sale s "
            "ON i.id = s.item WHERE s.price > 0",
            "shops": "SELECT i.shop, count(*) n, sum(s.price) total, count(DISTINCT i.id) items "
            "FROM item i JOIN sale s ON i.id = s.item GROUP BY i.shop",
            "top": "SELECT shop, count(*) n FROM item GROUP BY shop ORDER BY n DESC, shop LIMIT 1",
        },
        changelogs=["shops"],
    )


def test_join_aggregate_and_top_n_follow_their_sources(flow: Flow) -> None:
    shop(flow)
    flow.barrier(
        item=[(1, "a", 1), (2, "b", 1), (3, "c", 2)],
        sale=[(1, 5.0), (1, 6.0), (3, 1.0), (9, 2.0), (2, -1.0)],
    )
    assert flow.view("sales") == [(1, "A", 5.0), (1, "A", 6.0), (3, "C", 1.0)]
    assert flow.view("shops") == [(1, 3, 10.0, 2), (2, 1, 1.0, 1)]
    assert flow.view("top") == [(1, 2)]
    assert flow.result.sources == {
        key: 5 if t.name == "sale" else 3 for key, t in flow.tables.items()
    }
    flow.barrier(item=[(1, "z", 2)])
    assert flow.view("sales") == [(1, "Z", 5.0), (1, "Z", 6.0), (3, "C", 1.0)]
    assert flow.view("shops") == [(1, 1, -1.0, 1), (2, 3, 12.0, 2)]
    assert flow.view("top") == [(2, 2)]
    changed = flow.changes("shops")
    assert sorted(changed, key=repr) == [
        (1, 1, -1.0, 1, "update_postimage"),
        (1, 3, 10.0, 2, "update_preimage"),
        (2, 1, 1.0, 1, "update_preimage"),
        (2, 3, 12.0, 2, "update_postimage"),
    ]
    for before, after in zip(changed[::2], changed[1::2], strict=True):
        assert before[0] == after[0], "the two rows of an update are adjacent"


@pytest.mark.rest
def test_an_empty_barrier_runs_no_job_and_keeps_every_commit(flow: Flow) -> None:
    shop(flow)
    flow.barrier(item=[(1, "a", 1)], sale=[(1, 5.0)])
    before = flow.commits
    group = f"empty-{random.random()}"
    context = flow.spark.sparkContext
    batch = flow.batch()
    context.setJobGroup(group, group)
    try:
        flow.publish(flow.run(batch))
    finally:
        context.setLocalProperty("spark.jobGroup.id", None)
    assert list(context.statusTracker().getJobIdsForGroup(group)) == []
    assert flow.commits == before
    assert flow.changes("shops") == []


def test_a_partition_without_news_is_not_written(flow: Flow) -> None:
    shop(flow)
    flow.barrier(item=[(i, "a", i) for i in range(40)], sale=[(i, 1.0) for i in range(40)])
    before = flow.commits
    flow.barrier(sale=[(7, 2.0)])
    for state in (flow.views["sales"], flow.views["shops"]):
        changed = [a != b for a, b in zip(before[state], flow.commits[state], strict=True)]
        assert sum(changed) == 1, state
    source = next(state for state in before if state.startswith("source-"))
    assert flow.commits[source] == before[source]


@pytest.mark.rest
def test_what_a_barrier_left_is_not_told_again_and_what_it_kept_is_not_told_back(
    flow: Flow,
) -> None:
    shop(flow)
    handle, told = flow.dataflow._handle, list[tuple[dict[str, Any], dict[str, Any]]]()

    class Listening:
        def run(self, batch: Any, request: str) -> str:
            answer: str = handle.run(batch, request)
            told.append((json.loads(request), json.loads(answer)))
            return answer

    flow.dataflow._handle = Listening()
    flow.barrier(item=[(1, "a", 1)], sale=[(1, 5.0)])
    everything = flow.commits
    flow.barrier()
    flow.barrier(sale=[(1, 6.0)])
    request, answer = told[1]
    assert (request["base"], request["after"]) == ({}, 0)
    assert answer["commits"] == {} and set(answer["unchanged"]) == set(everything)
    request, answer = told[2]
    assert (request["base"], request["after"]) == ({}, 1)
    assert answer["commits"].keys() | set(answer["unchanged"]) == everything.keys()
    changed = {s for s, commits in flow.commits.items() if commits != everything[s]}
    assert changed == answer["commits"].keys() and 0 < len(changed) < len(everything)
    assert list(flow.commits) == list(everything)
    assert flow.view("shops") == [(1, 2, 11.0, 1)]


@pytest.mark.rest
def test_a_base_that_the_jvm_does_not_hold_is_refused(flow: Flow) -> None:
    shop(flow)
    flow.barrier(item=[(1, "a", 1)])
    request = replace(BarrierRequest(1), after=7)
    with pytest.raises(IllegalState, match="what epoch 7 left, and epoch 0 ran last"):
        flow.dataflow.run(request, flow.batch()._jdf)
    with pytest.raises(IllegalState, match="what epoch 0 left, and none has run"):
        flow.dataflow.run(replace(request, after=0), flow.batch()._jdf)
    flow.barrier(item=[(2, "b", 1)])  # is told its base as a whole
    assert flow.view("top") == [(1, 2)]


def stages(flow: Flow, **rows: Rows) -> int:
    """Runs a barrier; how many stages its jobs have."""
    group = f"stages-{random.random()}"
    context = flow.spark.sparkContext
    batch = flow.batch(**rows)
    context.setJobGroup(group, group)
    try:
        flow.publish(flow.run(batch))
    finally:
        context.setLocalProperty("spark.jobGroup.id", None)
    tracker = context.statusTracker()
    jobs = [tracker.getJobInfo(job) for job in tracker.getJobIdsForGroup(group)]
    return sum(len(job.stageIds) for job in jobs if job is not None)


PAIRS = "SELECT a.id, b.x FROM a JOIN b ON a.k = b.k"
BEST = """SELECT id, k, place FROM (SELECT *, row_number() OVER (PARTITION BY k ORDER BY id) place
    FROM a) WHERE place <= 2"""


@pytest.mark.parametrize(
    ("query", "key", "expected"), first_of([(PAIRS, (), 2), (PAIRS, ("id",), 4), (BEST, (), 2)])
)
def test_rows_are_not_exchanged_once_more_for_a_view_that_nobody_reads_by_key(
    flow: Flow, query: str, key: Sequence[str], expected: int
) -> None:
    flow.source("a", "id long, k int", key=key)
    flow.source("b", "k int, x long")
    flow.start({"v": query})
    news: dict[str, Rows] = {"a": [(i, i % 5) for i in range(20, 40)]}
    if query == PAIRS:
        news["b"] = [(k, 10 * k) for k in range(4)]
    assert stages(flow, **news) == expected
    flow.barrier(a=[(i, i % 5) for i in range(10)])
    if query == PAIRS:
        ids = [*range(10), *range(20, 40)]
        assert flow.view("v") == sorted(((i, 10 * (i % 5)) for i in ids if i % 5 < 4), key=repr)
    else:
        assert flow.view("v") == [(i, i % 5, i // 5 + 1) for i in range(10)]


def test_a_source_read_twice_is_read_once(flow: Flow) -> None:
    t = flow.source("t", "id long, parent long")
    flow.start(
        {"pairs": "SELECT a.id, b.id child FROM t a JOIN t b ON a.id = b.parent", "all": t.union(t)}
    )
    flow.barrier(t=[(1, None), (2, 1)])
    flow.barrier(t=[(3, 1), (4, 2)])
    assert flow.view("pairs") == [(1, 2), (1, 3), (2, 4)]
    assert len(flow.view("all")) == 8
    assert list(flow.result.sources.values()) == [2]


def test_python_functions_run_in_segments(flow: Flow) -> None:
    t = flow.source("t", "id long, g int", key=["id"])
    twice = F.udf(lambda x: 2 * x, "int")
    flow.start({"v": t.select("id", twice("g").alias("g2")).where("g2 > 4")})
    flow.barrier(t=[(1, 2), (2, 3)])
    assert flow.view("v") == [(2, 6)]
    flow.barrier(t=[(1, 5), (2, 0)])
    assert flow.view("v") == [(1, 10)]


def test_code_of_a_chain_is_generated_once(flow: Flow) -> None:
    flow.source("t", "id long, g int")
    flow.start({"n": "SELECT g, count(*) n, max(id) m FROM t WHERE id % 2 = 0 GROUP BY g"})
    stages = flow.spark._jvm.org.apache.spark.sql.execution.WholeStageCodegenExec
    chains = []
    for first in (0, 10, 20):
        stages.resetCodeGenTime()
        flow.barrier(t=[(first + i, i % 3) for i in range(6)])
        chains.append(stages.codeGenTime())
    assert chains[0] > 0
    assert chains[1:] == [0, 0]
    assert flow.view("n") == [(0, 3, 20), (1, 3, 24), (2, 3, 22)]


def test_a_global_aggregate_has_a_row_before_any_input(flow: Flow) -> None:
    flow.source("t", "x long")
    flow.start({"n": "SELECT count(*) n, sum(x) s FROM t"})
    flow.barrier()
    assert flow.view("n") == [(0, None)]
    flow.barrier(t=[(2,), (3,)])
    assert flow.view("n") == [(2, 5)]


@pytest.mark.rest
def test_state_reads_do_not_grow_with_the_table(flow: Flow) -> None:
    shop(flow)
    flow.barrier(item=[(i, "a", i % 7) for i in range(2000)], sale=[(i, 1.0) for i in range(2000)])
    reads = []
    for price in (1.0, 2.0):
        flow.barrier(sale=[(11, price)])
        reads.append(sum(c.state_reads for c in flow.result.operators.values()))
    assert 0 < reads[0] < 20 and reads[1] < 20
    rows, size = (
        sum(getattr(c, name) for c in flow.result.operators.values())
        for name in ("state_rows", "state_bytes")
    )
    assert rows > 2000
    assert size > 10 * rows


def test_an_operators_error_names_the_operator_and_leaves_the_state(flow: Flow) -> None:
    flow.source("t", "id long, g int, _change_type string", key=["id"])
    flow.start({"v": "SELECT id, g FROM t"})
    flow.barrier(t=[(1, 1, "insert")])
    with pytest.raises(EngineError, match=r"operator \d+ \(normalize t\), partition \d+: .*id=2"):
        flow.run(flow.batch(t=[(2, 2, "delete"), (1, 1, "delete")]))
    flow.barrier(t=[(1, 1, "update_preimage"), (1, 7, "update_postimage")])
    assert flow.view("v") == [(1, 7)]


@pytest.mark.rest
def test_a_barrier_that_failed_half_way_can_run_again(flow: Flow, tmp_path: Path) -> None:
    flag = tmp_path / "fail"
    t = flow.source("t", "id long, g int", key=["id"])

    def fragile(x: int) -> int:
        if x == 3 and flag.exists():
            raise ValueError("told to fail")
        return x

    flow.start(
        {
            "raw": "SELECT g, count(*) n FROM t GROUP BY g",
            "v": t.select("id", F.udf(fragile, "int")("g").alias("g")),
        }
    )
    flow.barrier(t=[(i, i % 2) for i in range(6)])
    flag.touch()
    batch = flow.batch(t=[(i, 3) for i in range(0, 6, 2)])
    with pytest.raises(Exception, match="told to fail"):
        flow.run(batch)
    assert flow.view("raw") == [(0, 3), (1, 3)]
    flag.unlink()
    flow.publish(flow.run(batch))
    assert flow.view("raw") == [(1, 3), (3, 3)]
    assert flow.view("v") == [(i, 1 if i % 2 else 3) for i in range(6)]


@pytest.mark.rest
def test_retired_epochs_leave_the_newest_readable(flow: Flow, tmp_path: Path) -> None:
    flow.source("t", "id long, g int", key=["id"])
    flow.start({"v": "SELECT id, g FROM t"})

    def packs() -> int:
        return sum(1 for _ in (tmp_path / "root").rglob("*.pack"))

    for i in range(24):  # more than the background merge lets pile up
        flow.barrier(t=[(1, i), (2, -i)])
    before = packs()
    mine = jvm.Ownership(flow.spark, str(tmp_path / "root"), "a test")
    flow.dataflow.retire(RetireRequest(23, flow.commits, flow.commits, flow.commits, 23, 23), mine)
    assert flow.view("v") == [(1, 23), (2, -23)]
    flow.dataflow.close()  # waits for the deletes
    assert packs() < before
    assert flow.view("v") == [(1, 23), (2, -23)], "read by stores opened again"


@pytest.mark.rest
def test_a_run_that_was_followed_deletes_no_state(flow: Flow, tmp_path: Path) -> None:
    flow.source("t", "id long, g int", key=["id"])
    flow.start({"v": "SELECT id, g FROM t"})
    for i in range(24):
        flow.barrier(t=[(1, i), (2, -i)])
    location = str(tmp_path / "c")
    mine = jvm.Ownership(flow.spark, location, "the older run")
    jvm.Ownership(flow.spark, location, "the next one").release()
    request = RetireRequest(23, flow.commits, flow.commits, flow.commits, 23, 23)
    before = sorted((tmp_path / "root").rglob("*.pack"))
    flow.dataflow.retire(request, mine)
    flow.dataflow.close()  # waits for the deletes
    assert sorted((tmp_path / "root").rglob("*.pack")) == before
    with pytest.raises(Fenced, match="taken over by the next one"):
        flow.dataflow.retire(request, mine)


@pytest.mark.rest
def test_random_upserts_agree_with_a_dict(flow: Flow) -> None:
    seed = random.randrange(1 << 30)
    print(f"seed {seed}")
    rnd = random.Random(seed)
    flow.source("t", "id long, g int", key=["id"])
    flow.start(
        {"v": "SELECT id, g FROM t WHERE g < 4", "c": "SELECT g, count(*) n FROM t GROUP BY g"}
    )
    table: dict[int, int] = {}
    for _ in range(5):
        rows = [(rnd.randrange(30), rnd.randrange(6)) for _ in range(rnd.randrange(12))]
        table.update(rows)
        flow.barrier(t=rows)
        assert flow.view("v") == sorted(((i, g) for i, g in table.items() if g < 4), key=repr), (
            f"seed {seed}"
        )
        assert flow.view("c") == sorted(Counter(table.values()).items(), key=repr), f"seed {seed}"
