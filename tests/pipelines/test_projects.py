"""Projects of Spark Declarative Pipelines, unchanged, as views of ours."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

import groundswell as gs
from cases import first_of
from groundswell.pipelines.running import location_of, run
from groundswell.pipelines.spec import Spec
from incremental.undoing import held

pytest.importorskip("pyspark.pipelines.api")

SHOP = {
    "raw.py": """
from pyspark import pipelines as dp
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

spark = SparkSession.active()

@dp.table(comment="as they come")
def sales() -> DataFrame:
    return spark.readStream.schema("product bigint, quantity bigint").json("@/sales")

dp.create_streaming_table("all_clicks")

@dp.append_flow(target="all_clicks")
def web():
    return spark.readStream.format("json").schema("product bigint").load("@/web")

@dp.append_flow(target="all_clicks")
def app():
    return spark.readStream.schema("product bigint").json("@/app").where("product > 0")

@dp.materialized_view
def products():
    return spark.read.option("header", True).schema("id bigint, name string").csv("@/products")

@dp.temporary_view
def sold():
    return spark.read.table("sales").groupBy("product").agg(F.sum("quantity").alias("n"))

@dp.materialized_view(name="by_name")
def anything():
    p = spark.table("products")
    return spark.table("sold").join(p, F.col("product") == p.id).select("name", "n")
""",
    "more.sql": """
-- statements of a file
CREATE STREAMING TABLE large AS SELECT product, quantity FROM STREAM(sales) WHERE quantity > 5;
CREATE MATERIALIZED VIEW IF NOT EXISTS top COMMENT 'the best; of all' AS
  SELECT name, n FROM by_name ORDER BY n DESC LIMIT 1;
CREATE STREAMING TABLE merged;
CREATE FLOW first AS INSERT INTO merged BY NAME SELECT product FROM STREAM large;
CREATE FLOW second AS INSERT INTO merged BY NAME SELECT product FROM STREAM(all_clicks);
CREATE MATERIALIZED VIEW counts AS
  WITH c AS (SELECT product, count(*) n FROM default.merged GROUP BY product) SELECT * FROM c
""",
}


def project(folder: Path, files: dict[str, str]) -> Spec:
    for name, text in files.items():
        (folder / "src").mkdir(exist_ok=True)
        (folder / "src" / name).write_text(text.replace("@/", f"{folder}/"))
    return Spec(folder / "p.yml", "shop", str(folder / "store"), None, "default", {}, ("src/**/*",))


def add(folder: Path, name: str, *rows: dict[str, Any] | str) -> None:
    folder.mkdir(exist_ok=True)
    lines = [row if isinstance(row, str) else json.dumps(row) for row in rows]
    (folder / name).write_text("\n".join(lines) + "\n")


def rows(spark: SparkSession, spec: Spec, view: str) -> list[tuple[Any, ...]]:
    return sorted(tuple(r) for r in gs.read_view(spark, location_of(spec), view).collect())


def hows(done: Any) -> dict[str, str]:
    return {each.view: each.how for each in done}


def test_a_project_of_python_and_sql(session: SparkSession, tmp_path: Path) -> None:
    spec = project(tmp_path, SHOP)
    add(tmp_path / "sales", "1", {"product": 1, "quantity": 2}, {"product": 2, "quantity": 9})
    add(tmp_path / "web", "1", {"product": 1})
    add(tmp_path / "app", "1", {"product": 0}, {"product": 2})
    add(tmp_path / "products", "1.csv", "id,name", "1,kayak", "2,paddle")
    said: list[str] = []
    assert run(session, spec, said.append, dry=True) == []
    assert "counts can be maintained incrementally" in said
    assert not (tmp_path / "store").exists()
    done = run(session, spec, said.append)
    assert set(hows(done).values()) == {"full: the view is new"}
    assert rows(session, spec, "by_name") == [("kayak", 2), ("paddle", 9)]
    assert rows(session, spec, "top") == [("paddle", 9)]
    assert rows(session, spec, "counts") == [(1, 1), (2, 2)]
    assert rows(session, spec, "large") == [(2, 9)]
    add(tmp_path / "sales", "2", {"product": 1, "quantity": 20})
    add(tmp_path / "products", "2.csv", "id,name", "3,vest")
    how = hows(run(session, spec, said.append))
    assert set(how.values()) == {"incremental"}
    assert rows(session, spec, "by_name") == [("kayak", 22), ("paddle", 9)]
    assert rows(session, spec, "top") == [("kayak", 22)]
    assert rows(session, spec, "counts") == [(1, 2), (2, 2)]
    check_sql(session, spec)
    add(tmp_path / "products", "1.csv", "id,name", "1,canoe", "2,paddle")
    with pytest.raises(gs.ConfigurationError, match=r"1.csv was changed .*--full-refresh-all"):
        run(session, spec, said.append)
    run(session, spec, said.append, anew=True)
    assert rows(session, spec, "by_name") == [("canoe", 22), ("paddle", 9)]


def check_sql(session: SparkSession, spec: Spec) -> None:
    """Readers elsewhere find the views by their names."""
    session.conf.set("spark.groundswell.pipeline.shop", location_of(spec))
    query = "SELECT n FROM groundswell.shop.top JOIN groundswell.shop.by_name USING (name, n)"
    assert session.sql(query).collect() == [(22,)]
    listed = {row.tableName for row in session.sql("SHOW TABLES IN groundswell.shop").collect()}
    assert listed >= {"top", "by_name", "counts", "merged"}
    for statement in (
        "CREATE MATERIALIZED VIEW groundswell.shop.v AS SELECT 1 a",
        "DROP MATERIALIZED VIEW groundswell.shop.top",
        "REFRESH MATERIALIZED VIEW groundswell.shop.top",
        f"CREATE PIPELINE other LOCATION '{location_of(spec)}'",
    ):
        with pytest.raises(gs.ConfigurationError, match="defined by a Python program"):
            session.sql(statement)


VIEWS = {
    "v.py": """
from pyspark import pipelines as dp

@dp.materialized_view
def numbers():
    return spark.range(10)

@dp.materialized_view
def names():
    return spark.read.text("@/names")
""",
    "v.sql": "CREATE MATERIALIZED VIEW even AS SELECT id FROM numbers WHERE id % 2 = 0",
}


@pytest.mark.rest
def test_views_are_computed_anew_where_they_must(session: SparkSession, tmp_path: Path) -> None:
    spec = project(tmp_path, VIEWS)
    add(tmp_path / "names", "1", "a", "b")
    run(session, spec, str)
    assert rows(session, spec, "even") == [(0,), (2,), (4,), (6,), (8,)]
    assert set(hows(run(session, spec, str)).values()) == {"nothing new"}
    add(tmp_path / "names", "1", "c")
    how = hows(run(session, spec, str))
    assert how["names"].startswith("full: ")
    assert how["names"].endswith("names/1 was changed")
    assert rows(session, spec, "names") == [("c",)]
    (tmp_path / "src" / "v.sql").write_text(
        "CREATE MATERIALIZED VIEW odd AS SELECT id FROM numbers WHERE id % 2 = 1"
    )
    how = hows(run(session, spec, str))
    assert set(how) == {"numbers", "names", "odd"}
    assert how["odd"] == "full: the view is new"
    assert rows(session, spec, "odd") == [(1,), (3,), (5,), (7,), (9,)]


HEAD = "from pyspark import pipelines as dp\n"


@pytest.mark.parametrize(
    ("name", "text", "said"),
    first_of(
        [
            (
                "a.py",
                "@dp.table\ndef t(): return spark.range(3)",
                "t .a.py, line 2. reads no stream",
            ),
            (
                "a.py",
                "@dp.materialized_view\ndef v(): return spark.readStream.format('rate').load()",
                "v .* reads a stream: make it a streaming table",
            ),
            (
                "a.py",
                "@dp.table\ndef t():\n"
                "  s = spark.readStream.format('rate').load()\n"
                "  return s.join(spark.read.table('r'), 'value')\n"
                "@dp.materialized_view\ndef r(): return spark.range(3).toDF('value')",
                "t .* joins a stream with materialized view r",
            ),
            (
                "a.py",
                "@dp.table\ndef t():\n"
                "  return spark.readStream.format('rate').load().groupBy().count()",
                "t .* would change rows",
            ),
            (
                "a.py",
                "@dp.materialized_view\ndef v(): return spark.createDataFrame([(1,)], 'a int')",
                "v .* tell nobody their changes",
            ),
            (
                "a.py",
                "@dp.materialized_view\ndef v(): return spark.table('w')\n"
                "@dp.materialized_view\ndef w(): return spark.table('v')",
                "in a circle: v -> w -> v",
            ),
            ("a.py", "@dp.materialized_view\ndef v(): return 1", "must return a DataFrame"),
            (
                "a.py",
                "@dp.materialized_view\ndef v(): return spark.table('x')",
                "v .*x.* cannot be fo",
            ),
            (
                "a.py",
                "@dp.materialized_view(schema='a int')\ndef v(): return spark.range(1)",
                "its schema says a int, and its query gives id bigint",
            ),
            (
                "a.py",
                "@dp.materialized_view(spark_conf={'a': 'b'})\ndef v(): return spark.range(1)",
                "its own spark_conf",
            ),
            ("a.py", "1 / 0", "a.py: ZeroDivisionError"),
            ("a.py", "@dp.table\ndef t(): return x", "t .*NameError"),
            ("a.py", "dp.create_sink('k', 'kafka')", "sink k is not supported"),
            ("a.py", "dp.create_streaming_table('t')", "t .* has no flow"),
            (
                "a.py",
                "@dp.append_flow(target='t')\ndef f(): return spark.range(1)",
                "writes to t, which no file defines",
            ),
            ("a.sql", "CREATE MATERIALIZED VIEW v AS SELECT * FROM nowhere", "nowhere"),
            ("a.sql", "CREATE MATERIALIZED VIEW v AS SELECT (1", "v .*PARSE"),
            ("a.sql", "INSERT INTO t VALUES (1)", "a.sql, line 1: INSERT is not supported"),
            (
                "a.sql",
                "CREATE STREAMING TABLE t AS SELECT * FROM STREAM(x)",
                "t .*STREAM reads none",
            ),
            ("a.sql", "CREATE MATERIALIZED VIEW a.b.v AS SELECT 1", "another catalog or database"),
        ]
    ),
)
def test_what_has_no_form_here_is_named_before_anything_runs(
    session: SparkSession, tmp_path: Path, name: str, text: str, said: str
) -> None:
    spec = project(tmp_path, {name: (HEAD if name.endswith("py") else "") + text})
    with pytest.raises(gs.GroundswellError, match=said):
        run(session, spec, str)
    assert not (tmp_path / "store").exists()


FEEDS = {
    "feeds.py": """
from pyspark import pipelines as dp
from pyspark.pipelines import create_auto_cdc_flow
from pyspark.sql import SparkSession
from pyspark.sql.functions import col, expr

spark = SparkSession.active()

@dp.table
def raw():
    return spark.readStream.schema("id bigint, name string, n bigint, op string").json("@/feed")

@dp.temporary_view
def clean():
    return spark.readStream.table("raw").where("id > 0")

dp.create_streaming_table("people")
dp.create_auto_cdc_flow("people", "clean", [col("id")], col("n"), expr("op = 'D'"),
                        except_column_list=["op", "n"])

ever = "id bigint, name string, __START_AT bigint, __END_AT bigint"
dp.create_streaming_table("ever", schema=ever)
create_auto_cdc_flow(target="ever", source="raw", keys=["id"], sequence_by="n", name="f",
                     apply_as_deletes="op = 'D'", column_list=["id", "name"],
                     stored_as_scd_type="2", track_history_column_list=["name"])

@dp.materialized_view
def names():
    return spark.table("people").groupBy("name").count()
""",
    "more.sql": """
CREATE STREAMING TABLE in_sql;
CREATE FLOW apply AS AUTO CDC INTO in_sql FROM STREAM(raw) KEYS (id) APPLY AS DELETE WHEN op = 'D'
  SEQUENCE BY n COLUMNS * EXCEPT (op, n) STORED AS SCD TYPE 1;
CREATE STREAMING TABLE in_short COMMENT 'c'
  FLOW AUTO CDC FROM STREAM raw KEYS (id) IGNORE NULL UPDATES SEQUENCE BY n COLUMNS (id, name);
""",
}


def test_a_project_with_change_feeds(session: SparkSession, tmp_path: Path) -> None:
    spec = project(tmp_path, FEEDS)
    feed = tmp_path / "feed"
    add(feed, "1", {"id": 1, "name": "a", "n": 5}, {"id": 2, "name": "b", "n": 1, "op": "I"})
    said: list[str] = []
    assert run(session, spec, said.append, dry=True) == []
    assert "people can be maintained incrementally" in said
    run(session, spec, said.append)
    add(
        feed,
        "2",
        {"id": 1, "name": "late", "n": 4},
        {"id": 2, "n": 3, "op": "D"},
        {"id": 0, "n": 1},
    )
    assert set(hows(run(session, spec, said.append)).values()) == {"incremental"}
    assert rows(session, spec, "people") == [(1, "a")]
    assert rows(session, spec, "names") == [("a", 1)]
    assert rows(session, spec, "ever") == [
        (0, None, 1, None), (1, "a", 5, None), (1, "late", 4, 5), (2, "b", 1, 3)
    ]  # fmt: skip
    assert rows(session, spec, "in_sql") == [(0, None), (1, "a")]
    assert rows(session, spec, "in_short") == [(0, None), (1, "a"), (2, "b")]


LOGINS = """
from pyspark import pipelines as dp
from pyspark.sql import SparkSession

spark = SparkSession.active()
feed = "id bigint, name string, at timestamp, n bigint, op string"

@dp.table
def logins():
    return spark.readStream.schema(feed).json("@/feed").withWatermark("at", "1 hour")

for target, sequence, more in (
    ("plain", "at", {}),
    ("by_two", "struct(at, n)", {}),
    ("merged", "struct(at, n)", {"ignore_null_updates": True}),
):
    dp.create_streaming_table(target)
    dp.create_auto_cdc_flow(target, "logins", ["id"], sequence, apply_as_deletes="op = 'D'",
                            column_list=["id", "name"], **more)
"""


@pytest.mark.rest
def test_deletes_of_a_change_feed_are_remembered_until_the_watermark_has_passed_them(
    session: SparkSession, tmp_path: Path
) -> None:
    spec = project(tmp_path, {"logins.py": LOGINS})
    feed, said = tmp_path / "feed", list[str]()
    views = ("plain", "by_two", "merged")

    def takes(name: str, *events: tuple[int, str | None, str, str]) -> None:
        names = ("id", "name", "at", "op")
        found = [dict(zip(names, event, strict=True)) for event in events]
        add(feed, name, *({**e, "at": f"2026-01-01T{e['at']}:00Z", "n": 1} for e in found))
        run(session, spec, said.append)

    def remembered() -> list[int]:
        stores = held(Path(location_of(spec).removeprefix("file:")))
        return [sum(rows.values()) for (_, name), rows in stores.items()
                if name in ("first", "groups")]  # fmt: skip

    takes("1", (1, "a", "09:00", "I"), (2, "b", "09:00", "I"), (1, None, "09:30", "D"))
    takes("2", (1, "late", "09:10", "I"))
    assert {view: rows(session, spec, view) for view in views} == {
        view: [(2, "b")] for view in views
    }
    assert remembered() == [2, 2, 2]
    takes("3", (3, "c", "12:00", "I"))
    takes("4", (1, "too late", "09:20", "I"), (2, None, "12:00", "I"))
    assert rows(session, spec, "plain") == rows(session, spec, "by_two") == [(2, None), (3, "c")]
    assert rows(session, spec, "merged") == [(2, "b"), (3, "c")]
    assert remembered() == [2, 2, 2]
    takes("5", (1, "again", "12:30", "I"))
    assert all((1, "again") in rows(session, spec, view) for view in views)


FLOW = "dp.create_auto_cdc_flow('t', 'raw', ['id'], 'n'"


@pytest.mark.parametrize(
    ("made", "told"),
    first_of([
        (f"{FLOW}, apply_as_truncates='op')", "streaming table t .*must be boolean, it is string"),
        (f"{FLOW}, colour='red')", r"create_auto_cdc_flow\('t'\) has colour"),
        (f"{FLOW}, spark_conf={{'a': 'b'}})", "has its own spark_conf"),
        (f"{FLOW})\n{FLOW}, name='b')", "streaming table t .*has 2 flows, not one"),
        (FLOW.replace("'t'", "'raw'") + ")", "streaming table raw .*has 2 flows, not one"),
        (f"{FLOW})\n@dp.table\ndef u():\n    return spark.readStream.table('t')",
         "reads streaming table t as a stream, whose rows change"),
    ]),
)  # fmt: skip
def test_a_change_feed_that_cannot_be_is_refused(
    session: SparkSession, tmp_path: Path, made: str, told: str
) -> None:
    text = FEEDS["feeds.py"].split("@dp.temporary_view")[0]
    files = {"feeds.py": f"{text}dp.create_streaming_table('t')\n{made}\n"}
    (tmp_path / "feed").mkdir()
    with pytest.raises(gs.GroundswellError, match=told):
        run(session, project(tmp_path, files), print, dry=True)
