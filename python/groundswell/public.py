"""What ``import groundswell`` gives where pyspark is, and what it does to pyspark's classes."""

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

__all__ = [
    "Changes",
    "Copied",
    "Expectation",
    "IncrementalFrame",
    "IncrementalQuery",
    "Pipeline",
    "Sink",
    "SinkOption",
    "SinkOptions",
    "SinkProgress",
    "SinkStart",
    "Snapshot",
    "Table",
    "Transaction",
    "ViewUse",
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
    "read_view",
    "read_views",
    "register_sink",
    "snapshot",
    "table",
    "temporal_join",
    "testing",
    "transaction",
    "upserts",
    "why",
]
