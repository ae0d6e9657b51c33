"""``make check-benchmarks``: every benchmark once, as small as it goes, to see that it still runs.

``python -m smallest [bench-skew ...]`` calls ``make`` for each name (default: all), with the
arguments of :data:`SMALLEST`. Reports go to a temporary folder. Figures of so small a run say
nothing. It ends with an error that names each benchmark which failed.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
LIMIT = 900  # seconds of one
SMALLEST = {
    "bench-skew": "--rows 2000 --changes 100 --barriers 3",
    "bench-keys": "--rows 2000 --changes 100 --barriers 3",
    "bench-operators": "2000",
    "bench-batches": "",
    "bench-decoding": "1",
    "bench-json": "--rows 2000 --turns 2",
    "bench-csv": "--rows 2000 --turns 2",
    "bench-recursion": "--nodes 200 --edges 400 --changes 10 --barriers 3",
    "bench-latency": "--batches 4 --warm 2 --rows 100 --partitions 2 --checkpoint-every 1",
    "bench-barriers": "--queries q3 --events 20000 --barriers 3 --runs 1 --native",
    "bench-waiting": "--queries q3 --events 20000 --barriers 3",
    "bench-joins": "--lineitems 4000 --barriers 3 --changes 100 --warm-up 1",
    "bench-optimizer": "--scale 0.001",
    "bench-scale": "--grid 2x1 --barriers 8 --warm 2 --rows 100",
    "bench-merging": "--keys 2000 --rows 200 --barriers 6",
    "bench-filling": "--queries sums --rows 4000 --partitions 2 --seconds 2",
    "bench-recovery": "--rows 2000",
    "bench-rescale": "--rows 2000 --steps 2,3",
    "bench-policy": "--rows 4000 --shares 0.01 --barriers 4",
    "bench-start": "--runs 1 --rows 500 --scale 0.001 --apart",
    "bench-windows": "--minutes 5 --rows 50 --pace 0",
    "bench-serve": "--rows 5000 --points 20 --clients 2 --turns 1",
    "bench-use-views": "--rows 5000 --turns 1",
    "bench-feeds": "--keys 500 --rows 500 --barriers 3 --history 100 --histories 100",
    "bench-refresh": "--scale 0.001 --shares 0.01",
    "bench-fill": "--scale 0.001",
    "bench-tpcds": "--queries 3 --epochs 2 --quick",
    "bench-freshness": "--rates 50 --triggers 1000 --seconds 4 --warm 2 --repeats 1",
    "bench-store": "--rows 5000 --quick",
    "bench-store-beside": f"--base {ROOT} --rows 5000 --turns 1",
    "bench-store-turns": "--variants groundswell rocksdb --rows 5000 --rounds 2 --warm 1",
    "bench-queries": "--batch-rows 500 --batches 4",
    "bench-large": "--events 20000 --rows 2000 --barriers 1,2",
    "bench-views": "--events 20000 --barriers 3 --queries q3 --base-queries=",
    "bench-peers": "--events 20000 --barriers 3 --queries totals",
    "bench-peers-kafka": "--events 20000 --barriers 3 --queries totals",
    "bench-peers-memory": "--events 20000 --barriers 3 --queries q20 --heaps 1g",
    "bench-dbsp": "--events 20000 --barriers 3",
    "bench-checkpoints": "--partitions 2 --batches 2 --latency PUT=1,GET=1,LIST=1",
    "bench-overlap": "--put 5 --rows 200 --barriers 3",
}


def main(names: list[str]) -> None:
    unknown = sorted(set(names) - set(SMALLEST))
    if unknown:
        sys.exit(f"no such benchmark: {', '.join(unknown)}; there are {', '.join(SMALLEST)}")
    failed = []
    with tempfile.TemporaryDirectory(prefix="smallest-") as folder:
        env = {**os.environ, "GROUNDSWELL_RESULTS": folder}
        for name in names or SMALLEST:
            began = time.monotonic()
            command = ["make", "-s", "-C", str(ROOT), name, f"ARGS={SMALLEST[name]}"]
            try:
                ran = subprocess.run(
                    command, env=env, capture_output=True, text=True, timeout=LIMIT, check=False
                )
                wrong = ran.stdout[-2000:] + ran.stderr[-2000:] if ran.returncode else ""
            except subprocess.TimeoutExpired:
                wrong = f"not over after {LIMIT} s"
            outcome = "failed" if wrong else "ran"
            print(f"{name:20} {outcome:7} {time.monotonic() - began:6.1f} s", flush=True)
            if wrong:
                print(wrong, flush=True)
                failed.append(name)
    if failed:
        sys.exit(f"failed: {', '.join(failed)}")


if __name__ == "__main__":
    main(sys.argv[1:])
