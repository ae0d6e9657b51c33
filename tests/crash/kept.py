"""A pipeline over a table that it writes to itself, till it is killed or has made its barriers."""

from __future__ import annotations

import itertools
import sys

import groundswell as gs
from crash.rivals import session

COLUMNS = "id bigint, story bigint"


def main(location: str, barriers: int) -> None:
    spark = session({})
    p = gs.pipeline(spark, location, partitions=2, retainEpochs=2, retireEvery=1)
    votes = p.table("votes", COLUMNS, key="id")
    p.view("counts", votes.df.groupBy("story").count())
    run = p.start()
    print("ready", flush=True)
    for i in itertools.count() if barriers == 0 else range(barriers):
        votes.upsert(spark.createDataFrame([(i % 9, i % 4)], COLUMNS))
        run.processAllAvailable()
    run.stop()
    spark.stop()


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
