"""What is said once ``spark.stop()`` has been called, as at the end of a notebook."""

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.rest

PROGRAM = """
import sys
import groundswell as gs
from pyspark.sql import SparkSession

spark = gs.configure(SparkSession.builder.master("local[1]")).getOrCreate()
p = gs.pipeline(spark, sys.argv[1])
votes = p.table("votes", "id int", key="id")
counts = votes.df.groupBy().count()
run = p.view("counts", counts).start()
votes.insert([(1,)])
run.processAllAvailable()
spark.stop()
for call in (
    lambda: run.view("counts").collect(),
    lambda: votes.insert([(2,)]),
    lambda: run.addView("others", counts),
    lambda: gs.why(counts),
    lambda: p.start(),
    lambda: spark.sql("SHOW PIPELINES"),
    lambda: spark.table("groundswell.p.counts"),
):
    try:
        call()
    except gs.IllegalState as error:
        print(error)
print(run.isActive)
if "stops" in sys.argv:
    run.stop()
    run.stop()
again = gs.configure(SparkSession.builder.master("local[1]")).getOrCreate()
p = gs.pipeline(again, sys.argv[1])
votes = p.table("votes", "id int", key="id")
run = p.view("counts", votes.df.groupBy().count()).start()
votes.insert([(2,)])
run.processAllAvailable()
print(run.view("counts").collect())
again.stop()
"""
SAYS = (
    "the Spark session has been stopped: make another one, and start the pipeline with it, at the "
    "same location"
)


@pytest.mark.parametrize("then", ["stops", "leaves it"])
def test_calls_say_that_the_session_was_stopped_and_the_next_one_goes_on(
    tmp_path: Path, then: str
) -> None:
    command = [sys.executable, "-c", PROGRAM, str(tmp_path / "c"), then]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ran.stdout.splitlines() == [SAYS] * 7 + ["False", "[Row(count=2)]"], ran.stderr[-2000:]


SQL = """
import sys
import groundswell as gs
from pyspark.sql import SparkSession

for number in (1, 2):
    spark = gs.configure(SparkSession.builder.master("local[1]")).getOrCreate()
    spark.sql(f"CREATE PIPELINE IF NOT EXISTS p LOCATION '{sys.argv[1]}'")
    spark.sql("USE groundswell.p")
    spark.sql("CREATE TABLE IF NOT EXISTS votes (id bigint PRIMARY KEY)")
    spark.sql("CREATE MATERIALIZED VIEW IF NOT EXISTS counts AS SELECT count(*) n FROM votes")
    spark.sql(f"INSERT INTO votes VALUES ({number})")
    spark.sql("FLUSH")
    print(spark.sql("SELECT n FROM counts").collect())
    spark.stop()
"""


def test_the_pipelines_of_a_session_go_with_it(tmp_path: Path) -> None:
    command = [sys.executable, "-c", SQL, str(tmp_path / "c")]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ran.stdout.splitlines() == ["[Row(n=1)]", "[Row(n=2)]"], ran.stderr[-2000:]
