"""Five tables, joins of them, and indexes for these."""

from pyspark.sql import SparkSession

import groundswell as gs

SCHEMA = "id bigint, k bigint, g bigint, v double"


QUERIES = {
    "two": "select a.id, b.id bid, a.v, b.v w from a join b on a.k = b.k and a.v <= b.v",
    "chain": "select a.id, b.id bid, c.id cid, a.v + c.v s from a join b on a.k = b.k "
    "join c on b.g = c.g where a.v > 0",
    "star": "select a.id, b.id bid, e.id eid, e.v from a join b on a.k = b.k join e on a.k = e.k "
    "where b.g < 3 or e.g = 1",
    "cycle": "select a.id, b.id bid, c.id cid from a join b on a.k = b.k join c on b.g = c.g "
    "and a.id = c.id",
    "five": "select a.id, b.id bid, c.id cid, d.id did, e.id eid, d.v from a join b on a.k = b.k "
    "join c on b.g = c.g join d on c.id = d.id join e on d.k = e.k",
    "grouped": "select a.g, count(*) n, sum(b.v) s, min(c.v) m from a join b on a.k = b.k "
    "join c on b.g = c.g group by a.g",
    "unique": "select a.id, d.v, d.g from a join d on a.k = d.id",
}


INDEXES = [
    ("a", "k"), ("b", "k"), ("b", "g"), ("c", "g"), ("c", "id"), ("d", "id"), ("d", "k"),
    ("e", "k"), ("a", "id"),
]  # fmt: skip


def indexed(p: gs.Pipeline, session: SparkSession, *indexes: tuple[str, str]) -> gs.Pipeline:
    for table, column in indexes:
        p.index(session.table(table), column, name=f"{table}_{column}")
    return p
