"""A query has one definition, whatever its tables and streams are called in its text."""

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

import groundswell as gs
from groundswell.plan.definition import definition

SCHEMA = (
    "k int, v int, s struct<a:int,b:string>, ts timestamp, m map<string,int>, arr array<int>,"
    "str string"
)
QUERIES = """
select k, v + 1 as w, w * 2 as u from {t}
select k, sum(v) as s1, s1 + 1 as s2 from {t} group by k
select k from {t} group by k having sum(v) > 3
select k, count(*) filter (where v > 1) c, count(distinct v) d from {t} group by k
select k, sum(sum(v)) over (partition by k) z from {t} group by k
select k, v, rank() over (partition by k order by v + 1) r from {t} qualify r < 3
select k, grouping(k) g, sum(v) from {t} group by grouping sets ((k), (v), ())
select grouping_id() g, sum(v + 1) from {t} group by cube(k + 1, v)
select k, stack(2, k, v) from {t}
select k, e.a from {t} lateral view outer inline(array(s)) e
select * from (select k, s from {t}) pivot (max(s.a) for k in (1, 2))
select * from {t} unpivot (val for name in (k, v))
select window, count(*) c from {t} group by window(ts, '1 minute')
select session_window, count(*) c from {t} group by session_window(ts, '1 minute'), k
select k, percentile_cont(0.5) within group (order by v) p from {t} group by k
select k, listagg(str, ',') within group (order by v) p from {t} group by k
select to_json(struct(*)) j from {t}
select k from {t} intersect select v from {t}
select k from {t} except all select v from {t}
select k from (select k, v from {t}) full outer join (select k, str from {t}) using (k)
select distinct s.a + 1 as z, upper(s.b) from {t}
select k, aggregate(arr, 0, (acc, x) -> acc + x + v) z from {t}
select first(v) over w as f, k from {t} window w as (partition by k order by ts, v)
select k, max_by(str, v) mx, collect_set(v) cs, mode(v) mm from {t} group by k
select count(*) from {t} group by case when v > 1 then 'a' else str end
select max(x) from (select k x, sum(v) from {t} group by k having max(v) > 1 and min(str) < 'x')
select * from {t} order by v + k limit 3
select k, v from {t} where ts > current_timestamp() - interval 1 hour
select k, l.z from {t}, lateral (select k + v as z) l
select k, variant_get(parse_json(str), '$.a', 'int') va from {t}
from {t} |> where v > 1 |> aggregate sum(v) as s group by k |> extend s + 1 as t2
""".strip().splitlines()


@pytest.fixture(scope="module")
def named(session: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("rows")
    (folder / "a.json").write_text('{"k": 1, "v": 2}\n{"k": 1, "v": 3}\n')
    rows = session.readStream.schema(SCHEMA).json(str(folder)).withWatermark("ts", "1 minute")
    for name in ("x_a", "zz9"):
        rows.createOrReplaceTempView(name)
    return folder


def _definition(session: SparkSession, text: str) -> list[str]:
    (view,) = session.sql(text).incremental()._planned.streams.values()
    return definition(view)


def test_names_of_tables_are_no_part_of_a_definition(session: SparkSession, named: Path) -> None:
    for query in QUERIES:
        plain, other, alias = (
            _definition(session, query.format(t=t)) for t in ("x_a", "zz9", "x_a as q")
        )
        assert plain == other == alias, query


def test_a_frame_and_sql_text_are_one_definition(
    session: SparkSession, named: Path, tmp_path: Path
) -> None:
    """The first start goes by columns of a frame, the next by names of a temporary view."""
    frame = session.table("x_a")
    for query in (
        frame.groupBy(frame.k).sum("v"),
        session.sql("select k, sum(x_a.v) from x_a group by x_a.k"),
        session.sql("select q.k, sum(q.v) from (select * from zz9) as q group by q.k"),
    ):
        writer = query.incremental().writeStream.trigger(availableNow=True)
        writer.option("checkpointLocation", str(tmp_path)).toView("v").awaitTermination()
    assert gs.read_view(session, str(tmp_path), "v").collect() == [(1, 5)]
