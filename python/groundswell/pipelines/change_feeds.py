"""``create_auto_cdc_flow`` of a project's Python files."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import fields
from typing import Any

import pyspark.pipelines
import pyspark.pipelines.api
from pyspark.pipelines.source_code_location import (
    SourceCodeLocation,
    get_caller_source_code_location,
)

from groundswell.api.cdc_flow import ChangeFeed, Expression, Names
from groundswell.errors import ConfigurationError

NAME = "create_auto_cdc_flow"
Register = Callable[[str, str, str, ChangeFeed, SourceCodeLocation], None]
"""Takes a flow's name, its target, its source, what is done with it, and where it is defined."""


@contextmanager
def registered(register: Register) -> Iterator[None]:
    """Gives ``pyspark.pipelines`` a ``create_auto_cdc_flow`` that registers at ours.

    Spark's own makes columns of Spark Connect, which a classic session cannot evaluate. Ours has
    Databricks' parameters, too, where :func:`groundswell.auto_cdc` has them.
    """

    def create_auto_cdc_flow(
        target: str,
        source: str,
        keys: Names,
        sequence_by: Expression,
        apply_as_deletes: Expression | None = None,
        column_list: Names = None,
        except_column_list: Names = None,
        stored_as_scd_type: int | str | None = None,
        name: str | None = None,
        *,
        spark_conf: dict[str, str] | None = None,
        **more: Any,
    ) -> None:
        """As in ``pyspark.pipelines``."""
        if spark_conf:
            raise ConfigurationError(
                f"{NAME}({target!r}) has its own spark_conf ({', '.join(spark_conf)}), but all "
                "flows run together here: put it in configuration of the spec"
            )
        if unknown := sorted(more.keys() - {each.name for each in fields(ChangeFeed)}):
            raise ConfigurationError(
                f"{NAME}({target!r}) has {', '.join(unknown)}, which is not supported here; leave "
                "it out"
            )
        feed = ChangeFeed(
            keys,
            sequence_by,
            apply_as_deletes,
            column_list=column_list,
            except_column_list=except_column_list,
            stored_as_scd_type=1 if stored_as_scd_type is None else stored_as_scd_type,
            **more,
        )
        where = get_caller_source_code_location(stacklevel=1)
        register(name or target, target, source, feed, where)

    modules: tuple[Any, ...] = (pyspark.pipelines, pyspark.pipelines.api)
    before = [getattr(module, NAME, None) for module in modules]
    try:
        for module in modules:
            setattr(module, NAME, create_auto_cdc_flow)
        yield
    finally:
        for module, was in zip(modules, before, strict=True):
            if was is None:
                delattr(module, NAME)
            else:
                setattr(module, NAME, was)
