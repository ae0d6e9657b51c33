"""Views of CSV files hold what Spark's own reader gives, of usual lines and of all others."""

from contextlib import nullcontext
from pathlib import Path

import pytest
from pyspark.sql import DataFrame, SparkSession

import groundswell as gs
from incremental.harness import bag
from reaching import reaches_in_jvm

pytestmark = pytest.mark.rest

SCHEMA = "a bigint, b string, at timestamp, d date, x decimal(9,2), f double, yes boolean"

LINES = [
    "1,one,2024-03-01T12:00:00Z,2024-03-01,1.5,0.25,true",
    '-7,"größe, and more",2024-03-01 12:00:00.5,2024-02-29,12,1e3,false',
    '2,"",,,,,',
    "3,short",
    "4,long,,,,,,,",
    '5,"a ""quoted"" word",,,,,',
    '6,"a \\"quoted\\" word",,,,,',
    ' 7 , padded ," 2024-03-01 12:00:00",,1.005,NaN,TRUE',
    '8,"not closed,,,,,',
    "9223372036854775808,x,today,01/02/2024,1234567890,Inf,yes",
    "",
    "   ",
    "#,comment",
    "\t",
    "+10,\\,2024-13-01,2024-02-30,1,1.,t",
]


def stream(session: SparkSession, folder: Path, options: dict[str, str]) -> DataFrame:
    reader = session.readStream.schema(SCHEMA).options(**options)
    return reader.option("maxFilesPerTrigger", 1).csv(str(folder))


def write(folder: Path) -> None:
    folder.mkdir()
    header = "a,b,at,d,x,f,yes"
    (folder / "1.csv").write_text("\n".join([header, *LINES, *LINES]), "utf-8")
    (folder / "2.csv").write_bytes(b"\xef\xbb\xbf \n" + header.encode() + b"\r\n3,\xff,,,,,\r\r\n")
    (folder / "3.csv").write_text("")


@pytest.mark.parametrize("fast", ["true", "false"])
def test_a_view_of_files_of_csv_has_the_rows_of_spark(
    session: SparkSession, tmp_path: Path, capsys: pytest.CaptureFixture[str], fast: str
) -> None:
    folder = tmp_path / "csv"
    write(folder)
    options = {"header": "true"}
    session.conf.set("spark.groundswell.fastCsv", fast)
    try:
        lines = stream(session, folder, options)
        pipeline = gs.pipeline(session, str(tmp_path / "c"))
        pipeline.view("everything", gs.appends(lines, name="lines"))
        pipeline.explain()
        decoded = reaches_in_jvm(session, "FILE_OF_CSV_DECODED", "LINE_OF_CSV_LEFT_TO_SPARK")
        with decoded if fast == "true" else nullcontext():
            run = pipeline.start(availableNow=True)
            run.awaitTermination()
    finally:
        session.conf.unset("spark.groundswell.fastCsv")
    batch = session.read.schema(SCHEMA).options(**options).csv(str(folder))
    assert bag(run.view("everything")) == bag(batch)
    assert ("spark.groundswell.fastCsv=false" in capsys.readouterr().out) == (fast == "false")


def test_some_columns_of_csv_are_those_of_spark(session: SparkSession, tmp_path: Path) -> None:
    """Spark reads a line with too few or too many fields, where it reads some columns only."""
    folder = tmp_path / "csv"
    write(folder)
    options = {"header": "true", "nullValue": "one", "mode": "PERMISSIVE"}
    lines = stream(session, folder, options).select("f", "b")
    run = gs.pipeline(session, str(tmp_path / "c")).view("v", gs.appends(lines, name="lines"))
    done = run.start(availableNow=True)
    done.awaitTermination()
    batch = session.read.schema(SCHEMA).options(**options).csv(str(folder)).select("f", "b")
    assert bag(done.view("v")) == bag(batch)


@pytest.mark.parametrize(
    ("option", "value"),
    [("multiLine", "true"), ("encoding", "UTF-16"), ("dateFormat", "MM/dd/yyyy"), ("quote", "")],
)
def test_explain_names_the_option_that_leaves_csv_to_spark(
    session: SparkSession,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    option: str,
    value: str,
) -> None:
    folder = tmp_path / "csv"
    write(folder)
    lines = stream(session, folder, {option: value})
    gs.pipeline(session, str(tmp_path / "c")).view("v", gs.appends(lines, name="l")).explain()
    said = capsys.readouterr().out
    assert f"Files of CSV: Spark's parser reads all lines ({option}" in said.replace("option ", "")


def test_parts_of_a_large_file_of_csv_are_those_of_spark(
    session: SparkSession, tmp_path: Path
) -> None:
    folder = tmp_path / "csv"
    folder.mkdir()
    text = "a,b,at,d,x,f,yes\n" + "".join(
        f"{n},{'ä' * (n % 50)},,,{n % 100},,\r\n"[: -2 if n % 3 == 0 else None]
        + "\n" * (n % 3 == 0)
        for n in range(20_000)
    )
    (folder / "1.csv").write_bytes(text.encode())
    session.conf.set("spark.sql.files.maxPartitionBytes", "100000")
    try:
        lines = gs.appends(stream(session, folder, {"header": "true"}), name="lines")
        with reaches_in_jvm(session, "FILE_OF_CSV_DECODED"):
            run = gs.pipeline(session, str(tmp_path / "c")).view("v", lines)
            done = run.start(availableNow=True)
            done.awaitTermination()
    finally:
        session.conf.unset("spark.sql.files.maxPartitionBytes")
    batch = session.read.schema(SCHEMA).option("header", "true").csv(str(folder))
    assert bag(done.view("v")) == bag(batch)
    assert done.view("v").count() == 20_000
