"""A pipeline with the passwords of four servers that logs, draws, explains and fails.

``secrets_flow.py CONFS LOCATION STATEMENTS BAD``: CONFS are Spark's, the others lists of SQL. Each
statement is run and its rows are printed, then what the page shows. It says ``served``, waits for a
line while its servers are killed and come back, and ends after another epoch.
"""

from __future__ import annotations

import json
import sys
import urllib.request


def main(given: dict[str, str], location: str, statements: list[str], bad: list[str]) -> None:
    from pyspark.sql import SparkSession

    import groundswell as gs
    from groundswell.sql.executor import REGISTRY
    from groundswell.ui.server import Server

    builder = SparkSession.builder
    for key, value in given.items():
        builder = builder.config(key, value)
    spark = gs.configure(builder).getOrCreate()

    def said(statement: str) -> None:
        print(statement, "gives", [tuple(row) for row in spark.sql(statement).collect()])

    def refused(statement: str) -> None:
        try:
            said(statement)
        except Exception as e:  # noqa: BLE001 - its text is what is looked at
            print(f"refused: {type(e).__name__}: {e}")
        else:
            raise AssertionError(f"{statement} was taken")

    for statement in statements:
        said(statement)
    for statement in bad:
        refused(statement)
    (pipeline,) = REGISTRY.all(spark)
    serving = Server(location, token="").start()
    for path in ("", "body", "metrics/prometheus"):
        with urllib.request.urlopen(f"{serving.address.rstrip('/')}/{path}") as answer:
            print(answer.read().decode("utf-8"))
    serving.stop()
    for query in spark.streams.active:
        print(query.status, query.lastProgress, query.explain(True))
    print("served", flush=True)
    sys.stdin.readline()
    said("FLUSH")
    pipeline.stop()
    print("it went on", flush=True)


if __name__ == "__main__":
    main(*(json.loads(argument) for argument in sys.argv[1:]))
