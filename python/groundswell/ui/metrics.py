"""What a page shows, as Prometheus' text format. Pure. docs/metrics.md lists the names."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from groundswell.ui.counts import Counts
from groundswell.ui.model import Picture

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
Sample = tuple[dict[str, str], float]


class Metric(NamedTuple):
    """A metric: its name, and what it is. All are gauges."""

    name: str
    help: str


UP = Metric("groundswell_up", "1 if the location can be read, else 0")
EPOCH = Metric("groundswell_epoch", "number of the newest published epoch")
AGE = Metric("groundswell_epoch_age_seconds", "time since the newest epoch was published")
LAG = Metric("groundswell_lag_seconds", "how long the batch at work has been so; 0: none is")
FRESHNESS = Metric(
    "groundswell_freshness_seconds",
    "from when the batch was put together until the view was readable; of a failed view, the time "
    "since it failed",
)
VIEW_FAILED = Metric("groundswell_view_failed", "1 if the view failed and stands still, else 0")
VIEW_FILLED = Metric("groundswell_view_filled_ratio", "share of the view's rows that is there")
VIEW_ROWS = Metric("groundswell_view_rows", "rows of the view")
VIEW_BYTES = Metric("groundswell_view_bytes", "bytes of the view's own state in storage")
FAILING = Metric("groundswell_failing_rows", "rows of the view that are set aside now")
SOURCE_RATE = Metric("groundswell_source_rows_per_second", "rows read, over the newest epochs")
SOURCE_LATE = Metric("groundswell_source_late_rows", "late rows, over the newest epochs")
EVENT_LAG = Metric("groundswell_event_lag_seconds", "how far the newest event is behind the clock")
STATE_BYTES = Metric("groundswell_state_bytes", "bytes of all states in storage")
STATE_ROWS = Metric("groundswell_state_rows", "rows of all states")
PHASE = Metric("groundswell_phase_seconds", "where the newest epoch's time went")
BUSY = Metric("groundswell_operator_busy_ratio", "share of the time of all tasks")
EXPECTATION = Metric(
    "groundswell_expectation_rows",
    "changed rows that met the constraint, or did not, over the newest epochs",
)
CACHE = Metric(
    "groundswell_cache_blocks",
    "blocks found in the block caches, or read from storage, over the newest epochs",
)
LOOKUPS = Metric("groundswell_state_lookups", "point reads in files, over the newest epochs")
SPARED = Metric(
    "groundswell_filter_negatives", "files that a filter spared a read, over the newest epochs"
)
MISLED = Metric(
    "groundswell_filter_false_positives",
    "files that a filter let pass and that had no such row, over the newest epochs",
)
MERGES = Metric("groundswell_compactions", "finished compactions, over the newest epochs")
MERGED = Metric("groundswell_compaction_bytes", "bytes that compactions wrote, the same")

ALL = (
    UP,
    EPOCH,
    AGE,
    LAG,
    FRESHNESS,
    VIEW_FAILED,
    VIEW_FILLED,
    VIEW_ROWS,
    VIEW_BYTES,
    FAILING,
    SOURCE_RATE,
    SOURCE_LATE,
    EVENT_LAG,
    STATE_BYTES,
    STATE_ROWS,
    PHASE,
    BUSY,
    EXPECTATION,
    CACHE,
    LOOKUPS,
    SPARED,
    MISLED,
    MERGES,
    MERGED,
)


def exposition(picture: Picture | str) -> str:
    """The text that Prometheus reads.

    Args:
        picture: the pipeline; or why it cannot be read, which makes ``groundswell_up`` 0.
    """
    return "".join(_lines(picture))


def _lines(picture: Picture | str) -> Iterator[str]:
    if isinstance(picture, str):
        yield from _metric(UP, [({}, 0)])
        return
    yield from _metric(UP, [({}, 1)])
    last = picture.last
    if last:
        yield from _metric(EPOCH, [({}, last.epoch)])
        yield from _metric(AGE, [({}, max(picture.now_millis - last.published_millis, 0) / 1000)])
        phases = last.phases.items()
        yield from _metric(PHASE, [({"phase": name}, ms / 1000) for name, ms in phases])
    yield from _metric(LAG, [({}, picture.lag_millis / 1000)])
    views = [({"view": view.name}, view) for view in picture.views]
    yield from _metric(
        FRESHNESS,
        [(at, v.freshness_millis / 1000) for at, v in views if v.freshness_millis is not None],
    )
    yield from _metric(VIEW_FAILED, [(at, 1 if v.aside else 0) for at, v in views])
    yield from _metric(VIEW_FILLED, [(at, v.filled) for at, v in views])
    yield from _metric(VIEW_ROWS, [(at, v.rows) for at, v in views])
    yield from _metric(VIEW_BYTES, [(at, v.bytes) for at, v in views])
    yield from _metric(FAILING, [(at, v.failing) for at, v in views if v.failing is not None])
    sources = [({"source": s.name}, s) for s in picture.sources]
    yield from _metric(SOURCE_RATE, [(at, s.rate) for at, s in sources])
    yield from _metric(SOURCE_LATE, [(at, s.late) for at, s in sources])
    lags = [(at, s.event_lag_millis) for at, s in sources]
    yield from _metric(EVENT_LAG, [(at, lag / 1000) for at, lag in lags if lag is not None])
    yield from _metric(STATE_BYTES, [({}, sum(s.bytes for s in picture.states))])
    yield from _metric(STATE_ROWS, [({}, sum(s.rows for s in picture.states))])
    yield from _metric(
        BUSY,
        [
            ({"operator": box.id, "kind": box.title}, round(box.busy, 4))
            for box in picture.boxes
            if box.kind in ("operator", "view")
        ],
    )
    yield from _counted(picture.counts)


def _counted(counts: Counts) -> Iterator[str]:
    yield from _metric(
        EXPECTATION,
        [
            ({"of": e.owner, "constraint": e.constraint, "outcome": outcome}, rows)
            for e in counts.expectations
            for outcome, rows in (("passed", e.passed), ("failed", e.failed))
        ],
    )
    hits, misses = counts.cache
    yield from _metric(CACHE, [({"outcome": "hit"}, hits), ({"outcome": "miss"}, misses)])
    stores = [({"operator": s.operator, "kind": s.title}, s.use) for s in counts.stores]
    yield from _metric(LOOKUPS, [(at, use.lookups) for at, use in stores])
    yield from _metric(SPARED, [(at, use.filter_negatives) for at, use in stores])
    yield from _metric(MISLED, [(at, use.filter_false_positives) for at, use in stores])
    yield from _metric(MERGES, [(at, use.compactions) for at, use in stores])
    yield from _metric(MERGED, [(at, use.compaction_bytes) for at, use in stores])


def _metric(metric: Metric, samples: Iterable[Sample]) -> Iterator[str]:
    lines = [f"{metric.name}{_labels(labels)} {value:.15g}\n" for labels, value in samples]
    if lines:
        yield f"# HELP {metric.name} {metric.help}\n# TYPE {metric.name} gauge\n"
        yield from lines


def _labels(labels: dict[str, str]) -> str:
    if not labels:
        return ""
    return "{" + ",".join(f'{name}="{_quoted(value)}"' for name, value in labels.items()) + "}"


def _quoted(value: str) -> str:
    return value.replace("\\", "\\\\").replace("\n", "\\n").replace('"', '\\"')
