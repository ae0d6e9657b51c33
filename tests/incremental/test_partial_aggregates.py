"""Aggregates of append-only rows, which are folded before they are exchanged.

| epoch | readings                                                |
|-------|---------------------------------------------------------|
| 0     | two keys, nulls, the largest and smallest longs         |
| 1     | a key without values, one more row of each sort         |
| 2     | the largest longs again, under a key of their own       |
"""

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from incremental.checking import Step, check_views
from incremental.harness import Row, Table, Tables

pytestmark = pytest.mark.rest

READINGS = "k string, l bigint, i int, s smallint, b tinyint, x double, day date, at timestamp"
MOST, LEAST = 2**63 - 1, -(2**63)

QUERIES = {
    "whole": """select k, count(*) n, count(l) c, sum(l) a, avg(l) v, min(l) lo, max(l) hi,
        sum(i) si, avg(i) vi, sum(s) ss, avg(s) vs, sum(b) sb, max(b) hb
        from readings group by k""",
    "filtered": """select k, count(*) filter (where i > 0) n, sum(l) filter (where i > 0) a,
        avg(l) filter (where i < 0) v, max(i) filter (where s is null) m,
        count(l) filter (where l < 0) c from readings group by k""",
    "global": "select count(*) n, sum(i) a, avg(l) v, max(at) m from readings where i > -100",
    "nothing": "select count(*) n, sum(i) a, max(day) m from readings where i > 100",
    "moments": "select k, i % 2 odd, min(day) d, max(at) t from readings group by k, i % 2",
    "floating_key": "select x, count(*) n, sum(i) a from readings group by x",
    "rollup": "select k, i % 2 odd, count(*) n, sum(i) a from readings where s is null "
    "group by rollup(k, i % 2)",
    "distinct": "select distinct k, s from readings",
    "chain": "select n, count(*) m from (select k, count(*) n from readings group by k) group by n",
    "mixed": "select k, sum(i) a, sum(x) x, count(distinct i) d from readings group by k",
}


def reading(k: str | None, v: int | None, **other: object) -> Row:
    small = None if v is None else v % 100
    return {
        "k": k,
        "l": v,
        "i": small,
        "s": small if small and small % 2 else None,
        "b": small,
        "x": None if v is None else -0.0 if v == 0 else float(v % 3),
        "day": None if v is None else f"2024-01-{1 + v % 28:02d}",
        "at": None if v is None else f"2024-01-01T00:00:{v % 60:02d}Z",
        **other,
    }


STEPS: list[Step] = [
    {
        "readings": [reading("a", v) for v in (3, 0, -7, None, 2**53 + 1)]
        + [reading("b", MOST), reading("b", LEAST, i=-5)]
    },
    {"readings": [reading("c", None), reading("a", 41, i=-1), reading("b", 0), reading(None, 5)]},
    {"readings": [reading("d", MOST), reading("a", -(2**40)), reading("c", 8)]},
]


def test_folded_rows_count_as_each_of_them(session: SparkSession, tmp_path: Path) -> None:
    tables = Tables(Table(session, tmp_path, "readings", READINGS))
    check_views(session, tmp_path, tables, QUERIES, STEPS)
