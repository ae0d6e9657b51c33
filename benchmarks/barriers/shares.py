"""Shares of a flight recording's samples, by what the threads were at."""

from __future__ import annotations

import json
import subprocess
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

STREAM = "stream execution thread"

# The first that a stack names, from these down, is what its sample counts as.
OF_TASKS = {
    "commit (sort, pack, write)": ("CommitRegion", "CommitWriter", "EpochStore.commit"),
    "dealing out, with what is below it": ("LocalExchange$Deal", "ShuffleWriter"),
    "taking dealt rows": ("RowPages$Reader", "ShuffleBlockFetcher"),
    "view": ("MaterializeOperator.append", "TrackedChanges", "ViewStore", "BundledView"),
    "aggregate": ("AggregateOperator", "GroupTable"),
    "first rows": ("FirstRowsOperator", "FirstRows."),
    "join": ("JoinOperator", "JoinDelta", "AppendJoin", "MatchDelta"),
    "view, with what is below it": ("MaterializeOperator",),
}
OF_READING = {
    "reading": ("org/apache/parquet", "execution/datasources", "execution/vectorized"),
    "folding before the exchange": ("hashAgg", "BytesToBytesMap", "FastHashMap"),
}
OF_STREAM = {
    "py4j and Python": ("py4j",),
    "Spark: planning the batch": ("IncrementalExecution", "QueryExecution"),
    "Spark: making the batch": (".getBatch", "latestOffset"),
    "build: the source's scan": ("FileSourceScan",),
    "build": ("DataflowRunner", "SourceSplitter"),
    "Spark: logs": ("CheckpointLog", "OffsetSeqLog", "CommitLog", "HDFSMetadataLog"),
}
WAITS = (
    "socketRead",
    "accept",
    "poll",
    "Wait",
    "wait",
    "park",
    "read0",
    "select",
    "InputStream.readBytes",
)


def shares(recording: Path) -> list[tuple[str, int, list[str]]]:
    """What threads were at, most first: name, samples, the methods at the top."""
    counts: Counter[str] = Counter()
    tops: dict[str, Counter[str]] = {}
    for thread, frames in _samples(recording):
        kind = _kind(thread, frames)
        counts[kind] += 1
        tops.setdefault(kind, Counter())[_short(frames[0])] += 1
    return [
        (kind, n, [name for name, _ in tops[kind].most_common(5)])
        for kind, n in counts.most_common()
    ]


def _samples(recording: Path) -> Iterator[tuple[str, list[str]]]:
    events = "jdk.ExecutionSample,jdk.NativeMethodSample"
    command = ["jfr", "print", "--json", "--stack-depth", "128", "--events", events, str(recording)]
    out = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    for event in json.loads(out)["recording"]["events"]:
        values: dict[str, Any] = event["values"]
        stack = values.get("stackTrace")
        if not stack:
            continue
        methods = (frame["method"] for frame in stack["frames"])
        frames = [f"{method['type']['name']}.{method['name']}" for method in methods]
        if event["type"] == "jdk.NativeMethodSample" and any(w in frames[0] for w in WAITS):
            continue
        thread = values.get("sampledThread") or {}
        yield thread.get("javaName") or "?", frames


def _kind(thread: str, frames: Sequence[str]) -> str:
    if thread.startswith("groundswell"):
        return "merges"
    if thread.startswith("Executor task"):
        found = _first(frames, OF_TASKS) or "other"
        if found.startswith("dealing"):
            found = _first(frames, OF_READING) or found
        return f"tasks: {found}"
    if thread.startswith((STREAM, "Thread-")):
        return f"driver: {_first(frames, OF_STREAM) or 'other'}"
    return "Spark's other threads"


def _first(frames: Sequence[str], kinds: Mapping[str, tuple[str, ...]]) -> str | None:
    return next(
        (k for k, marks in kinds.items() if any(m in f for f in frames for m in marks)), None
    )


def _short(frame: str) -> str:
    return ".".join(frame.rsplit("/", 1)[-1].split(".")[-2:])
