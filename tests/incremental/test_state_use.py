"""What the stores of views did: filters, cache and compactions in the progress of barriers."""

from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

import groundswell as gs
from groundswell.ui.documents import PipelineReader

pytestmark = pytest.mark.rest

USES = ("lookups", "filterNegatives", "filterFalsePositives", "compactions", "compactionBytes")


def test_progress_has_filters_cache_and_compactions(session: SparkSession, tmp_path: Path) -> None:
    p = gs.pipeline(session, str(tmp_path / "p"), partitions=1)
    rows = p.table("rows", "id bigint, v bigint", key="id")
    run = p.view("sums", rows.df.groupBy("id").sum("v")).start()
    for step in range(16):  # old keys are looked up and found, new ones are looked up in vain
        rows.upsert([(n, step) for n in range(step * 10, step * 10 + 20)])
        run.processAllAvailable()
    barriers = run.recentProgress
    run.stop()
    shown = PipelineReader(str(tmp_path / "p")).picture().counts
    used = {name: total(barriers, name) for name in USES}
    assert used["lookups"] > 0 and used["filterNegatives"] > 0, used
    assert used["compactions"] > 0 and used["compactionBytes"] > 0, used
    assert used["filterFalsePositives"] <= used["lookups"], used
    assert all(barrier["cache"]["hits"] >= 0 for barrier in barriers)
    assert sum(barrier["cache"]["hits"] + barrier["cache"]["misses"] for barrier in barriers) > 0
    by_op: dict[str, int] = {}
    for barrier in barriers:
        for operator in barrier["operators"]:
            by_op[operator["op"]] = by_op.get(operator["op"], 0) + operator.get("lookups", 0)
    assert by_op["normalize"] > 0 and by_op["aggregate"] > 0, by_op
    assert sum(store.use.lookups for store in shown.stores) == used["lookups"]
    assert sum(store.use.compaction_bytes for store in shown.stores) == used["compactionBytes"]
    assert shown.cache == (
        sum(barrier["cache"]["hits"] for barrier in barriers),
        sum(barrier["cache"]["misses"] for barrier in barriers),
    )


def total(barriers: list[Any], name: str) -> int:
    counts = [operator.get(name, 0) for b in barriers for operator in b["operators"]]
    assert all(count >= 0 for count in counts)
    return sum(counts)
