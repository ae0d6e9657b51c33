"""Sessions that began without Python: ``spark-sql``."""

import os
import subprocess
import sys
from pathlib import Path

import pyspark
import pytest

from groundswell import confs

pytestmark = pytest.mark.rest

STATEMENTS = """
CREATE TABLE plain (a int) USING parquet;
CREATE PIPELINE p LOCATION '{place}';
USE groundswell.p;
CREATE TABLE t (a int);
CREATE MATERIALIZED VIEW v AS SELECT sum(a) AS s FROM t;
INSERT INTO t VALUES (40), (2);
FLUSH;
SELECT concat('sum ', s) FROM v;
SHOW TABLES;
"""


def test_spark_sql_has_pipelines(jar: Path, tmp_path: Path) -> None:
    home = Path(pyspark.__file__).parent
    command = [str(home / "bin" / "spark-sql"), "--master", "local[2]", "--jars", str(jar)]
    for key, value in {
        confs.EXTENSIONS_KEY: confs.EXTENSIONS,
        confs.FILE_MANAGER_KEY: confs.FILE_MANAGER,
        "spark.pyspark.python": sys.executable,
        "spark.ui.enabled": "false",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        "spark.sql.warehouse.dir": str(tmp_path / "warehouse"),
    }.items():
        command += ["--conf", f"{key}={value}"]
    text = STATEMENTS.format(place=tmp_path / "p")
    env = {**os.environ, "SPARK_HOME": str(home)}
    done = subprocess.run(
        [*command, "-e", text], cwd=tmp_path, env=env, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr[-4000:]
    assert "sum 42" in done.stdout, done.stdout + done.stderr[-4000:]
    assert "\nt\nv\n" in done.stdout
