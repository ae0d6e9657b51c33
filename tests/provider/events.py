"""What arrives on the streams that cases read."""

import random
from typing import Any

from provider.replay import Batch, Source

EVENTS = "k string, v long, at timestamp"


def events(seed: int, batches: int = 6, rows: int = 40, keys: int = 12) -> list[Batch]:
    """Rows whose event time moves on by a minute a batch, with stragglers and duplicates."""
    chance = random.Random(seed)
    made: list[list[dict[str, Any]]] = []
    for number in range(batches):
        batch = []
        for _ in range(rows):
            second = 60 * number + chance.randrange(-20, 60)
            at = f"2024-01-01 00:{max(second, 0) // 60:02d}:{max(second, 0) % 60:02d}"
            key = None if chance.random() < 0.05 else f"key-{chance.randrange(keys)}"
            batch.append({"k": key, "v": chance.randrange(20), "at": at})
        made.append(batch)
    return made


def one(**kwargs: Any) -> dict[str, Source]:
    return {"events": Source(EVENTS, events(seed=7, **kwargs))}


def two() -> dict[str, Source]:
    return {
        "left": Source(EVENTS, events(seed=1, rows=12, keys=8)),
        "right": Source(EVENTS, events(seed=2, rows=12, keys=8)),
    }
