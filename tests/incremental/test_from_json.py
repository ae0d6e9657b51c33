"""Views of JSON messages hold what Spark's own parser gives, clean texts and others."""

from contextlib import nullcontext
from pathlib import Path

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import groundswell as gs
from incremental.harness import Table, bag
from reaching import reaches_in_jvm

SCHEMA = "a bigint, b string, at timestamp, c struct<x: decimal(9,2), y: array<string>>"

TEXTS = [
    '{"a": 1, "b": "one", "at": "2024-03-01T12:00:00Z", "c": {"x": 1.5, "y": ["p", null]}}',
    '{"c": {"y": [], "more": {"deep": [1, {}]}, "x": 12}, "other": "\\"", "a": -7, "b": "größe"}',
    '{"a": 2, "b": "\\u00e9 \\ud83d\\ude00", "at": null}',
    '{"a": 9223372036854775808, "b": 3}',
    '{"a": 1, "a": 2, "b": {"x": 1}}',
    "{'a': 5, 'b': 'single'}",
    '{"a": "5", "at": "today"}',
    '{"a": 6, "b": "cut off',
    "",
    "null",
    '[{"a": 1}]',
    '{"a": 8} {"a": 9}',
]


def view(messages: DataFrame) -> DataFrame:
    parsed = messages.select("id", F.from_json(F.col("value").cast("string"), SCHEMA).alias("v"))
    return parsed.select("id", "v.a", "v.b", "v.at", "v.c.x", F.col("v.c.y").cast("string"))


@pytest.mark.parametrize("fast", ["true", "false"])
def test_a_view_of_json_has_the_rows_of_spark(
    session: SparkSession, tmp_path: Path, capsys: pytest.CaptureFixture[str], fast: str
) -> None:
    messages = Table(session, tmp_path, "messages", "id bigint, value binary").as_parquet()
    messages.put([{"id": n, "value": text.encode()} for n, text in enumerate(TEXTS)])
    messages.snapshots.append(messages.rows)
    session.conf.set("spark.groundswell.fastJson", fast)
    try:
        pipeline = gs.pipeline(session, str(tmp_path / "c")).view("v", view(messages.source()))
        pipeline.explain()
        run = pipeline.start(availableNow=True)
        run.awaitTermination()
    finally:
        session.conf.unset("spark.groundswell.fastJson")
    assert bag(run.view("v")) == bag(view(messages.batch()))
    said = "decoded into rows" if fast == "true" else "spark.groundswell.fastJson=false"
    assert said in capsys.readouterr().out


@pytest.mark.parametrize("fast", ["true", "false"])
def test_a_view_of_files_of_json_has_the_rows_of_spark(
    session: SparkSession, tmp_path: Path, fast: str
) -> None:
    folder = tmp_path / "lines"
    folder.mkdir()
    (folder / "1.json").write_text("\n".join([*TEXTS, '{"b": "\\n"}', *TEXTS]), "utf-8")
    (folder / "2.json").write_bytes(b'{"b": "\xff"}\n\n[{"a": 1}, {"a": 2}]\n{"other": "\xc3"}')
    stream = session.readStream.schema(SCHEMA).option("maxFilesPerTrigger", 1).json(str(folder))

    def rows(lines: DataFrame) -> DataFrame:
        return lines.select("a", "b", "at", "c.x", F.col("c.y").cast("string"))

    session.conf.set("spark.groundswell.fastJson", fast)
    try:
        view = rows(gs.appends(stream, name="lines"))
        decoded = reaches_in_jvm(session, "FILE_OF_JSON_DECODED", "LINE_LEFT_TO_SPARK")
        with decoded if fast == "true" else nullcontext():
            run = gs.pipeline(session, str(tmp_path / "c")).view("v", view).start(availableNow=True)
            run.awaitTermination()
    finally:
        session.conf.unset("spark.groundswell.fastJson")
    assert bag(run.view("v")) == bag(rows(session.read.schema(SCHEMA).json(str(folder))))
