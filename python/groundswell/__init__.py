"""Incremental views and a state store for Apache Spark Structured Streaming.

``import groundswell as gs`` gives every DataFrame an ``incremental()``; see docs/incremental.md.
Without pyspark only the command line works (``python -m groundswell doctor`` says what to do).
"""
# ruff: noqa: F405  what public has, in __all__

import sys
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from groundswell.errors import (
    CheckpointLost,
    ConfigurationError,
    Corruption,
    DefinitionChanged,
    EngineError,
    EpochUnavailable,
    Fenced,
    FormatTooNew,
    GroundswellError,
    IllegalState,
    InconsistentChangelog,
    InvalidArgument,
    JavaFailed,
    NotIncremental,
    OffsetsRewound,
    OperatorFailed,
    OutOfMemory,
    PipelineFailed,
    RowFailed,
    SinkError,
    SinkFenced,
    SinkRowRefused,
    SinkUnavailable,
    SourceError,
    SourceLost,
    SqlSyntaxError,
    StateTooLarge,
    StorageFailed,
    VersionUnavailable,
    ViewError,
)
from groundswell.version import VERSION as __version__

if TYPE_CHECKING:
    from groundswell.state.aside import rows_aside
    from groundswell.state.read import read_state, view_to_arrow

_OF_WORKERS = ("pyspark.daemon", "pyspark.worker", "pyspark.sql.worker", "pyspark.sql.streaming")


def _is_worker() -> bool:
    """Whether Spark has started this process, to run functions or to read a source.

    It needs few of our modules: all of them take longer to import than most of its work takes.
    """
    spec = getattr(sys.modules.get("__main__"), "__spec__", None)
    return spec is not None and spec.name.startswith(_OF_WORKERS)


_HAS_PYSPARK = find_spec("pyspark") is not None

if _HAS_PYSPARK and not _is_worker():
    from groundswell.public import *  # noqa: F403

_OF_ARROW = {"read_state": "read", "rows_aside": "aside", "view_to_arrow": "read"}


def __getattr__(name: str) -> Any:
    """What needs pyarrow, which not everyone has, and in Spark's workers all: when asked for."""
    if _HAS_PYSPARK and name in __all__ and name not in _OF_ARROW:
        return getattr(import_module("groundswell.public"), name)
    if name not in _OF_ARROW:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    if missing := [package for package in ("numpy", "pyarrow") if find_spec(package) is None]:
        raise ImportError(f"{name} needs {' and '.join(missing)}: pip install 'groundswell[state]'")
    return getattr(import_module(f"groundswell.state.{_OF_ARROW[name]}"), name)


def __dir__() -> list[str]:
    """The names that people use, for ``dir()`` and for completion."""
    return [*__all__]


__all__ = [
    "Changes",
    "CheckpointLost",
    "ConfigurationError",
    "Copied",
    "Corruption",
    "DefinitionChanged",
    "EngineError",
    "EpochUnavailable",
    "Expectation",
    "Fenced",
    "FormatTooNew",
    "GroundswellError",
    "IllegalState",
    "InconsistentChangelog",
    "IncrementalFrame",
    "IncrementalQuery",
    "InvalidArgument",
    "JavaFailed",
    "NotIncremental",
    "OffsetsRewound",
    "OperatorFailed",
    "OutOfMemory",
    "Pipeline",
    "PipelineFailed",
    "RowFailed",
    "Sink",
    "SinkError",
    "SinkFenced",
    "SinkOption",
    "SinkOptions",
    "SinkProgress",
    "SinkRowRefused",
    "SinkStart",
    "SinkUnavailable",
    "Snapshot",
    "SourceError",
    "SourceLost",
    "SqlSyntaxError",
    "StateTooLarge",
    "StorageFailed",
    "Table",
    "Transaction",
    "VersionUnavailable",
    "ViewError",
    "ViewUse",
    "__version__",
    "appends",
    "as_of_now",
    "asof_join",
    "auto_cdc",
    "backup",
    "changelog",
    "clone",
    "configure",
    "debezium",
    "delta",
    "explain_rewrite",
    "fixpoint",
    "iceberg",
    "jar_path",
    "kafka",
    "late_rows",
    "lookup",
    "mysql",
    "pipeline",
    "postgres",
    "read_state",
    "read_view",
    "read_views",
    "register_sink",
    "rows_aside",
    "snapshot",
    "table",
    "temporal_join",
    "testing",
    "transaction",
    "upserts",
    "view_to_arrow",
    "why",
]
