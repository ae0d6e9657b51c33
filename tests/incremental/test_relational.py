"""Joins, subqueries, set operations, generators and constants, all under one barrier: after each
epoch every view equals its query run by batch Spark on the same input."""

import random
from collections import Counter
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

import groundswell as gs
from cases import first_of
from incremental.checking import Step, check_views, follow
from incremental.harness import Bags, Changelog, Table, Tables, Upserts, assert_same
from incremental.random_plans import SCHEMA, Changes

QUERIES = {
    "left": "select a.id, b.v from t a left join u b on a.k=b.k",
    "right": "select a.id, b.v from t a right join u b on a.k<=>b.k",
    "full_res": "select a.id, b.id bid, b.v from u a full join c b on a.k=b.k and a.v<b.v",
    "semicorr": "select * from u a where exists (select 1 from c b where b.k=a.k and b.v<a.v)",
    "notin": "select * from u where k not in (select k from c where v is not null)",
    "anti_res": """
        select * from u a where not exists (select 1 from c b where b.k=a.k and
        b.v<=a.v)""",
    "theta_left": "select a.id, b.id bid from u a left join c b on a.v < b.v",
    "single": "select id, k, (select v from c where c.id = u.k) m from u",
    "variant": """
        select id, e.pos, e.key, cast(e.value as bigint) value from u,
        lateral variant_explode(parse_json(concat('{\"a\":', k, ',\"b\":', g, '}'))) e""",
    "scalar_plain": "select id, (select v from c where id = 1) m from u",
    "lateral_one": """
        select r.k, x.n, x.most from (select k from c order by v, k, g, id limit 1) r
        left join lateral (select count(*) n, max(v) most from u where u.k = r.k) x on true""",
    "nestedscalar": """
        select k, sum(v) s from u group by k having sum(v) > (select sum(v)*0.1 from c
        where v > (select min(v) from u))""",
    "intersectall": "select k,g from u intersect all select k,g from c",
    "exceptall": "select k,g from t except all select k,g from c",
    "explodeouter": """
        select id, x, v from u lateral view outer explode(if(k>1, array(k,g), null)) as
        x""",
    "stackmix": "select id, stack(2, 'k', k, 'g') as (n,w) from t",
    "staticr": "select a.id, st.name from u a right join st on a.k=st.id",
    "values": "select a.id, x.n from u a join (values (1,'a'),(2,'b')) x(i,n) on a.k=x.i",
}
"""One of each kind."""
MORE = {
    "left_res": "select a.id, b.v, b.id bid from u a left join c b on a.k=b.k and a.v<b.v",
    "full_keynull": """
        select a.k, b.k bk, a.n, b.n bn from (select k, count(*) n from u group by k) a
        full join (select k, count(*) n from c group by k) b on a.k=b.k and a.n=b.n""",
    "hidden_key_filled": """
        select b.id, a.n, c.m from (select count(*) n, max(k) k from u
        group by concat('x', coalesce(cast(g as string), ''))) a right join c b on a.k = b.k
        left join (select sum(v) m, max(k) k from u group by struct(coalesce(g, 0))) c
        on c.k = b.g""",
    "exists_or": "select * from u a where v > 3 or exists (select 1 from c b where b.k=a.k)",
    "exists_select": """
        select id, exists (select 1 from c b where b.k=a.k and b.v > a.v) f from u a""",
    "notin_expr": "select id, k not in (select k from c where k>0) f from u",
    "structjoin": """
        select a.id, b.id bid from u a left join c b on struct(a.v,a.k)=struct(b.v,b.k)""",
    "collate": """
        select a.id, b.id bid from (select id, collate(if(k>1,'A','a'),'UTF8_LCASE') s
        from u) a left join (select id, collate(if(k>1,'a','b'),'UTF8_LCASE') s from c)
        b on a.s=b.s""",
    "single_null_safe": "select id, (select max(v) from c where c.g <=> u.g group by c.g) m from u",
    "single_in_filter": "select id from u where v <= (select v + g from c where c.id = u.k)",
    "scalar_having": "select id, (select sum(v) from c having count(*) > 2) m from u",
    "agg_scalar": """
        select k, sum(v) - (select coalesce(max(v),0) from c) s, sum(v * (select
        count(*) from c)) q from u group by k""",
    "inline_outer": """
        select id, a, b from u lateral view outer inline(if(k>1, array(struct(k as a, v
        as b), null), null)) as a, b""",
    "stackdropskey": """select w, v from (select k, g, count(*) v from c group by grouping sets
        ((k), (g), ())) lateral view stack(2, k, g, g) as n, w""",
    "twolateral": """
        select id, x, y from u lateral view explode(array(k,g)) as x lateral view
        explode(array(x, v)) as y""",
    "static_agg": """
        select a.id, s.n from u a left join (select id, count(*) n from st group by id)
        s on a.k=s.id""",
    "static_notin": "select id from u where k not in (select id from st where id is not null)",
}
"""Further ones of these kinds, and their borders."""
SEED = 7  # its changes fill every view, and take matches away again
STEPS = 4


@pytest.fixture(scope="module")
def epochs(
    session: SparkSession, tmp_path_factory: pytest.TempPathFactory
) -> list[tuple[Bags, Bags]]:
    """What the views held after each step, and what batch Spark says."""
    return followed(session, tmp_path_factory.mktemp("relational"), QUERIES)


@pytest.fixture(scope="module")
def more_epochs(
    session: SparkSession, tmp_path_factory: pytest.TempPathFactory
) -> list[tuple[Bags, Bags]]:
    """The same of ``MORE``."""
    return followed(session, tmp_path_factory.mktemp("more"), MORE)


def followed(
    session: SparkSession, folder: Path, queries: dict[str, str]
) -> list[tuple[Bags, Bags]]:
    names = [(0, "zero"), (1, "one"), (1, "uno"), (7, "seven"), (None, "nil")]
    session.createDataFrame(names, "id bigint, name string").createOrReplaceTempView("st")
    tables = Tables(
        Table(session, folder, "t", SCHEMA),
        Upserts(session, folder, "u", SCHEMA, "id"),
        Changelog(session, folder, "c", SCHEMA, "id"),
    )
    return follow(session, folder, tables, queries, Changes(random.Random(SEED)).steps(STEPS))


def assert_epochs_are_batch(epochs: list[tuple[Bags, Bags]], name: str) -> None:
    for step, (views, batch) in enumerate(epochs):
        assert_same(views[name], batch[name], f"step {step}")
    assert any(batch[name] for _, batch in epochs), "a view that is always empty tests nothing"


@pytest.mark.parametrize("name", QUERIES)
def test_view_equals_batch_after_every_epoch(epochs: list[tuple[Bags, Bags]], name: str) -> None:
    assert_epochs_are_batch(epochs, name)


@pytest.mark.rest
@pytest.mark.parametrize("name", MORE)
def test_another_view_equals_batch_after_every_epoch(
    more_epochs: list[tuple[Bags, Bags]], name: str
) -> None:
    assert_epochs_are_batch(more_epochs, name)


@pytest.mark.parametrize(
    "value",
    first_of(
        [
            "(select v from u s where s.k = r.k)",
            "(select v from u s where s.k > 0)",
            "(select 0.5D from u s where s.k > 0 limit 2)",
        ]
    ),
)
def test_a_value_of_several_rows_ends_the_query_where_it_is_met(
    session: SparkSession, tmp_path: Path, value: str
) -> None:
    p = gs.pipeline(session, str(tmp_path / "c"))
    u = p.table("u", "id bigint, k bigint, v double", key="id")
    u.df.createOrReplaceTempView("u")
    p.view("values", session.sql(f"select id, {value} x from u r where id < 10"))
    run = p.start()
    u.insert(session.createDataFrame([(1, 1, 0.5)], "id bigint, k bigint, v double"))
    run.processAllAvailable()
    assert [tuple(row) for row in run.view("values").collect()] == [(1, 0.5)]
    u.insert(session.createDataFrame([(11, 1, 0.7)], "id bigint, k bigint, v double"))
    with pytest.raises(Exception, match="used as a value gave several rows"):
        run.processAllAvailable()
    run.stop()


@pytest.mark.rest
def test_a_limit_keeps_its_order_below_a_scalar_subquery(
    session: SparkSession, tmp_path: Path
) -> None:
    rules = session.conf.get("spark.sql.optimizer.excludedRules", "")
    session.conf.unset("spark.sql.optimizer.excludedRules")
    try:
        u = Upserts(session, tmp_path, "u", SCHEMA, "id")
        tables = Tables(u)
        query = """select r.k, (select max(v) from u s where s.k = r.k) m
            from (select k, v from u order by v desc limit 2) r"""
        rows = [{"id": i, "k": i, "g": 0, "v": i + 0.5} for i in (3, 9, 1, 7, 5)]
        ((views, _),) = follow(session, tmp_path, tables, {"top": query}, [{"u": rows}])
    finally:
        session.conf.set("spark.sql.optimizer.excludedRules", str(rules))
    assert views["top"] == Counter({(9, 9.5): 1, (7, 7.5): 1})


@pytest.mark.rest
def test_an_offset_over_few_rows_needs_no_limit(session: SparkSession, tmp_path: Path) -> None:
    """Spark's optimizer drops a LIMIT over rows that another one, or a sum, has made few."""
    tables = Tables(Upserts(session, tmp_path, "u", SCHEMA, "id"))
    few = "(select id, v from u order by v desc, id limit 3)"
    queries = {
        "inner": f"select id, v + 1 v from {few} where v > 0 order by id limit 5 offset 1",
        "ranked": f"""select id, row_number() over (order by id) n from {few}
            order by n desc limit 9 offset 1""",
        "none": f"select id from {few} offset 2",
    }
    rows = [{"id": i, "k": i, "g": 0, "v": i + 0.5} for i in (3, 9, 1, 7, 5)]
    steps: list[Step] = [{"u": rows}, {"u": [{"id": 9, "gone": True}, {"id": 2, "v": 8.5}]}]
    sizes = check_views(session, tmp_path, tables, queries, steps)
    assert sizes == [{"inner": 2, "ranked": 2, "none": 1}] * 2


@pytest.mark.rest
def test_a_limit_in_a_correlated_subquery_keeps_an_order_that_it_does_not_show(
    session: SparkSession, tmp_path: Path
) -> None:
    tables = Tables(Upserts(session, tmp_path, "u", SCHEMA, "id"))
    one = "select s.g from u s where s.k = r.k order by s.v desc nulls last, s.id limit 1"
    query = f"select id, ({one}) a, ({one} offset 1) b from u r where id < 3"
    rows = [(1, 7, 10, None), (2, 8, 20, 0.5), (4, 7, 40, 0.5), (5, 7, 50, 1.5), (6, 8, 60, 0.5)]
    steps = [
        {"u": [dict(zip(("id", "k", "g", "v"), row, strict=True)) for row in rows]},
        {"u": [{"id": 5, "gone": True}, {"id": 3, "k": 8, "g": 30, "v": 9.0}]},
    ]
    (first, _), (second, _) = follow(session, tmp_path, tables, {"top": query}, steps)
    assert first["top"] == Counter({(1, 50, 40): 1, (2, 20, 60): 1})
    assert second["top"] == Counter({(1, 40, 10): 1, (2, 30, 20): 1})


def test_rows_without_duplicates_are_rows_of_the_table(
    session: SparkSession, tmp_path: Path
) -> None:
    """Not the first value of one row beside that of another."""
    table = Upserts(
        session, tmp_path, "t", "id bigint, k string, a bigint, m map<string, int>", "id"
    )
    rows = table.source()
    pipeline = gs.pipeline(session, str(tmp_path / "c"))
    pipeline.view("all", rows)
    pipeline.view("some", rows.dropDuplicates(["k"]))
    pipeline.view("flat", rows.drop("m").dropDuplicates(["k"]))
    table.put(
        [
            {"id": 1, "k": "x", "a": 9, "m": {"p": 1}},
            {"id": 2, "k": "x", "a": 1},
            {"id": 3, "k": "y"},
            {"id": 4, "a": 0},
        ]
    )
    run = pipeline.start()
    for step in ([], [{"id": 1, "gone": True}, {"id": 5, "k": "y", "a": -1}]):
        table.put(step)
        run.processAllAvailable()
        there = run.view("all").collect()
        for name in ("some", "flat"):
            found = run.view(name).collect()
            assert sorted(str(row.k) for row in found) == ["None", "x", "y"]
            seen = [{**row.asDict(), "m": None} for row in there]
            assert all({**row.asDict(), "m": None} in seen for row in found), name
    run.stop()
