"""Change feeds of random events, and the tables that they make, one event after the other."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from random import Random
from typing import Any

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

Event = dict[str, Any]

SCHEMA = (
    "id bigint, part string, name string, place struct<x: int, y: struct<z: string>>, "
    "n int, at bigint, op string"
)
KEYS = ("id", "part")
VALUES = ("name", "place", "n")
COLUMNS = (*KEYS, *VALUES)


def random_events(random: Random, count: int, last: int) -> list[Event]:
    """Events of few keys and few sequences, so that many of them meet."""

    def some(*values: Any) -> Any:
        return random.choice([None, *values])

    found: list[Event] = []
    for _ in range(count):
        y = some({"z": None}, {"z": "u"}, {"z": "v"})
        event = {
            "id": random.randrange(4), "part": random.choice("pq"), "name": some("a", "b"),
            "place": some({"x": some(1, 2), "y": y}), "n": some(1, 2),
            "at": random.randrange(last), "op": random.choice(["U", "U", "U", "D", None]),
        }  # fmt: skip
        if random.random() < 0.05:
            event |= {"op": "T", "id": None, "part": None}
        found += [event] * random.choice([1, 1, 1, 2])
    return found


def with_ties(events: DataFrame) -> list[Event]:
    """The events, and the hash that decides between two upserts of a key and a sequence."""
    null = ["name IS NULL", "name", "place IS NULL", "place.x IS NULL", "place.x",
            "place.y IS NULL", "place.y.z IS NULL", "place.y.z", "n IS NULL", "n"]  # fmt: skip
    hashed = ", ".join(["id IS NULL", "id", "part IS NULL", "part", *null])
    rows = events.select("*", F.expr(f"xxhash64({hashed})").alias("tie")).collect()
    return [row.asDict(recursive=True) for row in rows]


def current(events: Sequence[Event], ignores: Sequence[str] = (), truncates: bool = False) -> Any:
    """Rows of type 1: every event is applied to the table, in order."""
    table: dict[tuple[Any, ...], Event] = {}
    for event in sorted(events, key=_place):
        key = tuple(event[name] for name in KEYS)
        if event["op"] == "T" and truncates:
            table.clear()
        elif event["op"] == "D":
            table.pop(key, None)
        elif event["op"] != "T":
            table[key] = _over(table.get(key), event, ignores)
    return Counter(_frozen([row[name] for name in COLUMNS]) for row in table.values())


def versions(
    events: Sequence[Event], ignores: Sequence[str] = (), tracked: Sequence[str] = VALUES
) -> Any:
    """Rows of type 2: every event that counts ends a version, alters it or begins another one."""
    counts: dict[tuple[Any, ...], Event] = {}
    for event in sorted((e for e in events if e["op"] != "T"), key=_place):
        counts[*(event[name] for name in KEYS), event["at"]] = event
    current: dict[tuple[Any, ...], Event] = {}
    closed: list[Event] = []
    for event in sorted(counts.values(), key=_place):
        key = tuple(event[name] for name in KEYS)
        old = current.pop(key, None)
        new = None if event["op"] == "D" else _over(old, event, ignores)
        if old and new and all(old[name] == new[name] for name in tracked):
            current[key] = {**new, "begins": old["begins"]}
            continue
        if old:
            closed.append({**old, "ends": event["at"]})
        if new:
            current[key] = {**new, "begins": event["at"], "ends": None}
    rows = [*closed, *({**row, "ends": None} for row in current.values())]
    return Counter(_frozen([row[n] for n in (*COLUMNS, "begins", "ends")]) for row in rows)


def shown(table: DataFrame) -> Any:
    """The rows of a view, to be compared."""
    return Counter(_frozen(list(row.asDict(recursive=True).values())) for row in table.collect())


def _place(event: Event) -> tuple[int, int, int]:
    return event["at"], {"D": 1, "T": 2}.get(event["op"], 0), event["tie"]


def _over(old: Event | None, new: Event, ignores: Sequence[str]) -> Event:
    if old is None:
        return dict(new)
    merged = {name: _merged(old[name], new[name]) for name in ignores}
    return {**new, **merged}


def _merged(old: Any, new: Any) -> Any:
    if new is None:
        return old
    if isinstance(new, dict) and isinstance(old, dict):
        return {name: _merged(old[name], value) for name, value in new.items()}
    return new


def _frozen(value: Any) -> Any:
    if isinstance(value, dict):
        return tuple(_frozen(v) for v in value.values())
    return tuple(map(_frozen, value)) if isinstance(value, list) else value
