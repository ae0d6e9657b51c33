"""What ``explain`` says of expressions that Spark's analysis makes long."""

from pathlib import Path

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

import groundswell as gs


def test_a_time_window_is_one_short_word(session: SparkSession, tmp_path: Path) -> None:
    p = gs.pipeline(session, str(tmp_path / "p"))
    rows = p.table("rows", "id bigint, k bigint, ts timestamp", key="id").df
    p.view("tumbling", rows.groupBy(F.window("ts", "5 minutes"), "k").count())
    p.view("starts", rows.groupBy(F.window("ts", "5 minutes")["start"].alias("t")).count())
    p.view("sessions", rows.groupBy(F.session_window("ts", "5 minutes"), "k").count())
    p.view("sliding", rows.groupBy(F.window("ts", "5 minutes", "2 minutes"), "k").count())
    text = p.program.planned().explain()
    assert "precisetimestampconversion" not in text
    for part in ("Project (window(ts), k)", "Project (session_window(ts), k)", "(window(ts))"):
        assert part in text
