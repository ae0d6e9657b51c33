"""``make bench-serve``: a view over PostgreSQL's protocol, beside DuckDB on Parquet.

A view of ``--rows`` rows is kept once; ``python -m groundswell serve`` runs in a process of its
own. Point queries by the key come from one connection, then from many at a time. Scans are timed
over the server and by DuckDB over the same rows as Parquet, with as many threads: CPU time of the
processes that do the work, after the first scan has decoded the view.
"""

from __future__ import annotations

import argparse
import os
import random
import resource
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import duckdb
import psycopg

from shared.arguments import positive_int
from shared.process import cpu_seconds, peak_memory

SCANS = {
    "count": "SELECT count(*) FROM {t}",
    "sums": 'SELECT sum(price), avg(weight), max("at") FROM {t}',
    "groups": "SELECT grp, count(*), sum(price) FROM {t} GROUP BY grp ORDER BY grp",
    "filter": "SELECT count(*), sum(weight) FROM {t} WHERE grp < 10 AND price > 1000",
    "texts": "SELECT count(DISTINCT name) FROM {t} WHERE name LIKE 'item-1%'",
}
THREADS = 2


def build(folder: Path, rows: int) -> None:
    command = [sys.executable, "-m", "serve.build", str(folder / "p"), str(folder / "parquet")]
    subprocess.run([*command, str(rows)], check=True, stderr=subprocess.DEVNULL)


def percentile(times: list[float], share: float) -> float:
    return sorted(times)[min(int(len(times) * share), len(times) - 1)] * 1000


def points(connection: Any, rows: int, count: int, chance: random.Random) -> list[float]:
    times = []
    for _ in range(count):
        key = chance.randrange(rows)
        began = time.perf_counter()
        found = connection.execute("SELECT price FROM items WHERE id = %s", [key]).fetchall()
        times.append(time.perf_counter() - began)
        assert found[0][0] == key % 100_000
    return times


def together(dsn: str, rows: int, clients: int, each: int) -> tuple[list[float], float]:
    """Point queries of many connections at a time: times, and how long all took."""
    ready = threading.Barrier(clients + 1)
    times: list[float] = []

    def client(seed: int) -> None:
        with psycopg.connect(dsn, autocommit=True) as connection:
            connection.execute("SELECT 1")
            ready.wait()
            times.extend(points(connection, rows, each, random.Random(seed)))

    threads = [threading.Thread(target=client, args=(i,)) for i in range(clients)]
    for thread in threads:
        thread.start()
    ready.wait()
    began = time.perf_counter()
    for thread in threads:
        thread.join()
    return times, time.perf_counter() - began


def cpu_of(act: Callable[[], Any], spent: Callable[[], float], turns: int) -> tuple[float, Any]:
    """CPU time of a turn, the mean of some, and what the last one gave."""
    before, found = spent(), None
    for _ in range(turns):
        found = act()
    return (spent() - before) / turns, found


def own_cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=positive_int, default=200_000)
    parser.add_argument("--points", type=positive_int, default=2000)
    parser.add_argument("--clients", type=positive_int, default=200)
    parser.add_argument("--turns", type=positive_int, default=20)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument(
        "--keep", type=Path, help="a folder for the view, used again if it is there"
    )
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as made:
        folder = args.keep or Path(made)
        folder.mkdir(parents=True, exist_ok=True)
        if not (folder / "p").exists():
            build(folder, args.rows)
        command = [sys.executable, "-m", "groundswell", "serve", str(folder / "p"), "--port", "0"]
        command += ["--threads", str(THREADS), "--connections", str(args.clients + 8)]
        command += ["--cache", str(Path(made) / "cache")]
        with served(command) as (dsn, pid):
            report(dsn, pid, folder, args)
        with served(command) as (dsn, pid):
            first_scan("first scan of the next server, with --cache", dsn, pid, args.rows)


@contextmanager
def served(command: list[str]) -> Iterator[tuple[str, int]]:
    """A server: its address, and its process."""
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=dict(os.environ))
    try:
        assert server.stdout is not None
        yield server.stdout.readline().strip(), server.pid
    finally:
        server.terminate()
        server.wait()


def first_scan(title: str, dsn: str, pid: int, rows: int) -> None:
    with psycopg.connect(dsn, autocommit=True) as connection:
        began, before = time.perf_counter(), cpu_seconds(pid)
        connection.execute("SELECT count(*), max(name) FROM items").fetchall()
        print(f"{title:44}{time.perf_counter() - began:9.2f} s")
        each = (cpu_seconds(pid) - before) / rows * 1e6
        print(f"{'its CPU time in the server, a row':44}{each:9.2f} µs")


def report(dsn: str, pid: int, folder: Path, args: argparse.Namespace) -> None:
    print(f"a view of {args.rows:,} rows, seed {args.seed}")
    with psycopg.connect(dsn, autocommit=True) as connection:
        began = time.perf_counter()
        points(connection, args.rows, 1, random.Random(0))
        print(f"{'first point query, nothing decoded':44}{time.perf_counter() - began:9.2f} s")
        before = cpu_seconds(pid)
        times = points(connection, args.rows, args.points, random.Random(args.seed))
        show("point query, one connection", times)
        each = (cpu_seconds(pid) - before) / args.points * 1000
        print(f"{'its CPU time in the server':44}{each:9.2f} ms")
    every, wall = together(dsn, args.rows, args.clients, max(args.points // args.clients, 5))
    show(f"point query, {args.clients} connections at a time", every)
    print(f"{'':44}{len(every) / wall:9.0f} a second")
    first_scan("first scan, which decodes the view", dsn, pid, args.rows)
    with psycopg.connect(dsn, autocommit=True) as connection:
        beside = duckdb.connect(config={"threads": THREADS})
        beside.execute("SET TimeZone = 'UTC'")
        files = f"read_parquet('{folder / 'parquet'}/*.parquet')"
        print(f"\n{'scan, CPU seconds':20}{'server':>10}{'DuckDB':>10}{'DuckDB : server':>18}")
        for name, query in SCANS.items():
            ours, found = cpu_of(
                lambda query=query: connection.execute(query.format(t="items")).fetchall(),  # type: ignore[misc]
                lambda: cpu_seconds(pid) + own_cpu(),
                args.turns,
            )
            theirs, wanted = cpu_of(
                lambda query=query: beside.execute(query.format(t=files)).fetchall(),  # type: ignore[misc]
                own_cpu,
                args.turns,
            )
            assert [row[0] for row in found] == [row[0] for row in wanted], name
            ratio = theirs / ours if ours else float("inf")
            print(f"{name:20}{ours:10.3f}{theirs:10.3f}{ratio:18.2f}")
    print(f"\n{'peak memory of the server':44}{peak_memory(pid) / 1e6:9.0f} MB")


def show(title: str, times: list[float]) -> None:
    half, most = percentile(times, 0.5), percentile(times, 0.99)
    print(f"{title:44}{half:9.2f} ms p50 {most:9.2f} ms p99")


if __name__ == "__main__":
    main()
