"""Which source a placeholder means, and what the checkpoint calls it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count
from typing import Any

from groundswell.contract.capture.plan import SourceDescription, SourceWatermark
from groundswell.errors import SourceError
from groundswell.plan.sources import Mode, SourceTable

_declared: dict[tuple[str, str], SourceTable] = {}

Follower = Callable[[str], None]
"""Takes an offset of a stream, as JSON, up to which all is durable; it raises nothing."""
_followers: dict[tuple[str, str], tuple[str, Follower]] = {}


def declare(jvm: str, table: SourceTable) -> None:
    """Remembers what the user said of a source; a placeholder of it may appear in any query.

    Ids are unique in one JVM only: ``jvm`` says in which.
    """
    _declared[jvm, table.id] = table


def declared(jvm: str, key: str) -> SourceTable | None:
    """What the user said of a source; None: nothing."""
    return _declared.get((jvm, key))


def follow(jvm: str, key: str, stream: str, follower: Follower) -> None:
    """Has a function told how far a source's stream is durable.

    Args:
        jvm: as of :func:`declare`.
        key: of the source, which may share the stream with others.
        stream: its name in Spark's checkpoint.
        follower: gives up what is no longer needed.
    """
    _followers[jvm, key] = (stream, follower)


def followers(jvm: str, keys: Collection[str]) -> dict[str, Follower]:
    """The functions to be told of the streams of some sources, by the stream's name."""
    return dict(_followers[jvm, key] for key in keys if (jvm, key) in _followers)


@dataclass(frozen=True)
class Size:
    """About how much there is, or may be taken.

    Attributes:
        rows: number of rows; 0: nobody knows, or any number.
        bytes: of files or pages; 0: nobody knows, or any number.
    """

    rows: int = 0
    bytes: int = 0

    def __add__(self, other: Size) -> Size:
        return Size(self.rows + other.rows, self.bytes + other.bytes)


Measure = Callable[[], Size]
"""Looks how much a stream has to be read at first."""
_measures: dict[tuple[str, str], tuple[str, Measure]] = {}


def measure(jvm: str, key: str, stream: str, look: Measure) -> None:
    """Has a function asked how much a source has, before it is read first.

    Args:
        jvm: as of :func:`declare`.
        key: of the source, which may share the stream with others.
        stream: any name that only sources of the same stream have.
        look: of the whole stream.
    """
    _measures[jvm, key] = (stream, look)


def measure_of(jvm: str, key: str) -> tuple[str, Measure] | None:
    """The stream of a source and what measures it; None: nothing does."""
    return _measures.get((jvm, key))


def resolve(jvm: str, described: Iterable[SourceDescription]) -> dict[str, SourceTable]:
    """The tables behind the sources of some queries, by id, all with names.

    A source without a name is called ``source_1``, ``source_2``, ... in order of appearance: the
    same for the same views. Where views come and go the definition says whether a number may mean
    another source now.

    Args:
        jvm: the JVM that the ids are from.
        described: the ``sources`` of the captured queries, in order; repeats are fine.
    """
    tables: dict[str, SourceTable] = {}
    for source in described:
        key = source.key
        if key not in tables:
            plain = SourceTable(key, source.name or "", Mode.APPEND)
            tables[key] = marked(_declared.get((jvm, key), plain), source.watermark)
    taken: dict[str, str] = {}
    for table in tables.values():
        if table.mode is Mode.VIEW:
            continue
        if table.name and taken.setdefault(table.name, table.id) != table.id:
            raise SourceError(
                f"two different sources are named {table.name!r}; give each its own name with "
                "spark.readStream.name(...) or name=..., or build both views on one DataFrame"
            )
    number = 0
    for table in list(tables.values()):
        if not table.name:
            number += 1
            while f"source_{number}" in taken:
                number += 1
            tables[table.id] = replace(table, name=f"source_{number}", numbered=True)
    return tables


def stream_names(source: SourceTable, described: SourceDescription) -> dict[str, list[str]]:
    """What the checkpoint calls the streams that a source reads, as ``bridge.Placeholders.named``.

    Of those that are called by a number, where they read, too.
    """
    given = described.streams
    numbers = count(1)
    several = given.count("") > 1
    called = [
        name or (f"{source.name}_{next(numbers)}" if several else source.name) for name in given
    ]
    folders = {"folders": list(described.folders)} if several or source.numbered else {}
    return {"streams": called, **folders}


def marked(table: SourceTable, watermark: SourceWatermark | None) -> SourceTable:
    """A source with a watermark, as the JVM describes one; None: as it is.

    Raises:
        SourceError: if changes of its rows cannot be told late by their event time.
    """
    if watermark is None:
        return table
    called = f"source {table.name or table.id}: withWatermark({watermark.column!r}) does not fit"
    if table.mode is Mode.CHANGELOG:
        raise SourceError(
            f"{called} a changelog: of an update one half could be late and the other not. Make it "
            "upserts (gs.upserts), or leave the watermark out"
        )
    if table.life_micros:
        raise SourceError(
            f"{called} a source with a ttl: its old rows would be deleted after the watermark has "
            "declared them final. Leave one of the two out"
        )
    return replace(table, event_time=watermark.column, delay_millis=watermark.delay_millis)


def fields_of(described: SourceDescription) -> Sequence[Mapping[str, Any]]:
    """The columns of a source, as Spark's JSON has them."""
    assert isinstance(described.schema, Mapping)
    fields: Sequence[Mapping[str, Any]] = described.schema["fields"]
    return fields
