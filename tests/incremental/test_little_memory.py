"""Operators of every family with a few KB of memory: each barrier spills, and takes passes."""

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from incremental.checking import Step, follow
from incremental.harness import Bags, Changelog, Table, Tables, Upserts, assert_same
from incremental.random_plans import SCHEMA, change

pytestmark = pytest.mark.rest

BYTES = 4000
QUERIES = {
    "join": "select a.id, b.id bid, a.v + b.v s from u a join c b on a.k = b.k",
    "appended": "select a.id, b.id bid from t a join t b on a.k = b.k and a.id < b.id",
    "full": "select a.id, b.id bid from u a full join c b on a.k = b.k and a.v < b.v",
    "anti": "select * from u a where not exists (select 1 from c b where b.k = a.k)",
    "sums": "select k, count(*) n, sum(v) s, avg(v) a from c group by k",
    "extremes": "select g, min(v) lo, max(v) hi, count(distinct k) d from u group by g",
    "collected": "select g, sort_array(collect_list(id)) ids from c group by g",
    "distinct": "select distinct k, g from c",
    "except": "select k, g from t except all select k, g from c",
    "ranked": "select id, rank() over (partition by k order by v, id) r from u",
    "running": "select id, sum(v) over (partition by g order by id) s from c",
    "first": """select * from (select *, row_number() over (partition by k order by v, id) r from t)
        where r <= 2""",
    "top": "select id, v from c order by v desc, id limit 7",
    "chain": """select x.k, sum(x.n) n from (select k, g, count(*) n from u group by k, g) x
        join (select distinct g from c) y on x.g = y.g group by x.k""",
}
SEED = 11
STEPS = 3


def steps(rng: random.Random) -> Iterator[Step]:
    """Several KB a barrier, of some twenty keys."""
    there: dict[int, dict[str, Any]] = {}

    def row(ids: int) -> dict[str, Any]:
        k, g = rng.choice([None, *range(20)]), rng.choice([None, *range(5)])
        return {"id": rng.randrange(ids), "k": k, "g": g, "v": rng.choice([None, 0.0, 0.5, 2.0])}

    for step in range(STEPS):
        yield {
            "t": [{**row(1), "id": 100 * step + i} for i in range(60)],
            "u": [{**row(90), "gone": rng.random() < 0.2} for _ in range(120)],
            "c": [c for _ in range(80) for new in [row(70)]
                  for c in change(rng, there, new["id"], new)],
        }  # fmt: skip


@pytest.fixture(scope="module")
def little(session: SparkSession) -> Iterator[Any]:
    """The services of the JVM, with so little memory; stores that open later use them."""
    jvm: Any = session.sparkContext._jvm
    services = jvm.io.groundswell.engine.EngineServices
    services.configureShared(1 << 20, 1, BYTES)
    yield services
    services.closeShared()


@pytest.fixture(scope="module")
def epochs(
    session: SparkSession, little: Any, tmp_path_factory: pytest.TempPathFactory
) -> list[tuple[Bags, Bags]]:
    folder: Path = tmp_path_factory.mktemp("little")
    tables = Tables(
        Table(session, folder, "t", SCHEMA),
        Upserts(session, folder, "u", SCHEMA, "id"),
        Changelog(session, folder, "c", SCHEMA, "id"),
    )
    found = follow(session, folder, tables, QUERIES, steps(random.Random(SEED)))
    assert little.shared().collected().total() == BYTES
    assert little.shared().collected().used() == 0, "what was held is given back"
    return found


@pytest.mark.parametrize("name", QUERIES)
def test_view_equals_batch_after_every_epoch(epochs: list[tuple[Bags, Bags]], name: str) -> None:
    for step, (views, batch) in enumerate(epochs):
        assert_same(views[name], batch[name], f"step {step}")
    assert any(batch[name] for _, batch in epochs), "a view that is always empty tests nothing"
