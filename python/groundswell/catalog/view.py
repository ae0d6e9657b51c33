"""Everything that a pipeline knows of a view, and how a user's settings become it.

One more option of a view is one more field and one more check here, one more argument of
``Pipeline.view`` and ``IncrementalQuery.addView``, and the place where it acts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from pyspark.sql import DataFrame

from groundswell.catalog.expectation import (
    Expectation,
    check_expectations,
    with_expectations,
)
from groundswell.columns import TIMES
from groundswell.errors import ConfigurationError
from groundswell.optimizer.refresh import POLICIES
from groundswell.plan.divert import FAIL, check_errors
from groundswell.plan.expiry import Ttl, check_ttl
from groundswell.plan.watermarks import EMITS, WINDOW_CLOSE

BatchFunction = Callable[[Any, int], None]
STOP_PIPELINE = "stop_pipeline"
SET_ASIDE = "set_aside"
ON_FAILURE = (STOP_PIPELINE, SET_ASIDE)
"""What a view that fails ends: the whole pipeline, or itself and the views that read it."""

OPTIONS = ("ttl", "ttl_column", "errors", "onFailure", "maxStateBytes", "policy")
"""What users may set of a view, as they write it; SQL's ``WITH (...)`` takes the same names."""

SETTINGS = ("emit", "expect", *OPTIONS)
"""The same, with what SQL has words of its own for."""


@dataclass(frozen=True)
class View:
    """A view of a pipeline.

    Attributes:
        frame: its query, with the expectations.
        emit: when it emits its rows, one of :data:`~groundswell.plan.watermarks.EMITS`.
        ttl: how long it keeps a row; None: for ever.
        errors: what becomes of rows that expressions cannot evaluate, ``fail`` or ``divert``.
        on_batch: takes its changes (``foreachBatch``); None: nobody does.
        on_failure: what its failure ends, one of :data:`ON_FAILURE`.
        max_state_bytes: greatest size of its state in bytes; None: no limit.
        policy: whether batches may recompute it, one of
            :data:`~groundswell.optimizer.refresh.POLICIES`; None: the user gave none, and its
            changes are followed.
        expect: what its rows are to meet.
        reads: names of the views that its query reads.
        sources: keys of the placeholders of sources and views in its query.
        has_error_rows: whether rows that it diverts are a view of their own.
    """

    frame: DataFrame
    emit: str = "update"
    ttl: Ttl | None = None
    errors: str = FAIL
    on_batch: BatchFunction | None = None
    on_failure: str = STOP_PIPELINE
    max_state_bytes: int | None = None
    policy: str | None = None
    expect: tuple[Expectation, ...] = ()
    reads: frozenset[str] = frozenset()
    sources: frozenset[str] = frozenset()
    has_error_rows: bool = False


def view_of(
    name: str,
    frame: Any,
    *,
    foreachBatch: BatchFunction | None = None,
    emit: str | None = None,
    ttl: str | timedelta | None = None,
    ttl_column: str | None = None,
    errors: str | None = None,
    onFailure: str | None = None,
    maxStateBytes: int | str | None = None,
    policy: str | None = None,
    expect: Iterable[Expectation] | None = None,
) -> View:
    """A view as the user gave it, checked without a plan; see :class:`View`.

    Args:
        name: for messages.
        frame: a DataFrame, or what ``incremental()`` made of one. Settings of the latter count
            where no others are given.
        foreachBatch: takes (changelog, epoch).
        emit: default: ``update``.
        ttl: as ``"1 hour"``.
        ttl_column: a timestamp column since when a row lives.
        errors: default: ``fail``.
        onFailure: default: ``stop_pipeline``.
        maxStateBytes: bytes, as a number or its digits.
        policy: one of ``AUTO``, ``INCREMENTAL``, ``FULL``, ``STRICT``.
        expect: what its rows are to meet.

    Raises:
        ConfigurationError: a value is not allowed, a condition cannot be read, or ``frame`` is
            not a query.
    """
    emit = check_emit(emit or getattr(frame, "emit", None) or "update")
    life = check_ttl(ttl, ttl_column) or getattr(frame, "ttl", None)
    on_error = check_errors(errors or getattr(frame, "errors", None) or FAIL)
    frame = getattr(frame, "frame", frame)
    if not isinstance(frame, DataFrame):
        raise ConfigurationError(f"view {name!r} must be a DataFrame, got {type(frame)}")
    _check_times(name, frame)
    if foreachBatch is not None and not callable(foreachBatch):
        raise ConfigurationError("foreachBatch takes a function of (DataFrame, epoch)")
    on_failure = STOP_PIPELINE if onFailure is None else onFailure
    if on_failure not in ON_FAILURE:
        raise ConfigurationError(
            f"onFailure must be one of {', '.join(ON_FAILURE)}, got {on_failure!r}"
        )
    if policy is not None and policy not in POLICIES:
        raise ConfigurationError(f"policy must be one of {', '.join(POLICIES)}, got {policy!r}")
    limit = _bytes(maxStateBytes)
    expected = check_expectations(name, expect)
    if expected and emit == WINDOW_CLOSE:
        raise ConfigurationError(
            f"view {name!r} emits its rows on window close, and expectations look at rows before "
            "that: put them on a view that reads this one"
        )
    frame = with_expectations(name, frame, expected)
    return View(frame, emit, life, on_error, foreachBatch, on_failure, limit, policy, expected)


def _bytes(given: Any) -> int | None:
    value = int(given) if isinstance(given, str) and given.isdecimal() else given
    whole = isinstance(value, int) and not isinstance(value, bool)
    if value is not None and not (whole and value > 0):
        raise ConfigurationError(
            f"maxStateBytes must be a whole number of bytes above 0, got {given!r}"
        )
    return value


def check_emit(emit: str) -> str:
    """Return the way to emit rows if there is such a way.

    Raises:
        ConfigurationError: there is no such way.
    """
    if emit not in EMITS:
        raise ConfigurationError(f"emit must be one of {', '.join(EMITS)}, got {emit!r}")
    return emit


def _check_times(name: str, frame: DataFrame) -> None:
    """Refuses columns of type time where Spark would refuse each batch's query over them."""
    if frame.sparkSession.conf.get(TIMES, "false") == "true":
        return
    for field in frame.schema.fields:
        if "time(" in field.dataType.simpleString():
            raise ConfigurationError(
                f"view {name!r}, column {field.name}: Spark refuses queries over "
                f"{field.dataType.simpleString()} unless {TIMES} is true: set it, or cast the "
                "column to a string in the source"
            )
