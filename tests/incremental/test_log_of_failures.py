"""What the log says of a row that fails, and of a stop."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

import groundswell as gs


@contextmanager
def logged(session: SparkSession) -> Iterator[list[str]]:
    """The lines that the JVM logs at WARN and above, as an appender of Log4j gets them."""
    jvm: Any = session.sparkContext._jvm
    log4j = jvm.org.apache.logging.log4j
    context = log4j.LogManager.getContext(False)
    text = jvm.java.io.StringWriter()
    layout = log4j.core.layout.PatternLayout.createDefaultLayout()
    appender = log4j.core.appender.WriterAppender.createAppender(
        layout, None, text, "of a test", False, True
    )
    appender.start()
    root = context.getConfiguration().getRootLogger()
    root.addAppender(appender, log4j.Level.WARN, None)
    lines: list[str] = []
    try:
        yield lines
    finally:
        root.removeAppender("of a test")
        lines += [line for line in str(text).splitlines() if line.strip()]


def test_a_failing_row_is_one_line_of_the_log(
    session: SparkSession, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """It was 180 lines of Java: of the executor, the scheduler and the query."""
    p = gs.pipeline(session, str(tmp_path / "c"))
    orders = p.table("orders", "id bigint, amount string", key="id")
    p.view("amounts", orders.df.selectExpr("id", "CAST(amount AS INT) amount"))
    orders.insert(session.createDataFrame([(1, "10"), (2, "ten")], "id bigint, amount string"))
    with logged(session) as lines:
        run = p.start()
        with pytest.raises(gs.RowFailed, match='"id":2'):
            run.processAllAvailable()
        run.stop()
    assert len(lines) == 1, lines
    assert lines[0].startswith("barrier 0: RowFailed: [ROW_FAILED] view amounts; source orders")
    assert "QueryContextLogger" not in capfd.readouterr().err


def test_other_failures_keep_their_lines(session: SparkSession) -> None:
    with logged(session) as lines, pytest.raises(Exception, match="CAST_INVALID_INPUT"):
        session.sql("SELECT CAST(concat('x', id) AS INT) FROM range(2)").collect()
    assert any("CAST_INVALID_INPUT" in line for line in lines)


@pytest.mark.rest
def test_a_stop_between_barriers_warns_of_nothing(session: SparkSession, tmp_path: Path) -> None:
    p = gs.pipeline(session, str(tmp_path / "c"))
    orders = p.table("orders", "id bigint, amount string", key="id")
    p.view("counts", orders.df.groupBy("amount").count())
    orders.insert(session.createDataFrame([(1, "10")], "id bigint, amount string"))
    run = p.start()
    run.processAllAvailable()
    with logged(session) as lines:
        run.stop()
    assert lines == []


@pytest.mark.rest
def test_a_key_that_is_too_long_names_the_group(session: SparkSession, tmp_path: Path) -> None:
    """The pipeline ended with the name of a table of the engine."""
    p = gs.pipeline(session, str(tmp_path / "c"))
    texts = p.table("texts", "id bigint, text string", key="id")
    p.view("counts", texts.df.groupBy("text").count())
    p.view("sums", texts.df.groupBy().sum("id"))
    texts.insert(session.createDataFrame([(1, "needle" * 900_000)], "id bigint, text string"))
    run = p.start()
    with pytest.raises(gs.RowFailed, match=r"the group \{\"text\":\"needleneedle") as e:
        run.processAllAvailable()
    run.stop()
    assert e.value.views == ("counts",)
    assert "has 5400016 bytes; the limit is 1048576" in str(e.value)
    assert len(str(e.value)) < 3000


def test_an_error_says_which_views_and_sources_as_fields(
    session: SparkSession, tmp_path: Path
) -> None:
    p = gs.pipeline(session, str(tmp_path / "c"))
    orders = p.table("source_orders", "id bigint, x bigint", key="id")
    p.view("source_rows", orders.df.selectExpr("id", "1 div x AS y"))
    p.view("fine", orders.df.select("id"))
    orders.insert(session.createDataFrame([(1, 0)], "id bigint, x bigint"))
    run = p.start()
    with pytest.raises(gs.RowFailed) as e:
        run.processAllAvailable()
    run.stop()
    assert (e.value.views, e.value.sources) == (("source_rows",), ("source_orders",))
