"""SQL and the catalog through Spark's Thrift server: what BI tools speak to."""

import re
import subprocess
from pathlib import Path

import pytest

from systems.spark_servers import HOME, THRIFT, running

pytestmark = pytest.mark.systems

STATEMENTS = """
CREATE PIPELINE p LOCATION '{location}';
USE groundswell.p;
CREATE TABLE t (a int PRIMARY KEY, b string);
CREATE MATERIALIZED VIEW v AS SELECT b, sum(a) AS s FROM t GROUP BY b;
INSERT INTO t VALUES (40, 'x'), (2, 'x'), (7, 'y');
FLUSH;
"""
QUESTIONS = """
USE groundswell.p;
SELECT * FROM groundswell.p.v ORDER BY b;
SHOW TABLES;
DESCRIBE v;
SELECT b AS key FROM t WHERE a = 7;
"""
ANSWERS = [
    *["b,s", "x,42", "y,7"],
    *["namespace,tableName,isTemporary", "p,t,false", "p,v,false"],
    *["col_name,data_type,comment", "b,string,NULL", "s,bigint,NULL"],
    *["key", "y"],
]


def beeline(port: int, folder: Path, text: str) -> subprocess.CompletedProcess[str]:
    """Runs statements in a session of their own."""
    script = folder / "statements.sql"
    script.write_text(text, "utf-8")
    command = [str(HOME / "bin" / "beeline"), "-u", f"jdbc:hive2://127.0.0.1:{port}/"]
    return subprocess.run(
        [*command, "--outputformat=csv2", "--silent=true", "-f", str(script)],
        capture_output=True,
        text=True,
        timeout=300,
        env={"SPARK_HOME": str(HOME), "PATH": "/usr/bin:/bin", "HOME": str(folder)},
    )


def test_sessions_of_the_thrift_server_have_pipelines(jar: Path, tmp_path: Path) -> None:
    with running(THRIFT, tmp_path) as port:
        made = beeline(port, tmp_path, STATEMENTS.format(location=tmp_path / "p"))
        assert made.returncode == 0, made.stdout + made.stderr
        asked = beeline(port, tmp_path, QUESTIONS)  # another session knows the pipeline
        assert asked.returncode == 0, asked.stdout + asked.stderr
        lines = [re.sub(r"^(null\s*)+", "", line) for line in asked.stdout.splitlines()]
        assert [line for line in lines if line not in ("", "Result")] == ANSWERS
        unkept = "CREATE MATERIALIZED VIEW w AS SELECT rand() r, a FROM t ORDER BY r;"
        refused = beeline(port, tmp_path, f"USE groundswell.p; {unkept}")
        assert refused.returncode != 0
        assert "GROUNDSWELL.NotIncremental" in refused.stderr
        dropped = beeline(port, tmp_path, "DROP PIPELINE p;")
        assert dropped.returncode == 0, dropped.stderr
