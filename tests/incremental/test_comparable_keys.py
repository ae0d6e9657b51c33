"""Strings whose collation takes different ones for equal, and maps, as keys, orders and extremes:
every view equals batch Spark's answer after every epoch.

Batch Spark shows any of the equal strings of a group; a view shows the first in the order of bytes,
which the batch queries here ask for.
"""

import random
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

import groundswell as gs
from incremental.checking import check_views
from incremental.harness import Row, Table, Tables, Upserts

pytestmark = pytest.mark.rest

WORDS = ["tea", "Tea", "TEA", "ink", "Ink", "été", "Été", "ete", "", " ", "tea ", None]
LOWER = """(select id, collate(word, 'UTF8_LCASE') w, collate(word, 'UNICODE') u,
    collate(word, 'UTF8_BINARY_RTRIM') r, v, m from {})"""
FIRST = "collate(min(collate({}, 'UTF8_BINARY')), '{}')"
T, A = LOWER.format("words"), LOWER.format("added")

QUERIES = {
    "groups": f"select w, count(*) n, sum(v) s from {T} group by w",
    "hidden_key": f"select count(*) n from {T} group by w having sum(v) > 3",
    "expression_of_key": f"select concat(w, '!') x, max(v) m from {T} group by w",
    "two_keys": f"select w, v % 2 odd, count(*) n from {T} group by w, v % 2",
    "struct_key": f"select k, count(*) n from (select struct(w, v % 2 odd) k from {T}) group by k",
    "distinct_rows": f"select distinct w from {T}",
    "trimmed": f"select r, count(*) n from {T} group by r",
    "appended": f"select w, count(*) n, min(w) lo, max(u) hi from {A} group by w",
    "rolled": f"select w, v % 2 odd, count(*) n from {T} group by rollup (w, v % 2)",
    "count_distinct": f"""select v % 3 k, count(distinct w) a, count(distinct w, v % 2) b,
        count(distinct w) filter (where v > 3) c from {T} group by v % 3""",
    "extremes": f"select v % 3 k, min(w) lo, max(w) hi, min(u) l, max(u) h from {T} group by v % 3",
    "top": f"select id, w from {T} order by w desc, v, id limit 5",
    "top_unicode": f"select id, u from {T} order by u, id limit 5",
    "ranks": f"""select id, rank() over (partition by v % 2 order by w) r,
        dense_rank() over (partition by v % 2 order by u) d,
        count(*) over (partition by w) n,
        lag(id) over (partition by w order by v, id) before from {T}""",
    "first_rows": f"""select id from (select *, row_number() over
        (partition by w order by v, id) place from {T}) where place <= 2""",
    "first_appended": f"""select id from (select *, row_number() over
        (partition by w order by u desc, id) place from {A}) where place = 1""",
    "joined": f"""select a.id, b.id other from {T} a left join {A} b on a.w = b.w and a.v = b.v""",
    "both": f"select w from {T} intersect select w from {A}",
    "neither": f"select w from {T} except select w from {A}",
    "map_groups": f"select m, count(*) n, sum(v) s from {T} group by m",
    "map_hidden": f"select sum(v) s from {T} group by m, w",
    "map_distinct": f"""select v % 3 k, count(distinct m) a, count(distinct m, w) b
        from {T} group by v % 3""",
    "map_top": f"select m, count(*) n from {T} group by m order by n desc, max(id) limit 2",
    "map_by_key": f"select sum(v) s from {T} group by m having count(*) > 1 order by s limit 3",
    "map_over_groups": f"""select n, count(*) c from
        (select m, count(*) n from {T} group by m) group by n""",
    "map_joined": f"""select a.id, g.n from {T} a join
        (select m, max(id) id, count(*) n from {T} group by m) g on a.id = g.id""",
}
W, R = FIRST.format("w", "UTF8_LCASE"), FIRST.format("r", "UTF8_BINARY_RTRIM")
ENDS = """min_by({0}, struct({0}, collate({0}, 'UTF8_BINARY'))) filter (where {0} is not null) {1},
    max_by({0}, struct({0}, collate({0}, 'UTF8_BINARY'))) filter (where {0} is not null) {2}"""
BATCH = QUERIES | {
    "groups": f"select {W} w, count(*) n, sum(v) s from {T} group by w",
    "expression_of_key": f"select concat({W}, '!') x, max(v) m from {T} group by w",
    "two_keys": f"select {W} w, v % 2 odd, count(*) n from {T} group by w, v % 2",
    "struct_key": f"select struct({W} w, v % 2 odd) k, count(*) n from {T} group by w, v % 2",
    "distinct_rows": f"select {W} w from {T} group by w",
    "trimmed": f"select {R} r, count(*) n from {T} group by r",
    "appended": f"select {W} w, count(*) n, {W} lo, max(u) hi from {A} group by w",
    "rolled": f"""select {W} w, v % 2 odd, count(*) n from {T} group by w, v % 2
        union all select {W} w, null, count(*) from {T} group by w
        union all select null, null, count(*) from {T} having count(*) > 0""",
    "extremes": f"""select v % 3 k, {ENDS.format("w", "lo", "hi")}, {ENDS.format("u", "l", "h")}
        from {T} group by v % 3""",
    "both": f"""select {W} w from {T} a where exists (select 1 from {A} b where b.w <=> a.w)
        group by w""",
    "neither": f"""select {W} w from {T} a where not exists (select 1 from {A} b where b.w <=> a.w)
        group by w""",
}


def rows(source: random.Random, step: int) -> dict[str, list[Row]]:
    """Words that come, change and go; maps with the same entries in either order."""

    def row(number: int) -> Row:
        items = [("a", source.choice([1, 2, None])), ("b", source.choice([1, 2]))]
        source.shuffle(items)
        m = source.choice([dict(items), dict(items[:1]), {}, None])
        return {"id": number, "word": source.choice(WORDS), "v": source.randrange(7), "m": m}

    words = [row(source.randrange(40)) | {"gone": source.random() < 0.3} for _ in range(20)]
    return {"words": words, "added": [row(100 * step + i) for i in range(6)]}


def test_views_of_collated_strings_and_maps(session: SparkSession, tmp_path: Path) -> None:
    seed = 7
    print("seed", seed)
    source = random.Random(seed)
    schema = "id bigint, word string, v bigint, m map<string, bigint>"
    tables = Tables(
        Upserts(session, tmp_path, "words", schema, key="id"),
        Table(session, tmp_path, "added", schema),
    )
    steps = [rows(source, step) for step in range(4)]
    sizes = check_views(session, tmp_path, tables, QUERIES, steps, BATCH)
    empty = [name for name in QUERIES if not any(each[name] for each in sizes)]
    assert not empty


@pytest.mark.parametrize("value", ["bigint", "double", "boolean", "string", "date"])
def test_a_null_in_a_map_that_is_grouped_by_stays_null(
    session: SparkSession, tmp_path: Path, value: str
) -> None:
    """Spark's generated code makes 0 of it (findings/spark-group-by-map-fills-nulls.sh)."""
    p = gs.pipeline(session, str(tmp_path / "p"))
    words = p.table("words", f"id bigint, m map<string, {value}>", key="id")
    p.view("groups", words.df.groupBy("m").count())
    p.view("distinct", words.df.selectExpr("count(DISTINCT m) AS n"))
    run = p.start()
    some = {
        "bigint": "1",
        "double": "1.5",
        "boolean": "true",
        "string": "'x'",
        "date": "'2024-02-29'",
    }
    rows = [
        f"(1, map('b', CAST({some[value]} AS {value}), 'a', null))",
        f"(2, map('a', null, 'b', CAST({some[value]} AS {value})))",
        f"(3, map('a', CAST(null AS {value})))",
        f"(4, map('a', CAST({'0' if value in ('bigint', 'double') else some[value]} AS {value})))",
    ]
    words.insert(session.sql(f"SELECT * FROM VALUES {', '.join(rows)} AS t(id, m)"))
    run.processAllAvailable()
    shown = "map_entries(m)", "count"
    made = run.view("groups").selectExpr(*shown)
    assert sorted(
        ([(entry[0], entry[1] is None) for entry in sorted(map(tuple, entries))], n)
        for entries, n in made.collect()
    ) == [([("a", False)], 1), ([("a", True)], 1), ([("a", True), ("b", False)], 2)]
    assert [tuple(row) for row in run.view("distinct").collect()] == [(3,)]
    words.delete(session.createDataFrame([(1,), (3,)], "id bigint"))
    run.processAllAvailable()
    assert run.view("groups").count() == 2
    assert [tuple(row) for row in run.view("distinct").collect()] == [(2,)]
    run.stop()


def test_maps_inside_of_keys_are_refused_by_name(session: SparkSession, tmp_path: Path) -> None:
    Table(
        session, tmp_path, "words", "id bigint, m map<string, bigint>"
    ).source().createOrReplaceTempView("words")
    for key in ["struct(m)", "array(m)", "map(1, m)"]:
        refused = gs.why(session.sql(f"select count(*) from words group by {key}"))
        assert "map cannot be keys here" in str(refused), key


def test_intervals_whose_nulls_differ_in_bytes_are_refused_where_values_are_told_apart(
    session: SparkSession, tmp_path: Path
) -> None:
    Table(session, tmp_path, "words", "id bigint, n int").source().createOrReplaceTempView("words")
    span = "make_interval(0, n)"
    for query in [
        f"select {span}, count(*) c from words group by 1",
        f"select distinct struct({span}) s from words",
        f"select count(distinct {span}) c from words",
        f"select collect_list({span}) l from words",
    ]:
        assert "type interval cannot be told apart" in str(gs.why(session.sql(query))), query
    kept = f"select id, {span} i, count({span}) over (partition by n) c from words"
    assert gs.why(session.sql(kept)) == []


@pytest.mark.parametrize(
    "value",
    [
        "collate(word, 'UTF8_LCASE')",
        "collate(word, 'UTF8_BINARY_RTRIM')",
        "struct(collate(word, 'UTF8_LCASE') w)",
        "array(struct(id, array(collate(word, 'UTF8_LCASE')) w))",
    ],
)
def test_lists_of_distinct_strings_that_are_equal_and_differ_are_refused(
    session: SparkSession, tmp_path: Path, value: str
) -> None:
    words = Table(session, tmp_path, "words", "id bigint, word string")
    words.source().createOrReplaceTempView("words")
    refused = gs.why(session.sql(f"select collect_list(distinct {value}) l from words"))
    assert "equal strings differ in bytes" in str(refused)
    counted = session.sql(f"select count(distinct {value}) c, collect_list({value}) l from words")
    assert gs.why(counted) == []


def test_what_cannot_be_a_key_is_refused_by_name(session: SparkSession, tmp_path: Path) -> None:
    table = Table(session, tmp_path, "words", "id bigint, word string, m map<string, bigint>")
    named = table.stream().selectExpr("collate(word, 'UTF8_LCASE') w", "m")
    with pytest.raises(gs.SourceError, match="UTF8_LCASE"):
        gs.upserts(named, key="w", name="words")
    with pytest.raises(gs.SourceError, match="map"):
        gs.upserts(named, key="m", name="words")
