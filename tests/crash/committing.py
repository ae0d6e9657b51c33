"""Run as a script: tells what it finds, and may die while a transaction is committed.

Arguments: the folder; the number of this life, which is what its transaction writes; and ``first``
to die when the first of its two writes is staged, else nothing. ``found.json`` has the keys in both
tables, and the sum of both at each epoch that is kept.
"""

from __future__ import annotations

import json
import os
import sys
import traceback
from pathlib import Path

import groundswell as gs
from crash.rivals import killer, session

ROW = "id bigint, x bigint"


def main(folder: Path, number: int, dies: str) -> None:
    spark = session({})
    location = str(folder / "p")
    p = gs.pipeline(spark, location, retainEpochs=1000)
    tables = {name: p.table(name, ROW, key="id") for name in ("a", "b")}
    frames = [table.df for table in tables.values()]
    p.view("total", frames[0].unionAll(frames[1]).selectExpr("coalesce(sum(x), 0) AS x"))
    for name, frame in zip(tables, frames, strict=True):
        p.view(f"ids_{name}", frame.select("id"))
    if number == 1:  # an epoch to look at
        tables["a"].upsert([(0, 0)])
        tables["b"].upsert([(0, 0)])
    query = p.start()
    query.processAllAvailable()
    newest = query.status["epoch"]
    views = {name: gs.read_view(spark, location, f"ids_{name}") for name in tables}
    epochs = range(newest + 1)
    found = {
        "keys": {name: sorted(row.id for row in view.collect()) for name, view in views.items()},
        "sums": [
            [row.x for row in gs.read_view(spark, location, "total", epoch).collect()]
            for epoch in epochs
        ],
    }
    (folder / f"found-{number}.json").write_text(json.dumps(found))
    with query.transaction() as t:
        t.insert("a", [(number, -number)])
        if dies == "first":
            killer(spark)()
        t.insert("b", [(number, number)])
    query.processAllAvailable()
    os._exit(0)


if __name__ == "__main__":
    try:
        main(Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3])
    except BaseException:  # noqa: BLE001 - whatever it is, it is told
        traceback.print_exc()
        sys.stderr.flush()
        os._exit(1)  # the JVM is gone: nobody answers what would be asked at the end
