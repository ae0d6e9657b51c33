"""Views of equal SQL and another meaning share nothing, and going from one to the other shows."""

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.functions import pandas_udf, udf, udtf

import groundswell as gs
from groundswell.catalog.view import View
from groundswell.plan.definition import definition
from groundswell.runtime.planning.planned import plan_views
from incremental.harness import Upserts, bags

pytestmark = pytest.mark.rest

Query = Callable[[DataFrame], DataFrame]

SUBTRACTED = (
    "aggregate(array(id, 7L), 3L, (a, b) -> a - b)",
    "aggregate(array(id, 7L), 3L, (a, b) -> b - a)",
)
TEXTS = [
    SUBTRACTED,
    ("concat(tag, '#1')", "concat(tag, '#2')"),
    ("from_csv(line, 'a int', map('sep', ';'))", "from_csv(line, 'a int', map('sep', ','))"),
    ("array_contains(array('#1'), '#' || tag)", "array_contains(array('#2'), '#' || tag)"),
    ("id * 1.0BD", "id * CAST(1 AS decimal(9, 1))"),
    ("CAST(tag AS int)", "try_cast(tag AS int)"),
    ("id / 0.5", "try_divide(id, 0.5)"),
    ("tag COLLATE UTF8_LCASE", "tag COLLATE UTF8_BINARY"),
    ("from_json(doc, 'a int').a", "from_json(doc, 'a string').a"),
    ("from_json(doc, 'a int')", "from_json(doc, 'a string')"),
    (
        "from_json(doc, 'd date', map('dateFormat', 'yyyy-dd-MM'))",
        "from_json(doc, 'd date', map('dateFormat', 'yyyy-MM-dd'))",
    ),
    ("from_csv(line, 'a int, b int')", "from_csv(line, 'a string, b string')"),
    ("to_json(struct(id AS a))", "to_json(struct(id AS b))"),
    (
        "to_json(struct(d), map('dateFormat', 'yyyy'))",
        "to_json(struct(d), map('dateFormat', 'dd'))",
    ),
    ("to_csv(struct(id, tag), map('sep', ';'))", "to_csv(struct(id, tag), map('sep', '#'))"),
    ("schema_of_json('{\"a\": 1}') || tag", "schema_of_json('{\"b\": 1}') || tag"),
    (
        "transform(array(id, id + 1), (x, i) -> x)",
        "transform(array(id, id + 1), (x, i) -> i)",
    ),
    (
        "transform(array(id), a -> exists(array(7L), b -> a < b))",
        "transform(array(id), a -> exists(array(7L), b -> b < a))",
    ),
    ("'#' || tag LIKE '##1' ESCAPE '#'", "'#' || tag LIKE '##1' ESCAPE '!'"),
    ("tag IN ('#1', '1')", "tag IN ('#2', '1')"),
    ("date_format(at, 'HH')", "date_format(at, 'mm')"),
    ("from_xml('<r>' || doc || '</r>', 'a int')", "from_xml('<r>' || doc || '</r>', 'b int')"),
    ("variant_get(parse_json(doc), '$.a', 'int')", "variant_get(parse_json(doc), '$.d', 'string')"),
    ("get_json_object(doc, '$.a')", "get_json_object(doc, '$.d')"),
    ("to_char(id, '9')", "to_char(id, '$9')"),
    ("parse_url('http://h/?q=' || tag, 'QUERY')", "parse_url('http://h/?q=' || tag, 'HOST')"),
    ("array_sort(array(tag, '1'))", "sort_array(array(tag, '1'), false)"),
    ("TIMESTAMP'2020-01-01 00:00:00' < at", "TIMESTAMP'2020-01-02 02:00:00' < at"),
]


def grouped(text: str, rows: DataFrame) -> DataFrame:
    return rows.selectExpr(f"{text} AS x").groupBy("x").count()


def _same_name(what: str) -> tuple[Callable[..., Column], Callable[..., Column]]:
    """Two functions of one name with other code."""
    if what == "udf":

        @udf("string")
        def named(text: str) -> str:
            return text + "!"

        first = named

        @udf("string")
        def named(text: str) -> str:
            return text + "?"

        return first, named

    @pandas_udf("long")
    def total(ids: pd.Series) -> int:
        return ids.sum()

    one = total

    @pandas_udf("long")
    def total(ids: pd.Series) -> int:
        return ids.sum() + 1

    return one, total


def by_function(number: int, rows: DataFrame) -> DataFrame:
    return rows.select(_same_name("udf")[number]("tag").alias("x")).groupBy("x").count()


def by_aggregate(number: int, rows: DataFrame) -> DataFrame:
    return rows.groupBy("tag").agg(_same_name("udaf")[number]("id").alias("x"))


def by_held_value(kind: str, number: int, rows: DataFrame) -> DataFrame:
    """One piece of code; what it holds differs."""
    table = {str(n): f"{n}{number}" for n in range(3)}
    match kind:
        case "broadcast":
            held = rows.sparkSession.sparkContext.broadcast(table)
        case "large":
            held = {**table, "rest": "x" * 3_000_000}
        case "object":
            held = SimpleNamespace(value=table)
        case _:
            held = np.array([f"{n}{number}" for n in range(3)])

    @udf("string")
    def looked_up(tag: str) -> str:
        return str(held[int(tag)] if kind == "array" else getattr(held, "value", held)[tag])

    return rows.select(looked_up("tag").alias("x")).groupBy("x").count()


def by_class(kind: str, number: int, rows: DataFrame) -> DataFrame:
    """Classes with the same methods."""
    steps = (lambda: 1, lambda: 2)
    members: dict[str, Any] = {
        "value": {"step": number + 1},
        "static": {"step": staticmethod(steps[number])},
        "property": {"step": property(steps[number])},
        "base": {},
    }[kind]
    base = type("Base", (), {"__module__": "__main__", "step": number + 1})
    bases = (base,) if kind == "base" else ()
    held: Any = type("Held", bases, {"__module__": "__main__", **members})

    @udf("string")
    def named(tag: str) -> str:
        if kind == "property":
            return f"{tag} {held.step.fget()}"
        return f"{tag} {held.step() if kind == 'static' else held.step}"

    return rows.select(named("tag").alias("x")).groupBy("x").count()


def by_table_function(number: int, rows: DataFrame) -> DataFrame:
    class Moved:
        step = number

        def eval(self, n: int) -> Iterator[tuple[int]]:
            yield (n + self.step,)

    rows.sparkSession.udtf.register("moved", udtf(Moved, returnType="x bigint"))
    rows.createOrReplaceTempView("rows")
    return rows.sparkSession.sql("SELECT x, count(*) FROM rows, LATERAL moved(id) GROUP BY x")


def with_constant(number: int, rows: DataFrame) -> DataFrame:
    evens = rows.sparkSession.sql(f"SELECT id AS k FROM range(6) WHERE id % 2 = {number}")
    return rows.join(evens, F.col("id") == F.col("k")).groupBy("tag").agg(F.sum("k"))


def with_named_constant(number: int, rows: DataFrame) -> DataFrame:
    made = rows.sparkSession.range(6).where(F.concat(F.lit("#"), "id") == f"#{number}")
    return rows.crossJoin(made.toDF("k")).groupBy("tag").agg(F.sum("k"))


def with_local_rows(number: int, rows: DataFrame) -> DataFrame:
    """Spark does not let one see what rows these are."""
    made = rows.sparkSession.createDataFrame([(1, f"#{number}")], "k bigint, note string")
    return rows.join(made, F.col("id") == F.col("k")).groupBy("note").count()


def of_one_side(number: int, rows: DataFrame) -> DataFrame:
    """Both sides have columns of the same names."""
    shout = _same_name("udf")[0]
    left, right = rows.alias("l"), rows.alias("r")
    joined = left.join(right, F.expr("l.id = r.id + 1"))
    return joined.select(shout(f"{'lr'[number]}.tag").alias("x")).groupBy("x").count()


def with_lambda(number: int, rows: DataFrame) -> DataFrame:
    """Spark gives the variables of each such call other names."""
    numbers = F.transform(F.array("id", "id"), lambda x, i: (x, i)[number])
    return rows.groupBy(numbers.alias("x")).count()


def with_common_part(number: int, rows: DataFrame) -> DataFrame:
    """Spark computes ``id % 3`` in a column of its own, of another name in each such query."""
    return rows.selectExpr(f"nullif(id % 3, {number}) AS x").groupBy("x").count()


def with_values(number: int, rows: DataFrame) -> DataFrame:
    """A weak hash does not tell these apart."""
    values = ("(1, 38), (2, 5)", "(2, 1), (2, 5)")[number]
    made = rows.sparkSession.sql(f"SELECT * FROM VALUES {values} AS v(k, n)")
    return rows.join(made, F.col("id") == F.col("k")).groupBy("tag").agg(F.sum("n"))


ZONES = ("Europe/Paris", "Asia/Tokyo")
QUERIES = (
    by_function,
    by_aggregate,
    by_table_function,
    with_constant,
    with_named_constant,
    of_one_side,
    with_lambda,
    with_common_part,
    with_values,
    *(partial(by_class, kind) for kind in ("value", "static", "property", "base")),
    *(partial(by_held_value, kind) for kind in ("broadcast", "large", "object", "array")),
)


def _with_setting(spark: SparkSession, key: str, value: str, query: Query) -> Query:
    """The query as it is analysed under another setting."""

    def made(rows: DataFrame) -> DataFrame:
        before = spark.conf.get(key)
        spark.conf.set(key, value)
        try:
            frame = query(rows)
            frame.schema  # noqa: B018 - analyses it
            return frame
        finally:
            spark.conf.set(key, str(before))

    return made


def _zoned(spark: SparkSession, zone: str) -> Query:
    hours = partial(grouped, "date_format(at, 'HH')")
    return _with_setting(spark, "spark.sql.session.timeZone", zone, hours)


def _source(spark: SparkSession, folder: Path) -> Upserts:
    columns = "id bigint, tag string, doc string, line string, d date, at timestamp"
    return Upserts(spark, folder, "t", columns, key="id")


def test_equal_texts_have_equal_meanings(session: SparkSession, tmp_path: Path) -> None:
    texts = [text for pair in TEXTS for text in pair]
    queries: list[Query] = [partial(grouped, text) for text in texts]
    queries += [_zoned(session, zone) for zone in ZONES]
    queries += [partial(each, number) for each in QUERIES for number in range(2)]
    source = _source(session, tmp_path).source()

    def defined() -> list[str]:
        frames = {f"v{number}": query(source) for number, query in enumerate(queries)}
        planned = plan_views({name: View(frame) for name, frame in frames.items()})
        return ["\n".join(definition(planned.streams[name])) for name in frames]

    found = defined()
    repeated = [number for number, text in enumerate(found) if found.count(text) > 1]
    assert repeated == []
    assert defined() == found


def test_views_whose_sql_is_alike_share_nothing(session: SparkSession, tmp_path: Path) -> None:
    queries: list[Query] = [
        partial(grouped, text) for pair in (*TEXTS[:3], SUBTRACTED) for text in pair
    ]
    queries += [_zoned(session, zone) for zone in ZONES]
    queries += [partial(each, n) for each in (*QUERIES, with_local_rows) for n in range(2)]
    table = _source(session, tmp_path)
    table.put(
        {"id": n, "tag": str(n % 3), "line": f"{n};{n}", "at": f"2020-01-02 0{n}:10:00"}
        for n in range(5)
    )
    table.snapshots.append(list(table.rows))
    pipeline, source = gs.pipeline(session, str(tmp_path / "c")), table.source()
    for number, query in enumerate(queries):
        pipeline.view(f"v{number}", query(source))
    run = pipeline.start(availableNow=True)
    run.awaitTermination()
    names = range(len(queries))
    found = bags({str(n): run.view(f"v{n}") for n in names})
    wanted = bags({str(n): queries[n](table.batch()) for n in names})
    assert [n for n in names if found[str(n)] != wanted[str(n)]] == []


def test_rows_of_a_program_stay_those_of_their_view(session: SparkSession, tmp_path: Path) -> None:
    """A state is found again by its plan, which does not tell what rows these are.

    The views have names such as the planner gives columns.
    """
    table = _source(session, tmp_path)

    def pipeline(*numbers: int) -> gs.Pipeline:
        made, source = gs.pipeline(session, str(tmp_path / "c")), table.source()
        for number in numbers:
            made.view(f"a{number}", with_local_rows(number, source))
        return made

    table.put([{"id": 1}, {"id": 2}])
    pipeline(0, 1).start(availableNow=True).awaitTermination()
    table.put([{"id": 1, "gone": True}])
    fewer = pipeline(1)
    fewer.drop("a0")
    run = fewer.start(availableNow=True)
    run.awaitTermination()
    assert run.view("a1").collect() == []
    table.put([{"id": 1}])
    run = pipeline(1).start(availableNow=True)
    run.awaitTermination()
    assert [tuple(row) for row in run.view("a1").collect()] == [("#1", 1)]


CHANGED = {
    "option": [partial(grouped, f"from_csv(line, 'a int', map('sep', '{c}'))") for c in ";,"],
    "constant": [partial(grouped, f"concat(tag, '#{number}')") for number in range(2)],
    "table": [partial(with_constant, number) for number in range(2)],
}


def test_a_change_that_sql_does_not_show_is_noticed(session: SparkSession, tmp_path: Path) -> None:
    table = Upserts(session, tmp_path, "t", "id bigint, tag string, line string", key="id")
    table.put([{"id": 1, "tag": "1", "line": "1;2"}])

    def pipeline(changed: str) -> gs.Pipeline:
        made, source = gs.pipeline(session, str(tmp_path / "c")), table.source()
        for name, (before, after) in CHANGED.items():
            query = after if name == changed else before
            made.view(name, query(source))
        return made

    pipeline("none").start(availableNow=True).awaitTermination()
    for changed in CHANGED:
        with pytest.raises(gs.DefinitionChanged, match=f"view {changed}"):
            pipeline(changed).start(availableNow=True)
