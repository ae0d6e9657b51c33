"""Records captured plans for tests that need no JVM: `python tests/unit/plan/record.py`.

Run it when the captured format or a query changes, and read the diff of explained.txt.
"""

import json
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
sys.path[:0] = [str(ROOT / "python"), str(HERE)]

QUERIES = {
    "aggregate": """select story, count(*) n, sum(w) s, avg(w) a, min(w) lo, max(w) hi,
                    count(distinct user) u from votes where w > 0 group by story""",
    "filtered_calls": "select story, sum(w * 2) filter (where w > 1) q from votes group by story",
    "several_distinct": "select count(distinct user) u, count(distinct story) s from votes",
    "failing_filter": "select id + 1 x from votes where story * 2 > 3",
    "failing_calls": "select sum(id * 2) filter (where story * 2 > 1) q from votes",
    "group_by_expression": "select story % 10 b, sum(w + 1) s from votes group by story % 10",
    "having": "select story, count(*) n from votes group by story having count(*) > 1",
    "global": "select count(*) n, max(w) m from votes",
    "distinct": "select distinct story, user from votes",
    "aggregate_of_aggregate": """select n, count(*) k from
                    (select story, count(*) n from votes group by story) group by n""",
    "filter_project": "select id + 1 x, upper(user) u from votes where story > 3",
    "drops_key": "select title from stories where id > 3",
    "join_by_key": """select v.id, s.title from votes v join stories s on v.story = s.id""",
    "join_keys_both": """select s.id, s.title, v.n from stories s join
                    (select story, count(*) n from votes group by story) v on v.story = s.id""",
    "join_many": "select a.title t, b.title u from stories a join stories b on a.owner = b.owner",
    "join_expression": "select v.id from votes v join stories s on v.story + 1 = s.id * 2",
    "self_join": """select a.id x, b.id y from votes a join votes b
                    on a.story = b.story and a.id < b.id""",
    "union": "select id, story from votes union all select id, 1L from stories",
    "union_of_keyed": "select id, title from stories union all select owner, title from stories",
    "union_then_group": """select k, count(*) n from (select story k from votes
                    union all select id k from stories) group by k""",
    "top_n": """select s.id, s.title, v.n from stories s join (select story,
                    count(distinct user) n from votes group by story) v on v.story = s.id
                    order by n desc limit 10""",
    "top_n_offset": "select id from votes order by w * -1 limit 5 offset 3",
    "sort_ignored": "select id, w from votes order by w",
    "signed_totals": "select account, sum(amount) s from ledger group by account",
    "left_join": "select * from votes v left join stories s on v.story = s.id",
    "left_join_residual": """select v.id, s.title from votes v left join stories s
                    on v.user = s.owner and v.story < s.id""",
    "right_join": "select v.id, s.title from votes v right join stories s on v.story = s.id",
    "full_join": "select v.id, s.title from votes v full join stories s on v.user = s.owner",
    "cross_join": "select v.id, x.m from votes v cross join (select max(id) m from stories) x",
    "theta_join": "select v.id, s.id sid from votes v join stories s on v.story < s.id",
    "semi_join": "select * from votes where story in (select id from stories)",
    "semi_join_append_only": """select id from votes v where exists
                    (select 1 from votes w where w.story = v.id)""",
    "anti_join": """select * from votes v where not exists
                    (select 1 from stories s where s.id = v.story)""",
    "existence_join": """select * from stories s where id > 3 or exists
                    (select 1 from votes v where v.story = s.id and v.id > s.id)""",
    "null_safe_join": "select v.id from votes v left join stories s on v.user <=> s.owner",
    "scalar_subquery": "select id from stories where id > (select avg(story) from votes)",
    "exists_without_correlation": """select id from stories where exists
                    (select 1 from votes where w > 1)""",
    "not_in": "select id from stories where id not in (select story from votes)",
    "intersect_all": "select id from stories intersect all select story from votes",
    "explode": "select id, explode(tags) t from votes",
    "stack": "select id, stack(2, story, id) s from votes",
    "constants": """select v.id, x.name from votes v left join
                    (values (1L, 'one'), (2L, 'two')) x(id, name) on v.story = x.id""",
    "batch_table": "select r.id from votes v right join range(5) r on v.story = r.id",
    "constant_alone": "select id from range(5)",
    "window": """select id, lag(w) over (partition by story order by id) l,
                    sum(w) over (partition by story order by id) s from votes""",
    "top_of_group": """select story, id from (select *, row_number() over
                    (partition by story order by w desc) r from votes) where r <= 3""",
    "any_rows": "select id from votes limit 3",
    "cube": "select story, user, count(*) n from votes group by cube(story, user)",
    "sliding": "select id, window(cast(id as timestamp), '2 seconds', '1 second') w from stories",
    "moments_and_lists": """select story, stddev(w) d, collect_list(user) l,
                    percentile(w, 0.5) p from votes group by story""",
    "count_of_two": "select count(distinct user, story) n from votes",
    "refuse_offset": "select id from votes order by id offset 3",
    "session": """select session_window(cast(id as timestamp), '2 seconds') w, count(*) n
                    from votes group by 1""",
    "refuse_sample": "select id from votes tablesample (10 percent)",
    "refuse_rand": "select id, rand() r from votes",
    "refuse_clock": "select id, current_timestamp() t from votes",
    "refuse_keyless_rows": "select account, amount from ledger",
    "refuse_map_in_key": "select count(*) n from votes group by struct(map(id, w))",
    "collation": """select user collate unicode_ci u, count(*) n from votes
                    group by user collate unicode_ci""",
}


def main() -> None:
    from pyspark.sql import SparkSession
    from pyspark.sql.functions import PandasUDFType, pandas_udf, udf

    import groundswell as gs
    from groundswell.contract.codec import encode
    from groundswell.jvm import Capture

    spark = gs.configure(SparkSession.builder.master("local[1]").appName("record")).getOrCreate()

    with tempfile.TemporaryDirectory() as folder:

        def rows(name: str, schema: str):
            (Path(folder) / name).mkdir()
            return spark.readStream.schema(schema).json(f"{folder}/{name}")

        votes = "id bigint, story bigint, user string, w double, tags array<string>"
        tables = {
            "votes": gs.appends(rows("votes", votes), name="votes"),
            "stories": gs.upserts(
                rows("stories", "id bigint, title string, owner string, gone boolean"),
                key="id",
                delete="gone",
                name="stories",
            ),
            "ledger": gs.changelog(
                rows("ledger", "account string, amount decimal(10,2), _change_type string"),
                name="ledger",
            ),
            "fixed": spark.range(5).toDF("k"),
        }
        ids = {}
        for name, frame in tables.items():
            frame.createOrReplaceTempView(name)
            for source in Capture([frame]).description.sources:
                ids[source.key] = name
        spark.udf.register("shout", udf(lambda s: s + "!", "string"))
        spark.udf.register(
            "middle", pandas_udf(lambda w: w.median(), "double", PandasUDFType.GROUPED_AGG)
        )
        queries = {
            **QUERIES,
            "python_udf": "select id, shout(user) u from votes",
            "pandas_value": "select story, middle(w) m from votes group by story",
            "pandas_window": "select id, middle(w) over (partition by story) m from votes",
        }
        captured = {}
        for name, text in queries.items():
            description = Capture([spark.sql(text)]).description
            sources = (replace(s, name=ids[s.key], folders=()) for s in description.sources)
            captured[name] = encode(replace(description, sources=tuple(sources)))
    lines = ",\n".join(f"{json.dumps(name)}: {text}" for name, text in captured.items())
    (HERE / "captured.json").write_text(f"{{\n{lines}\n}}\n", "utf-8")
    spark.stop()

    from planned import explained

    (HERE / "explained.txt").write_text(explained(), "utf-8")


if __name__ == "__main__":
    main()
