"""A row that fails is named, wherever in a plan it fails."""

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

import groundswell as gs
from cases import first_of

CODEGEN = {
    "": {},
    "codegen off": {"spark.sql.codegen.wholeStage": "false"},
    "no code": {
        "spark.sql.codegen.wholeStage": "false",
        "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    },
}


FAILURES = [
    ("no code", "SELECT id, array(v)[7] d FROM orders", '"v":0', "array("),
    ("codegen off", "SELECT id, 60 DIV v d FROM orders", '"v":0', "60L div"),
    ("codegen off", "SELECT 60 DIV v d, count(*) FROM orders GROUP BY 1", '"v":0', "60L div"),
    ("codegen off", "SELECT k, sum(60 DIV w) FROM lines GROUP BY k", '"w":0', "60L div"),
    ("", "SELECT v, sum(9223372036854775000 + id) FROM orders GROUP BY v", '"v":0', "sum("),
    (
        "",
        "SELECT a.id FROM orders a LEFT JOIN orders b ON a.id = b.id AND a.v DIV b.v > 0",
        'the pair of rows {"id":',
        "Join left outer",
    ),
    ("", "SELECT sum(9223372036854775000 + id) OVER () s FROM orders", "one of its rows", "Window"),
]


@pytest.mark.parametrize(("how", "sql", "row", "expression"), first_of(FAILURES))
def test_what_fails_is_named_wherever_it_fails(
    session: SparkSession, tmp_path: Path, how: str, sql: str, row: str, expression: str
) -> None:
    try:
        for key, value in CODEGEN[how].items():
            session.conf.set(key, value)
        pipeline = gs.pipeline(session, str(tmp_path / "c"))
        orders = pipeline.table("orders", "id long, v int", key="id")
        lines = pipeline.table("lines", "k int, w int")
        orders.df.createOrReplaceTempView("orders")
        lines.df.createOrReplaceTempView("lines")
        pipeline.view("shares", session.sql(sql))
        orders.upsert(session.createDataFrame([(1, 0), (500, 0), (501, 0)], "id long, v int"))
        lines.insert(session.createDataFrame([(1, 1), (1, 0)], "k int, w int"))
        run = pipeline.start()
        with pytest.raises(gs.RowFailed) as failed:
            run.processAllAvailable()
    finally:
        for key in CODEGEN[how]:
            session.conf.unset(key)
    for part in ("view shares; source", row, expression, "docs/failing-rows.md"):
        assert part in str(failed.value)
