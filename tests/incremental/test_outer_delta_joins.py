"""Outer, semi, anti and existence joins over shared indexes: what batch Spark gives."""

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

import groundswell as gs
from incremental.checking import assert_epochs_equal_batch
from incremental.harness import Tables, five_tables
from incremental.test_indexes import SCHEMA, Random, feed, indexed

pytestmark = pytest.mark.rest

QUERIES = {
    "left": "select a.id, a.v, b.id bid, b.v w from a left join b on a.k = b.k",
    "left_where": "select a.id, b.id bid, b.v w from a left join b on a.k = b.k and a.v <= b.v "
    "and b.g > 0",
    "right": "select b.id, b.g, d.id did, d.v from d right join b on d.k = b.k and d.g <= b.g",
    "unique": "select a.id, d.v, coalesce(d.g, -1) g from a left join d on a.k = d.id",
    "full": "select a.id, b.id bid, a.v, b.v w from a full join b on a.k = b.k",
    "full_where": "select a.id, d.id did, a.v + d.v s from a full join d on a.k = d.k "
    "and a.g <= d.g",
    "full_unique": "select a.id, d.id did, coalesce(a.k, d.id) k, d.v from a full join d "
    "on a.k = d.id",
    "semi": "select a.* from a left semi join b on a.k = b.k",
    "semi_where": "select a.* from a where exists (select 1 from c where c.g = a.g "
    "and c.v > a.v and c.k < 2)",
    "anti": "select a.id, a.v from a left anti join d on a.k = d.k",
    "anti_where": "select b.id, b.g from b where not exists (select 1 from e where e.k = b.k "
    "and e.v >= b.v)",
    "exists_or": "select a.id from a where a.v > 1 or exists (select 1 from b where b.k = a.k "
    "and b.g >= a.g)",
    "rows": "select e.k, e.g, e.v, d.v w from e left join d on e.k = d.id",
    "beside_rows": "select a.id, e.v, e.g from a left join e on a.k = e.k and e.g <> a.g",
    "chain": "select a.id, b.id bid, c.id cid, c.v from a left join b on a.k = b.k "
    "left join c on b.g = c.g and c.v < 2",
    "star": "select a.id, d.v, b.id bid from a left join d on a.k = d.id left join b on a.k = b.k "
    "where d.v is null or b.g > 0",
    "inner_left": "select a.id, b.id bid, c.id cid, c.v from a join b on a.k = b.k "
    "left join c on b.g = c.g and a.id <= c.id",
    "left_inner": "select a.id, b.id bid, c.id cid, b.v + c.v s from a left join b on a.k = b.k "
    "join c on a.g = c.g where b.v is null or b.v < 2",
    "nested": "select x.id, x.bid, c.id cid, c.k ck from (select a.id, a.g ag, b.id bid, b.g bg "
    "from a left join b on a.k = b.k and b.v > 0) x left join c on x.bg = c.g and x.ag <= c.k",
    "right_of_inner": "select c.id, x.id aid, x.w from c join (select b.id, b.g, d.v w from b "
    "left join d on b.k = d.k) x on c.g = x.g",
    "full_more": "select a.id, b.id bid, c.id cid from a full join b on a.k = b.k "
    "left join c on a.g = c.g",
    "five": "select a.id, b.id bid, c.id cid, d.v from a join b on a.k = b.k "
    "left join c on b.g = c.g left join d on c.id = d.id "
    "where not exists (select 1 from e where e.k = a.k and e.v > b.v)",
    "five_chain": "select a.id, b.id bid, c.id cid, d.id did, e.v from a left join b on a.k = b.k "
    "left join c on b.g = c.g left join d on c.id = d.id left join e on d.k = e.k",
    "five_kinds": "select b.id, a.id aid, d.v from b join a on a.k = b.k "
    "left join d on b.k = d.id left semi join c on b.g = c.g left anti join e on a.g = e.g",
    "grouped": "select a.g, count(b.id) n, sum(b.v) s, count(*) m from a left join b on a.k = b.k "
    "group by a.g",
}
INDEXES = [
    ("a", "k"), ("b", "k"), ("b", "g"), ("c", "g"), ("c", "id"), ("d", "id"), ("d", "k"),
    ("e", "k"), ("a", "g"), ("e", "g"),
]  # fmt: skip


@pytest.fixture
def tables(session: SparkSession, tmp_path: Path) -> Tables:
    return five_tables(session, tmp_path, SCHEMA)


@pytest.mark.parametrize(
    ("seed", "joins"),
    [
        (1, "delta"),
        *(pytest.param(s, "delta", marks=pytest.mark.soak) for s in range(2, 6)),
        pytest.param(1, "hash", marks=pytest.mark.soak),
    ],
)
def test_all_kinds_of_joins_give_what_batch_spark_gives(
    session: SparkSession, tables: Tables, tmp_path: Path, seed: int, joins: str
) -> None:
    changes = Random(seed)
    tables.as_sources()
    location = str(tmp_path / "checkpoint")
    p = gs.pipeline(session, location, joins=joins)
    for name, text in QUERIES.items():
        p.view(name, session.sql(text))
    planned = indexed(p, session, *INDEXES).program.planned()
    ops = [op.KIND for op in planned.dataflow().operators]
    assert ("join" in ops, "lookup" in ops) == (joins == "hash", joins == "delta")
    if joins == "delta":
        assert [name for name in QUERIES if not planned.deltas(name)] == []
    query = p.start()
    epochs = [feed(tables, changes.step(), query) for _ in range(5)]
    query.stop()
    told = f"{joins}, seed {seed}"
    assert_epochs_equal_batch(session, location, tables, QUERIES, epochs, told)
