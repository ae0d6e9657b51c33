"""``make soak-cluster``: a pipeline on a standalone cluster for hours, while executors die.

Tables change all the time; a view is added and dropped, the states are cut into other partitions,
and every few minutes an executor is killed as by ``kill -9``. What may grow is sampled and drawn.
In the end every view is compared with batch Spark. Ends with 1 if one differs, or the query died.
"""

from __future__ import annotations

import argparse
import random
import tempfile
import time
from pathlib import Path
from typing import Any

from cluster import picture, samples, servers
from cluster.workload import MORE, VIEWS, Shop
from crash.processes import children, executors, kill
from heap import __main__ as heap
from shared import session
from shared.arguments import positive_float
from shared.growth import growth

CONFS = {**heap.CONFS, "spark.groundswell.cacheSize": "16m"}


class Schedule:
    """Says when something is due that happens every so many seconds."""

    def __init__(self, seconds: float) -> None:
        self._seconds, self._next = seconds, time.monotonic() + seconds

    def due(self) -> bool:
        if time.monotonic() < self._next:
            return False
        self._next += self._seconds
        return True


def jvms(driver: int, workers: list[int]) -> dict[str, int]:
    """The driver, and the executor of each worker that has one."""
    found = {"driver": driver}
    for number, worker in enumerate(workers):
        for pid in executors(worker)[:1]:
            found[f"executor {number}"] = pid
    return found


def live(shop: Shop, query: Any, rng: random.Random) -> str:
    """Changes something of the running query; says what."""
    what = rng.choice(["rescale", "view"])
    if what == "rescale":
        partitions = rng.choice([2, 3, 4])
        query.rescale(partitions)
        return f"{partitions} partitions"
    for name, of in MORE.items():
        if name in query.views:
            query.dropView(name)
            return f"view {name} dropped"
        query.addView(name, of(*shop.frames()))
        return f"view {name} added"
    return "nothing"


def newest(query: Any) -> int:
    """The newest epoch; -1 just after a change, when the query has begun again."""
    return int((query.lastProgress or {"epoch": -1})["epoch"])


def run(spark: Any, folder: Path, workers: list[int], args: argparse.Namespace) -> int:
    rng = random.Random(args.seed)
    location = folder / "checkpoint"
    shop = Shop(spark, location, args.seed)
    query = shop.pipeline.start(processingTime="0 seconds")
    series: dict[str, list[tuple[float, float]]] = {}
    began = time.monotonic()
    kills, changes, looks = (
        Schedule(60 * each) for each in (args.kill_every, args.change_every, args.look_every)
    )
    killed, epochs = 0, 0
    while (minute := (time.monotonic() - began) / 60) < args.minutes:
        shop.write()
        query.processAllAvailable()
        epochs = max(epochs, newest(query))
        if changes.due():
            print(f"{minute:6.1f} min: {live(shop, query, rng)}", flush=True)
        if kills.due():
            victim = rng.choice([pid for worker in workers for pid in executors(worker)] or [0])
            if victim:
                kill(victim, *children(victim))
                killed += 1
            print(f"{minute:6.1f} min: executor {victim} killed", flush=True)
        if looks.due():
            found = samples.sample(jvms(session.pid(spark), workers), location)
            for name, value in found.items():
                series.setdefault(name, []).append((minute, value))
            told = ", ".join(f"{name} {value:,.0f}" for name, value in found.items())
            print(f"{minute:6.1f} min, epoch {newest(query)}: {told}", flush=True)
    query.processAllAvailable()
    epochs = max(epochs, newest(query))
    differing = shop.differing({**VIEWS, **{n: of for n, of in MORE.items() if n in query.views}})
    query.stop()
    args.picture.parent.mkdir(parents=True, exist_ok=True)
    args.picture.write_text(picture.charts(series), "utf-8")
    print(f"{epochs} epochs, {killed} executors killed; drawn in {args.picture}")
    for name, points in series.items():
        values = [value for _, value in points]
        print(
            f"{name}: {min(values):,.0f} to {max(values):,.0f}, "
            f"{60 * growth(points):+,.1f} an hour in the end"
        )
    print(f"views that differ from batch Spark: {', '.join(differing) or 'none'}")
    return int(bool(differing))


def main() -> int:
    parser = argparse.ArgumentParser(prog="cluster", description=__doc__)
    parser.add_argument("--minutes", type=positive_float, default=120)
    parser.add_argument("--kill-every", type=float, default=5, help="minutes (5)")
    parser.add_argument("--change-every", type=float, default=3, help="minutes (3)")
    parser.add_argument("--look-every", type=float, default=1, help="minutes (1)")
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 31))
    parser.add_argument("--picture", type=Path, default=Path("build/soak-cluster.svg"))
    args = parser.parse_args()
    print(f"--seed {args.seed}", flush=True)
    with tempfile.TemporaryDirectory(prefix="cluster-") as name:
        folder = Path(name)
        with servers.standalone(folder, 2) as (url, workers):
            spark = session.session("cluster", {"spark.master": url, **CONFS})
            try:
                return run(spark, folder, workers, args)
            finally:
                spark.stop()


if __name__ == "__main__":
    raise SystemExit(main())
