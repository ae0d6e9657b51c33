"""What ``CREATE SINK`` says to :meth:`groundswell.Pipeline.sink`; and sinks into tables."""

from __future__ import annotations

from typing import Any

from pyspark.sql import functions as F
from pyspark.sql.types import StructType

from groundswell.columns import by_name
from groundswell.errors import ConfigurationError, SinkError
from groundswell.runtime.record.location import read_document, write_document
from groundswell.runtime.tables import home, open_table
from groundswell.sinks.changes import Changes
from groundswell.sinks.registry import check_format
from groundswell.sinks.sink import Sink, SinkProgress, SinkStart
from groundswell.sql.connecting.connectors import schema_of
from groundswell.sql.defining.table_columns import ROW_ID
from groundswell.sql.history import log as logs
from groundswell.sql.parsing import statements as s

_FORMATS = {"deltalake": "delta", "file": "", "posix_fs": "", "s3": ""}
ALIASES = {
    "primary_key": "key",
    "properties.bootstrap.server": "servers",
    "properties.security.protocol": "security_protocol",
    "properties.sasl.mechanism": "sasl_mechanism",
    "properties.sasl.username": "user",
    "properties.sasl.password": "password",
    "properties.ssl.ca.location": "ssl_ca",
}
_TYPES = ("append-only", "upsert", "debezium")
_MODES = {
    "kafka": ("messages", dict(zip(_TYPES, ("append", "upsert", "debezium"), strict=True))),
    "postgres": ("mode", {"append-only": "append", "upsert": "upsert"}),
    "jdbc": ("mode", {"append-only": "append", "upsert": "upsert"}),
    "clickhouse": ("mode", {"append-only": "append", "upsert": "replace"}),
    "delta": ("mode", {"append-only": "append", "upsert": "merge"}),
    "iceberg": ("mode", {"append-only": "append", "upsert": "merge"}),
}
_KINDS = {"PLAIN": "append-only", "UPSERT": "upsert", "DEBEZIUM": "debezium"}
_DOCUMENT = "sink-table"


def format_and_options(sink: s.CreateSink) -> tuple[str, dict[str, str]]:
    """The format and options of ``pipeline.sink``, with RisingWave's names read as ours.

    Raises:
        ConfigurationError: there is no such format, or it has no such ``type``.
    """
    what = f"sink {sink.name[-1]}"
    options = {_alias(key): value for key, value in sink.options.items()}
    format_ = options.pop("connector").lower()
    format_ = _FORMATS.get(format_, format_) or options.pop("format", "")
    check_format(format_, what)
    kind = options.pop("type", None)
    if sink.format is not None:
        if sink.format not in _KINDS:
            raise ConfigurationError(
                f"{what}: FORMAT is PLAIN, UPSERT or DEBEZIUM, not {sink.format}"
            )
        if kind not in (None, _KINDS[sink.format]):
            raise ConfigurationError(
                f"{what}: FORMAT {sink.format} and type = {kind!r} contradict each other"
            )
        kind = _KINDS[sink.format]
    if kind == "append-only" and format_ in ("json", "parquet"):
        kind = None  # they have no other
    if kind is not None:
        name, kinds = _MODES.get(_canonical(format_), ("mode", {}))
        if kind not in kinds:
            there = ", ".join(map(repr, kinds)) or "no other; leave type out"
            raise ConfigurationError(
                f"{what}: format {format_!r} has no type {kind!r}; it has {there}"
            )
        options[name] = kinds[kind]
    return format_, options


def _canonical(format_: str) -> str:
    return "postgres" if format_ == "postgresql" else format_


def _alias(option: str) -> str:
    for end in ("_env", "_file"):
        if option.endswith(end):
            return _alias(option.removesuffix(end)) + end
    return ALIASES.get(option, option)


def into_table(
    sink: s.CreateSink, made: logs.Object, before: logs.Contents
) -> tuple[TableSink, logs.Object]:
    """A sink into a table of the same pipeline, and that table.

    Args:
        sink: the statement.
        made: the sink.
        before: what was there when its statement was run.

    Raises:
        ConfigurationError: there is no such table that is written to.
    """
    assert sink.into is not None
    to = before.objects.get(sink.into[-1].lower())
    statement = to.made.statement if to else None
    if to is None or not isinstance(statement, s.CreateRelation) or to.kind != s.TABLE:
        known = ", ".join(o.name for o in before.of(s.TABLE)) or "none"
        raise ConfigurationError(
            f"sink {made.name}: there is no table {sink.into[-1]!r}; there are {known}"
        )
    if statement.options.get("connector"):
        raise ConfigurationError(
            f"sink {made.name}: table {to.name} is fed by its connector; a sink writes to "
            "tables without one"
        )
    key = statement.key
    return TableSink(to.name, to.stored, key, schema_of(statement), ROW_ID), to


class TableSink(Sink):
    """Writes an epoch's changes to a table of the same pipeline, as one write.

    The write's file is named after sink and epoch. An epoch that is delivered twice has the same
    name, and the table's stream takes a name once, also if the file is gone by then.
    """

    def __init__(
        self, table: str, stored: str, key: tuple[str, ...], schema: StructType, row_id: str
    ) -> None:
        """A sink into a table.

        Args:
            table: its name, for messages.
            stored: what the pipeline calls it.
            key: its key; empty: rows are only inserted.
            schema: its columns, hidden ones left out.
            row_id: the hidden key of a table without one; a table that only grows has none.
        """
        self._table, self._stored, self._key, self._columns = table, stored, key, schema
        self._row_id = row_id
        self._staged: Changes | None = None

    @property
    def key(self) -> tuple[str, ...]:
        """The table's key."""
        return self._key

    def open(self, start: SinkStart) -> None:
        """Checks columns and key."""
        self._start, self._staged = start, None
        more = [name for name in start.columns if name not in self._columns.names]
        if more:
            raise SinkError(
                f"table {self._table} has no column {', '.join(more)}; it has "
                f"{', '.join(self._columns.names)}: columns go by their names, so rename them in "
                "the query with AS"
            )
        if not self._key:
            start.need_append_only()
        elif lacking := [name for name in self._key if name not in start.columns]:
            raise SinkError(
                f"the PRIMARY KEY of table {self._table} needs {', '.join(lacking)}, and the sink "
                f"has the columns {', '.join(start.columns)}"
            )
        self._home = home(start.spark, start.location, self._stored)

    def recover(self) -> SinkProgress | None:
        """The last epoch that the table was given."""
        document = read_document(self._home, self._name, _DOCUMENT)
        return None if document is None else SinkProgress(document["token"], document["epoch"])

    @property
    def _name(self) -> str:
        return f"sink-{self._start.id}.json"

    def write(self, epoch: int, changes: Changes) -> None:
        """Checks the changes, and keeps them."""
        del epoch
        if self._key and not changes.is_empty:
            changes.net(self._key)
        self._staged = None if changes.is_empty else changes

    def commit(self, epoch: int) -> None:
        """Writes them, and the epoch's number."""
        self._start.check_owner(self.recover())
        if self._staged is not None:
            self._write(epoch, self._staged)
        self._staged = None
        content = {"token": self._start.token, "epoch": epoch}
        write_document(self._home, self._name, _DOCUMENT, content)

    def _write(self, epoch: int, changes: Changes) -> None:
        spark = self._start.spark
        table = open_table(spark, self._start.location, self._stored)
        name = f"sink-{self._start.id}-{epoch:020d}"
        if not self._key:
            rows = table.completed(self._all(spark.createDataFrame(changes.inserts())))
            if table.has(self._row_id):
                rows = rows.withColumn(self._row_id, F.expr("uuid()"))
            table.insert(rows, name)
            return
        upserts, gone = changes.net(self._key)
        rows = self._all(spark.createDataFrame(upserts)).withColumn(_GONE, F.lit(False))
        if gone.num_rows:
            keys = self._all(spark.createDataFrame(gone))
            rows = rows.unionByName(keys.withColumn(_GONE, F.lit(True)))
        table.change(table.completed(rows), _GONE, name)

    def _all(self, rows: Any) -> Any:
        """The table's columns; those that the sink does not have are null."""
        return rows.select(
            *(
                (by_name(f.name) if f.name in rows.columns else F.lit(None))
                .cast(f.dataType)
                .alias(f.name)
                for f in self._columns.fields
            )
        )


_GONE = "_groundswell_gone"
