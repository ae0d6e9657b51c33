"""An epoch's changes as messages: upsert, Debezium's envelopes, or plain rows."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

from groundswell.errors import SinkError
from groundswell.plan.sources import CHANGE_TYPE
from groundswell.sinks.changes import MINUS, Changes
from groundswell.sinks.keys import canonical
from groundswell.sinks.plain import as_json, rows_of
from groundswell.sinks.sink import APPEND, SinkStart

UPSERT, DEBEZIUM = "upsert", "debezium"
FORMATS = (UPSERT, DEBEZIUM, APPEND)

Message = tuple[bytes | None, bytes | None]
"""Key and value."""


def messages(changes: Changes, kind: str, start: SinkStart) -> Iterator[Message]:
    """The messages of an epoch; what cannot be sent is raised before the first."""
    key = start.key
    if kind == APPEND:
        rows = canonical(changes.inserts(), key)
        return ((_key(row, key), as_json(row)) for row in rows_of(rows))
    upserts, deletes = changes.net(key)
    if kind == UPSERT:
        return _upserts(upserts, deletes, key)
    return _envelopes(changes, key, start)


def _key(row: dict[str, Any], key: tuple[str, ...]) -> bytes | None:
    return as_json({name: row[name] for name in key}) if key else None


def _upserts(upserts: Any, deletes: Any, key: tuple[str, ...]) -> Iterator[Message]:
    for row in rows_of(upserts):
        yield _key(row, key), as_json(row)
    for row in rows_of(deletes):
        yield _key(row, key), None


def _envelopes(changes: Changes, key: tuple[str, ...], start: SinkStart) -> Iterator[Message]:
    """Before and after of each key; a delete is followed by a tombstone, as Debezium does it."""
    pairs: dict[bytes | None, list[dict[str, Any] | None]] = {}
    for row in rows_of(canonical(changes.table, key)):
        side = 0 if row.pop(CHANGE_TYPE) in MINUS else 1
        pair = pairs.setdefault(_key(row, key), [None, None])
        if pair[side] is not None:
            shown = ", ".join(f"{name} = {row[name]!r}" for name in key)
            raise SinkError(f"two rows of the view had the key {shown}: name others in option key")
        pair[side] = row
    source = {"connector": "groundswell", "name": start.name, "table": start.view}
    now = time.time_ns() // 1_000_000
    return _written(pairs, source, now)


def _written(
    pairs: dict[bytes | None, list[dict[str, Any] | None]], source: dict[str, str], now: int
) -> Iterator[Message]:
    for key, (before, after) in pairs.items():
        if before == after:
            continue
        op = "c" if before is None else "d" if after is None else "u"
        envelope = {"before": before, "after": after, "op": op, "source": source, "ts_ms": now}
        yield key, as_json(envelope)
        if op == "d":
            yield key, None
