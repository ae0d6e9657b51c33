"""What the user said of a view. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from pyspark.sql import DataFrame

from groundswell.errors import ConfigurationError
from groundswell.optimizer.refresh import POLICIES
from groundswell.plan.divert import FAIL, check_errors
from groundswell.plan.expiry import Ttl, check_ttl
from groundswell.plan.watermarks import EMITS

BatchFunction = Callable[[Any, int], None]
STOP_PIPELINE = "stop_pipeline"
SET_ASIDE = "set_aside"
ON_FAILURE = (STOP_PIPELINE, SET_ASIDE)
"""What a view that fails ends: the whole pipeline, or itself and the views that read it."""


@dataclass(frozen=True)
class ViewSpec:
    """A view of a pipeline.

    Attributes:
        frame: its query.
        emit: when it gives its rows, one of :data:`~groundswell.plan.watermarks.EMITS`.
        ttl: how long it keeps a row; None: for ever.
        errors: what becomes of rows that expressions cannot digest, ``fail`` or ``divert``.
        sink: takes its changes; None: nobody does.
        on_failure: what its failure ends, one of :data:`ON_FAILURE`.
        max_state_bytes: how large its state may grow; None: as it will.
        policy: whether barriers may compute it anew, one of
            :data:`~groundswell.optimizer.refresh.POLICIES`; None: it was not given one, and its
            changes are followed.
    """

    frame: DataFrame
    emit: str = "update"
    ttl: Ttl | None = None
    errors: str = FAIL
    sink: BatchFunction | None = None
    on_failure: str = STOP_PIPELINE
    max_state_bytes: int | None = None
    policy: str | None = None


def view_spec(
    name: str,
    frame: Any,
    *,
    sink: BatchFunction | None = None,
    emit: str | None = None,
    ttl: str | timedelta | None = None,
    ttl_column: str | None = None,
    errors: str | None = None,
    on_failure: str = STOP_PIPELINE,
    max_state_bytes: int | None = None,
    policy: str | None = None,
) -> ViewSpec:
    """A view as the user gave it, checked as far as that goes without a plan.

    Args:
        name: for messages.
        frame: a DataFrame, or what ``incremental()`` made of one, whose settings count where
            there are no others.
        sink: takes (changelog, epoch).
        emit: see :class:`ViewSpec`.
        ttl: as ``"1 hour"``.
        ttl_column: since when: a timestamp column.
        errors: see :class:`ViewSpec`.
        on_failure: see :class:`ViewSpec`.
        max_state_bytes: see :class:`ViewSpec`.
        policy: see :class:`ViewSpec`.

    Raises:
        ConfigurationError: for what is no such thing.
    """
    emit = check_emit(emit or getattr(frame, "emit", None) or "update")
    life = check_ttl(ttl, ttl_column) or getattr(frame, "ttl", None)
    on_error = check_errors(errors or getattr(frame, "errors", None) or FAIL)
    frame = getattr(frame, "frame", frame)
    if not isinstance(frame, DataFrame):
        raise ConfigurationError(f"view {name!r} must be a DataFrame, got {type(frame)}")
    if sink is not None and not callable(sink):
        raise ConfigurationError("foreachBatch takes a function of (DataFrame, epoch)")
    if on_failure not in ON_FAILURE:
        raise ConfigurationError(
            f"onFailure must be one of {', '.join(ON_FAILURE)}, got {on_failure!r}"
        )
    whole = isinstance(max_state_bytes, int) and not isinstance(max_state_bytes, bool)
    if max_state_bytes is not None and not (whole and max_state_bytes > 0):
        raise ConfigurationError(
            f"maxStateBytes must be a whole number of bytes above 0, got {max_state_bytes!r}"
        )
    if policy is not None and policy not in POLICIES:
        raise ConfigurationError(f"policy must be one of {', '.join(POLICIES)}, got {policy!r}")
    return ViewSpec(frame, emit, life, on_error, sink, on_failure, max_state_bytes, policy)


def policies_of(views: Mapping[str, ViewSpec]) -> dict[str, str]:
    """By view, of those that were given one."""
    return {name: view.policy for name, view in views.items() if view.policy is not None}


def check_emit(emit: str) -> str:
    """Refuses a way to give rows that there is not."""
    if emit not in EMITS:
        raise ConfigurationError(f"emit must be one of {', '.join(EMITS)}, got {emit!r}")
    return emit
