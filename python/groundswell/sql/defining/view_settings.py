"""The settings of ``CREATE MATERIALIZED VIEW``, as :meth:`Pipeline.view` takes them."""

from __future__ import annotations

from typing import Any

from pyspark.sql import DataFrame

from groundswell.sql.connecting.connectors import check_options
from groundswell.sql.defining.expecting import expectations
from groundswell.sql.defining.masking import VIEW_OPTIONS
from groundswell.sql.parsing.statements import CreateView


def view_settings(view: CreateView, frame: DataFrame) -> dict[str, Any]:
    """What a view is made of, by the names of what :meth:`Pipeline.view` takes.

    Args:
        view: the statement.
        frame: its query.

    Raises:
        ConfigurationError: it has an option that there is not.
    """
    more: dict[str, Any] = dict(view.options)
    check_options(f"materialized view {view.name[-1]}", more, VIEW_OPTIONS)
    log = more.pop("changelog", "false").lower() == "true"
    return {
        "frame": frame,
        "foreachBatch": _ignore if log else None,
        "emit": "window_close" if view.window_close else None,
        "expect": expectations(view.constraints),
        **more,
    }


def _ignore(changes: Any, epoch: int) -> None:
    """A sink that makes a view write its changelog, and no more."""
