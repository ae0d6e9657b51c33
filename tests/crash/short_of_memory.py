"""A first load of one key whose rows do not fit into the heap: ``short_of_memory.py FOLDER KIND``.

It prints the view's count, the sums of its ids and of the lengths of its texts, and the last epoch.
KIND is ``delta`` or ``csv``. The limits of a barrier let all rows in. Nobody waits for the query
over files of CSV: the program looks whether it is active.
"""

from __future__ import annotations

import logging
import sys
import time
from pathlib import Path

import pyarrow as pa
import pyarrow.csv as csv
from deltalake import write_deltalake
from pyspark.sql import DataFrame, SparkSession

import groundswell as gs

HEAP = "480m"
ROWS, FILES = 640_000, 8
CHANGES = {"delta.enableChangeDataFeed": "true"}
CONFS = {
    "spark.master": "local[2]",
    "spark.driver.memory": HEAP,
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.sql.shuffle.partitions": "2",
    "spark.log.level": "OFF",
}


def main(folder: Path, kind: str) -> None:
    logging.basicConfig(level=logging.WARNING)
    (folder / "big").mkdir()
    for begin in range(0, ROWS, ROWS // FILES):
        ids = list(range(begin, begin + ROWS // FILES))
        texts = [f"{i:016x}" * 32 for i in ids]
        rows = pa.table({"id": ids, "k": [0] * len(ids), "text": texts})
        if kind == "delta":
            write_deltalake(str(folder / "big"), rows, mode="append", configuration=CHANGES)
        else:
            csv.write_csv(rows, str(folder / "big" / f"{begin}.csv"))
    names = pa.table({"k": [0], "name": ["a"]})
    write_deltalake(str(folder / "names"), names, configuration=CHANGES)
    spark = gs.configure(SparkSession.builder.config(map=CONFS)).getOrCreate()
    names = gs.delta(spark, str(folder / "names"), key="k", name="names")
    view = source(spark, folder / "big", kind).join(names, "k").select("id", "name", "text")
    limits = {"maxBarrierRows": 2 * ROWS, "maxBarrierBytes": ROWS * 1000}
    run = gs.pipeline(spark, str(folder / "p"), **limits).view("v", view).start(availableNow=True)
    while kind == "csv" and run.isActive:
        time.sleep(0.1)
    run.stop() if kind == "csv" else run.awaitTermination()
    (row,) = run.view("v").selectExpr("count(*)", "sum(id)", "sum(length(text))").collect()
    print(*row, run.lastProgress["epoch"])
    spark.stop()


def source(spark: SparkSession, folder: Path, kind: str) -> DataFrame:
    if kind == "delta":
        return gs.delta(spark, str(folder), key="id", name="big")
    stream = spark.readStream.schema("id bigint, k bigint, text string").option("header", "true")
    return gs.upserts(stream.csv(str(folder)), key="id", name="big")


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
