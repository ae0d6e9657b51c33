"""How much the sources of a pipeline have to be read at first."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from pyspark.sql import DataFrame

from groundswell import jvm
from groundswell.jvm import kafka
from groundswell.runtime.planning.sources import Size, measure_of

SECONDS = 15
"""For so long a Kafka broker is asked."""


def is_own(here: str, source: str) -> bool:
    """Whether a source's stream is read by one of our own readers, in Python.

    Args:
        here: the JVM that its id is from.
        source: its id.
    """
    return measure_of(here, source) is not None


def backlogs(
    frames: Mapping[str, DataFrame], new: Collection[str]
) -> tuple[dict[str, str], dict[str, Size | None]]:
    """Looks at sources that may get a limit.

    Args:
        frames: by id of a source, the streaming DataFrame behind it.
        new: ids of the sources that are to be read from their beginning; others are not measured.

    Returns:
        By id of a source the stream that it reads; and by stream what it has: None if nobody knows,
        nothing of streams that go on.
    """
    streams: dict[str, str] = {}
    sizes: dict[str, Size | None] = {}
    for source, frame in frames.items():
        kinds = jvm.limited_kinds(frame)
        if not kinds:
            continue
        known = measure_of(jvm.jvm_id(frame.sparkSession), source)
        stream = source if known is None else known[0]
        streams[source] = stream
        if source not in new:
            sizes.setdefault(stream, Size())
        elif stream not in sizes:
            sizes[stream] = known[1]() if known is not None else _measured(frame, kinds)
    return streams, sizes


def _measured(frame: DataFrame, kinds: Collection[str]) -> Size | None:
    size = Size()
    if "FILES" in kinds:
        size += Size(bytes=jvm.file_bytes(frame))
    for options in jvm.kafka_options(frame) if "KAFKA" in kinds else ():
        rows = _messages(frame, {name.lower(): (name, value) for name, value in options.items()})
        if rows is None:
            return None
        size += Size(rows=rows)
    return size


def _messages(frame: DataFrame, options: Mapping[str, tuple[str, str]]) -> int | None:
    """What a reader of Kafka has before it; None: it begins at offsets or times of the user's."""
    subscribed = options.get("subscribe", ("", ""))[1]
    if not subscribed or options.keys() & {"startingtimestamp", "startingoffsetsbytimestamp"}:
        return None
    starting = options.get("startingoffsets", ("", "latest"))[1].lower()
    if starting == "latest":
        return 0
    if starting != "earliest":
        return None
    prefix = "kafka."
    config = {
        name[len(prefix) :]: value
        for lower, (name, value) in options.items()
        if lower.startswith(prefix)
    }
    topics = [topic.strip() for topic in subscribed.split(",") if topic.strip()]
    return kafka.messages(frame.sparkSession, config, topics, SECONDS)
