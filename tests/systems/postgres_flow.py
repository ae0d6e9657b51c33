"""Views over the bank's accounts, in a process that others kill.

``python postgres_flow.py FOLDER DSN``: goes on, also after failures, until ``FOLDER/enough`` is
there and a run has read all. Each epoch's sum and count is a line of ``FOLDER/sums.log``, each
failure's message one of ``FOLDER/failures.log``. The password is ``PGPASSWORD``.
"""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path
from typing import Any

from py4j.protocol import Py4JNetworkError

CONFS = {
    "spark.master": "local[2]",
    "spark.ui.enabled": "false",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.memory": "700m",
    "spark.sql.shuffle.partitions": "2",
}


def main(folder: Path, dsn: str) -> None:
    from pyspark.sql import SparkSession

    import groundswell as gs

    builder = SparkSession.builder
    for key, value in CONFS.items():
        builder = builder.config(key, value)
    spark = gs.configure(builder).getOrCreate()

    def note(changes: Any, epoch: int) -> None:
        there = changes.where("_change_type IN ('insert', 'update_postimage')").collect()
        with (folder / "sums.log").open("a") as log:
            for row in there:
                log.write(f"{epoch} {row.s} {row.n}\n")
            log.flush()
            os.fsync(log.fileno())

    while True:
        last = (folder / "enough").exists()
        try:
            accounts = gs.postgres(spark, dsn, ["accounts"], max_rows=20_000)["accounts"]
            pipeline = gs.pipeline(spark, str(folder / "checkpoint"))
            pipeline.view("accounts_now", accounts)
            money = accounts.selectExpr("sum(balance) s", "count(*) n", "max(balance) most")
            pipeline.view("money", money, note)
            run = pipeline.start(**({"availableNow": True} if last else {}))
            if last:
                run.awaitTermination()
                rows = gs.read_view(spark, str(folder / "checkpoint"), "accounts_now")
                rows.coalesce(1).write.json(str(folder / "accounts"), "overwrite")
                return
            while not (folder / "enough").exists() and run.isActive:
                time.sleep(0.2)
            if run.isActive:
                run.stop()
            else:
                run.awaitTermination()  # raises what it failed with
        except Exception as e:  # noqa: BLE001 - whatever it is, it goes on
            if isinstance(e, ConnectionRefusedError | Py4JNetworkError):
                sys.exit(137)  # the JVM has died at a fail point
            with (folder / "failures.log").open("a") as log:
                log.write(f"{type(e).__name__}: {e}".replace("\n", " ")[:500] + "\n")
            time.sleep(0.5)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
