"""Random views whose state ends with time: the same events a day later leave as much state as the
first time, and not a row more. What a state forgets too late, or never, no view shows.
"""

import random
import shutil
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import note
from pyspark.sql import SparkSession

import groundswell as gs
from incremental.configurations import Configuration
from incremental.events import SCHEMA, marked, row
from incremental.harness import Row, Table, one_barrier
from incremental.searching import search
from incremental.times import BOUNDED, Maker
from incremental.undoing import Held, held

pytestmark = pytest.mark.rest

STEPS = 5
STEP = 20  # seconds from one barrier to the next
DAY = 86_400
END = 40_000
"""Seconds of a day after which all its windows have closed."""


def test_random_views_over_time_forget_as_much_as_they_took_in(
    session: SparkSession, tmp_path: Path
) -> None:
    def check(rng: random.Random, views: int) -> None:
        shutil.rmtree(tmp_path, ignore_errors=True)
        tmp_path.mkdir()
        check_forgetting(session, tmp_path, rng, views)

    search(check)


def some(rng: random.Random, second: int) -> list[Row]:
    """Events of about that time, in seconds of the day; some come too late."""
    return [
        {"at": rng.randint(second - 25, second + 20), "k": rng.choice("ab"), "v": rng.randrange(4)}
        for _ in range(rng.choice([0, 1, 4, 8]))
    ]


def check_forgetting(session: SparkSession, folder: Path, rng: random.Random, count: int) -> None:
    streams = [Table(session, folder, name, SCHEMA) for name in ("a", "b")]
    location = folder / "c"
    queries: dict[str, str] = {}
    emits: dict[str, str] = {}
    days = [[some(rng, step * STEP) for _ in streams] for step in range(STEPS)]
    configuration = Configuration.drawn(rng)
    # A partition forgets when it writes next: with one, each day ends alike.
    options = {**configuration.options, "partitions": 1}

    def pipeline() -> gs.Pipeline:
        for stream in streams:
            gs.appends(marked(stream), name=stream.name).createOrReplaceTempView(stream.name)
        made = gs.pipeline(session, str(location), **options)
        for name, text in queries.items():
            made.view(name, session.sql(text), emit=emits[name])
        return made

    probe = pipeline()
    while len(queries) < count:
        name = f"v{len(queries)}"
        text = Maker(rng, ["a", "b"], BOUNDED).query(rng.randint(1, 3))
        try:
            probe.view(name, session.sql(text), emit="window_close")
        except gs.NotIncremental:
            continue
        queries[name], emits[name] = text, rng.choice(["window_close", "update"])
    note("\n".join(f"{name}, {emits[name]}: {text}" for name, text in queries.items()))
    note(f"{configuration}\n{days}")

    def a_day(number: int) -> Held:
        run = pipeline().start()
        try:
            flush = [[{"at": END + n, "k": "z", "v": 1}] for n in range(2)]
            for step in [*days, *([rows, rows] for rows in flush)]:
                with one_barrier(run):
                    for stream, rows in zip(streams, step, strict=True):
                        stream.put(row(number * DAY + r["at"], r["k"], r["v"]) for r in rows)
                run.processAllAvailable()
        finally:
            run.stop()
        return held(location)

    with configuration.of(session):
        sizes = [sizes_of_operators(a_day(number)) for number in range(3)]
    more = sizes[2] - sizes[1]
    assert not more, f"rows that a day left: {dict(more)} of {sizes}"


def sizes_of_operators(rows: Held) -> Counter[tuple[str, str]]:
    """Rows of all tables but those of views, which keep theirs."""
    return Counter(
        {
            (state, table): sum(found.values())
            for (state, table), found in rows.items()
            if not state.startswith("view-")
        }
    )
