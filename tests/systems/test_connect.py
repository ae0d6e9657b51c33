"""SQL and the catalog through a real server of Spark Connect."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from systems.spark_servers import CONNECT, running

pytestmark = pytest.mark.systems

CLIENT = """
import sys
from pyspark.sql import SparkSession
import groundswell as gs

spark = SparkSession.builder.remote(sys.argv[1]).getOrCreate()
spark.sql(f"CREATE PIPELINE p LOCATION '{sys.argv[2]}'")
spark.sql("USE groundswell.p")
spark.sql("CREATE TABLE t (a int PRIMARY KEY, b string)")
spark.sql("CREATE MATERIALIZED VIEW v AS SELECT b, sum(a) AS s FROM t GROUP BY b")
spark.sql("INSERT INTO t VALUES (40, 'x'), (2, 'x'), (7, 'y')")
spark.sql("FLUSH")
print("rows", sorted(tuple(r) for r in spark.table("groundswell.p.v").collect()))
print("tables", [r.tableName for r in spark.sql("SHOW TABLES").collect()])
print("catalog", sorted(t.name for t in spark.catalog.listTables()))
print("key", spark.sql("SELECT b FROM t WHERE a = 7").collect()[0].b)
(job,) = spark.sql("SHOW JOBS").collect()
print("job", job.name, job.state)
try:
    spark.sql("CREATE MATERIALIZED VIEW w AS SELECT rand() r, a FROM t ORDER BY r")
except Exception as e:
    print("refused", "GROUNDSWELL.NotIncremental" in str(e))
try:
    spark.table("groundswell.p.v").incremental()
except gs.ConfigurationError as e:
    print("guarded", "CREATE MATERIALIZED VIEW" in str(e))
spark.sql("DROP PIPELINE p")
"""


@pytest.fixture
def server(jar: Path, tmp_path: Path) -> Iterator[str]:
    pytest.importorskip("grpc", reason="needs pip install 'pyspark[connect]'")
    with running(CONNECT, tmp_path) as port:
        yield f"sc://127.0.0.1:{port}"


def test_a_client_of_connect_has_pipelines(server: str, tmp_path: Path) -> None:
    script = tmp_path / "client.py"
    script.write_text(CLIENT, "utf-8")
    done = subprocess.run(
        [sys.executable, str(script), server, str(tmp_path / "p")],
        capture_output=True,
        text=True,
        timeout=300,
    )
    log = (tmp_path / "server.log").read_text("utf-8")[-4000:]
    assert done.returncode == 0, done.stdout + done.stderr[-4000:] + log
    assert done.stdout.splitlines() == [
        "rows [('x', 42), ('y', 7)]",
        "tables ['t', 'v']",
        "catalog ['t', 'v']",
        "key y",
        "job v running",
        "refused True",
        "guarded True",
    ]
