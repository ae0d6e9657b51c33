"""Small views over small files, run so that a JVM learns what most programs need of it.

Every family of operators is there, a sink, statements of SQL, functions in Python, and the readers.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

ROWS = "id bigint, g int, v double, d decimal(12,2), s string, at timestamp"
FILES = 12
ROWS_A_FILE = 3000

VIEWS = {
    "projected": "SELECT id, g, v * 2 AS w, concat('n', s) AS t, date(at) AS day FROM r "
    "WHERE v > 1 AND s LIKE '%a%'",
    "counted": "SELECT g, count(*) n, count(DISTINCT s) d, sum(v) t, avg(d) a, min(v) b, max(d) c "
    "FROM r GROUP BY g",
    "totals": "SELECT sum(d * (1 - v / 100)) t, count(*) n FROM r "
    "WHERE at < TIMESTAMP '2030-01-01'",
    "cube": "SELECT g, s, sum(d) t FROM r GROUP BY ROLLUP (g, s)",
    "kinds": "SELECT DISTINCT g, s FROM r",
    "joined": "SELECT r.id, r.v, n.name FROM r LEFT JOIN names n ON r.g = n.g WHERE r.v > 1",
    "pairs": "SELECT n.name, p.kind, sum(r.d) t, sum(CASE WHEN r.v > 9 THEN 1 ELSE 0 END) c "
    "FROM r JOIN names n ON r.g = n.g JOIN parts p ON r.id = p.id AND p.kind = n.kind "
    "WHERE year(r.at) = 2026 GROUP BY n.name, p.kind ORDER BY t DESC, n.name LIMIT 10",
    "outer_join": "SELECT n.name, p.id FROM names n FULL OUTER JOIN parts p ON n.g = p.id",
    "inside": "SELECT name FROM names WHERE g IN (SELECT g FROM r GROUP BY g HAVING sum(v) > 9)",
    "outside": "SELECT name FROM names n WHERE NOT EXISTS (SELECT 1 FROM r WHERE r.g = n.g)",
    "above": "SELECT id, v FROM r WHERE v > (SELECT avg(v) FROM r)",
    "both": "SELECT g FROM r INTERSECT SELECT g FROM names",
    "either": "SELECT id, s FROM r UNION ALL SELECT id, kind FROM parts",
    "best": "SELECT g, sum(v) t FROM r GROUP BY g ORDER BY t DESC, g LIMIT 3",
    "ranked": "SELECT g, id, row_number() OVER (PARTITION BY g ORDER BY v DESC, id) i FROM r "
    "QUALIFY i <= 3",
    "running": "SELECT id, sum(v) OVER (PARTITION BY g ORDER BY at, id ROWS 3 PRECEDING) t, "
    "lag(v) OVER (PARTITION BY g ORDER BY at, id) b FROM r WHERE id < 500",
    "hours": "SELECT window.start h, g, count(*) n FROM r GROUP BY window(at, '1 hour'), g",
    "sessions": "SELECT g, session_window.end e, count(*) n FROM r WHERE id < 500 "
    "GROUP BY g, session_window(at, '5 minutes')",
    "words": "SELECT w, count(*) n FROM r LATERAL VIEW explode(split(s, 'a')) t AS w GROUP BY w",
    "recent": "SELECT id, at FROM r WHERE at > current_timestamp() - INTERVAL 36500 DAYS",
    "called": "SELECT g, sum(doubled(v)) t FROM r WHERE id < 500 GROUP BY g",
}
"""Name -> query; ``r`` is a stream of files, ``names`` and ``parts`` are tables."""

SCRIPT = """\
CREATE PIPELINE training LOCATION '{location}';
CREATE TABLE votes (reader string PRIMARY KEY, story string, at timestamp);
CREATE SOURCE r ({rows}) WITH (connector = 'csv', path = '{files}');
CREATE MATERIALIZED VIEW stories AS SELECT story, count(*) AS n FROM votes GROUP BY story;
CREATE MATERIALIZED VIEW best AS SELECT story, n FROM stories ORDER BY n DESC, story LIMIT 1;
CREATE MATERIALIZED VIEW sums AS SELECT g, sum(v) AS t, count(*) AS n FROM r GROUP BY g;
CREATE INDEX by_story ON votes (story);
INSERT INTO votes VALUES ('ann', 'a', now()), ('bob', 'b', now()), ('cyd', 'a', now());
FLUSH;
SELECT * FROM best;
UPDATE votes SET story = 'b' WHERE reader = 'ann';
DELETE FROM votes WHERE reader = 'cyd';
FLUSH;
SELECT * FROM stories ORDER BY story;
SELECT count(*) FROM sums;
"""


def run(work: Path) -> None:
    """Feeds files and rows into the views, and reads what they hold."""
    from pyspark.sql import SparkSession

    import groundswell as gs

    builder = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
    builder = builder.config("spark.sql.shuffle.partitions", "2")
    spark = gs.configure(builder.config("spark.groundswell.archive", "off")).getOrCreate()
    try:
        for number in range(FILES):
            write(work / "rows", number)
        keep(spark, work)
        state_store(spark, work)
        script(spark, work)
        batch(spark, work)
    finally:
        spark.stop()


def keep(spark: SparkSession, work: Path) -> None:
    """Views of every family, a sink, changes of tables, and a second start."""
    import groundswell as gs

    stream = spark.readStream.schema(ROWS).option("maxFilesPerTrigger", 1)
    gs.appends(stream.csv(str(work / "rows")), name="r").createOrReplaceTempView("r")
    location = str(work / "checkpoint")
    pipeline = gs.pipeline(spark, location)
    names = pipeline.table("names", "g int, name string, kind string", key="g")
    parts = pipeline.table("parts", "id bigint, kind string", key="id")
    for table in (names, parts):
        _frame(table).createOrReplaceTempView(table.name)
    spark.udf.register("doubled", _doubled(), "double")
    for name, text in VIEWS.items():
        pipeline.view(name, spark.sql(text))
    pipeline.sink("out", "projected", "json", path=str(work / "out"))
    names.insert([(g, f"name {g}", f"kind {g % 3}") for g in range(20)])
    parts.insert([(i, f"kind {i % 3}") for i in range(200)])
    _serve(pipeline, lambda: parts.upsert([(i, "kind 1") for i in range(50)]))
    _serve(pipeline, lambda: names.delete([(3,), (4,)]))
    for name in VIEWS:
        gs.read_view(spark, location, name).limit(20).toArrow()
    gs.read_view(spark, location, "counted").orderBy("g").show()
    gs.read_view(spark, location, "counted").where("n > 1").collect()


def state_store(spark: SparkSession, work: Path) -> None:
    """An ordinary streaming query, whose state is in our store."""
    stream = spark.readStream.schema(ROWS).option("maxFilesPerTrigger", 4)
    counted = stream.csv(str(work / "rows")).groupBy("g").count()
    writer = counted.writeStream.outputMode("update").format("noop").trigger(availableNow=True)
    writer.option("checkpointLocation", str(work / "query")).start().awaitTermination()


def script(spark: SparkSession, work: Path) -> None:
    """A file of SQL, as ``python -m groundswell run --once`` runs it."""
    from groundswell.sql.console.file import read_file
    from groundswell.sql.console.script import Script

    file = work / "training.sql"
    text = SCRIPT.format(location=work / "sql", rows=ROWS, files=work / "rows")
    file.write_text(text, "utf-8")
    Script(spark, read_file(str(file)), once=True, out=lambda _: None).run()


def batch(spark: SparkSession, work: Path) -> None:
    """What programs ask Spark itself beside their views."""
    rows = spark.read.schema(ROWS).csv(str(work / "rows"))
    rows.write.parquet(str(work / "parquet"))
    kept = spark.read.parquet(str(work / "parquet"))
    kept.groupBy("g").agg({"v": "sum", "d": "avg"}).orderBy("g").collect()
    kept.alias("a").join(kept.alias("b"), "id").limit(5).toArrow()
    spark.createDataFrame([(1, "a")], "id int, s string").collect()


def write(folder: Path, number: int) -> None:
    """One file of rows."""
    folder.mkdir(exist_ok=True)
    first = number * ROWS_A_FILE
    lines = (
        f"{i},{i * 7919 % 23},{i / 3 % 50:.3f},{i % 997}.25,{'banana'[i % 4 :]}{i % 11},"
        f"2026-01-{i // 3600 % 28 + 1:02d} {i // 60 % 24:02d}:{i % 60:02d}:00"
        for i in range(first, first + ROWS_A_FILE)
    )
    (folder / f"{number:03d}.csv").write_text("\n".join(lines) + "\n", "utf-8")


def _serve(pipeline: Any, change: Callable[[], None]) -> None:
    query = pipeline.start()
    try:
        query.processAllAvailable()
        change()
        query.processAllAvailable()
    finally:
        query.stop()


def _doubled() -> Callable[[float], float]:
    def doubled(value: float) -> float:  # of no module: Spark's workers have none of ours
        return value * 2

    return doubled


def _frame(table: Any) -> Any:
    assert table.df is not None
    return table.df


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as made:
        run(Path(made))
