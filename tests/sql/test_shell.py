"""The shell: lines in, rows out."""

from pathlib import Path

from pyspark.sql import SparkSession

from groundswell.sql.shell import Shell


def test_statements_over_lines_errors_and_the_end(session: SparkSession, tmp_path: Path) -> None:
    lines = iter(
        [
            f"CREATE PIPELINE p LOCATION '{tmp_path / 'c'}'; USE groundswell.p; -- begins",
            "CREATE TABLE t (a int);",
            "INSERT INTO t VALUES (1),",
            "  (2);",
            "SELECT nothing FROM t;",
            "CREATE TABLE t (a int) nonsense;",
            "FLUSH; SELECT a, 'x;' AS x FROM t ORDER BY a",
            ";",
            "quit",
            "SELECT 3;",
        ]
    )
    printed: list[str] = []
    prompts: list[str] = []

    def read(prompt: str) -> str:
        prompts.append(prompt)
        return next(lines)

    shell = Shell(session, read, printed.append)
    shell.run()
    shell.stop()
    text = "\n".join(printed)
    assert "a  x\n-  --\n1  x;\n2  x;\n(2 rows)" in text
    assert "UNRESOLVED_COLUMN" in text
    assert "line 1, column 24: expected the end of the statement, not 'nonsense'" in text
    assert prompts[0] == "spark_catalog.default> "
    assert prompts[2:4] == ["groundswell.p> ", "    -> "]
    assert next(lines) == "SELECT 3;"
