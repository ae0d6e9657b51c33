"""Incremental views and a state store for Apache Spark Structured Streaming.

``import groundswell as gs`` gives every DataFrame an ``incremental()``; see docs/incremental.md.
Without pyspark only the command line works (``python -m groundswell doctor`` says what to do).
"""

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

if find_spec("pyspark") is not None:
    from groundswell import testing
    from groundswell.api.cdc import auto_cdc
    from groundswell.api.frame import IncrementalFrame, install, why
    from groundswell.api.joins import as_of_now, asof_join, late_rows, temporal_join
    from groundswell.api.recursion import fixpoint
    from groundswell.api.rewrite import ViewUse, explain_rewrite
    from groundswell.api.session import configure, jar_path
    from groundswell.api.sources import appends, changelog, debezium, upserts
    from groundswell.catalog.expectation import Expectation
    from groundswell.migrate.backup import Copied, backup, clone
    from groundswell.runtime.pipeline import Pipeline
    from groundswell.runtime.query import IncrementalQuery
    from groundswell.runtime.reading.indexes import lookup
    from groundswell.runtime.reading.views import Snapshot, read_view, read_views
    from groundswell.runtime.tables import Table, open_table
    from groundswell.runtime.transactions import Transaction
    from groundswell.sinks.changes import Changes
    from groundswell.sinks.options import SinkOption, SinkOptions
    from groundswell.sinks.registry import register_sink
    from groundswell.sinks.sink import Sink, SinkProgress, SinkStart
    from groundswell.sources.delta import delta
    from groundswell.sources.iceberg import iceberg
    from groundswell.sources.kafka import kafka
    from groundswell.sources.mysql import mysql
    from groundswell.sources.postgres import postgres
    from groundswell.sql.bridge import install as install_sql
    from groundswell.ui.notebook import install as install_notebook

    pipeline = Pipeline
    table = open_table
    transaction = Transaction
    snapshot = Snapshot
    install()
    install_sql()
    install_notebook()

_OF_ARROW = {"read_state": "read", "rows_aside": "aside", "view_to_arrow": "read"}


def __getattr__(name: str) -> Any:
    """What needs pyarrow, which not everyone has: imported when it is asked for."""
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
    "upserts",
    "view_to_arrow",
    "why",
]
