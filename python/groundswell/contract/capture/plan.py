"""Captured queries as a whole."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from groundswell.contract.capture.nodes import NodeDescription
from groundswell.contract.codec import Cell, Int, SparkType


@dataclass(frozen=True)
class SourceWatermark:
    """A watermark that the user gave a stream.

    Attributes:
        column: name of the column with the time.
        delay_millis: how much later rows may come.
    """

    column: str
    delay_millis: int


@dataclass(frozen=True)
class SourceDescription:
    """A source, or a view, that queries read.

    Attributes:
        key: names it within this JVM.
        name: what the user called it; None: nothing.
        schema: its columns.
        cleans: whether it deletes or moves what was read.
        streams: names of the streams that it reads, ``""`` for one without.
        folders: that these read, ``""`` for one that reads none.
        below: of one with a watermark, what is done to the stream first.
        watermark: that it has; None: it has none.
    """

    key: str
    name: str | None
    schema: SparkType
    cleans: bool
    streams: tuple[str, ...]
    folders: tuple[str, ...]
    below: str | None
    watermark: SourceWatermark | None


@dataclass(frozen=True)
class Refusal:
    """A part of a query that cannot be incremental, as the analysed plan tells.

    Attributes:
        query: which of the queries.
        what: the part.
        why: the reason.
    """

    query: Int
    what: str
    why: str


@dataclass(frozen=True)
class PlanDescription:
    """Several queries, captured in one go: what they share has one id.

    Attributes:
        roots: numbers of their top nodes.
        nodes: all nodes, each before those below it.
        pinned: settings of the session that expressions were analysed under.
        refusals: what cannot be incremental.
        sources: what the queries read.
        decoding: how each ``from_json`` is computed, for people.
    """

    roots: tuple[Int, ...]
    nodes: tuple[NodeDescription, ...]
    pinned: Mapping[str, Cell]
    refusals: tuple[Refusal, ...]
    sources: tuple[SourceDescription, ...]
    decoding: tuple[str, ...]
