"""Delta Lake, without a JVM: one commit an epoch, with the epoch as an application transaction.

The commit names two transactions of the sink: its epoch, and the token of the owner. Delta refuses
a commit that names a transaction which somebody else has committed meanwhile.
"""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Any

from groundswell.errors import SinkError
from groundswell.sinks import delta_bounds
from groundswell.sinks.changes import Changes
from groundswell.sinks.columns import NOT_IN_ARROW, check_types
from groundswell.sinks.extras import optional
from groundswell.sinks.lake import MERGE, MODE, check_columns, check_required, errors_of
from groundswell.sinks.narrowing import NARROWING, Narrowing
from groundswell.sinks.options import SinkOption, SinkOptions
from groundswell.sinks.sink import APPEND, Sink, SinkProgress, SinkStart

GONE = "_groundswell_gone"


class DeltaSink(Sink):
    """Merges changes into a Delta table, or appends rows to it."""

    OPTIONS = (
        SinkOption("path", "folder or URI of the table, as deltalake takes it", required=True),
        MODE,
        SinkOption("create_table", "makes the table if it is not there", bool, False),
        NARROWING,
    )

    def __init__(self, options: SinkOptions) -> None:
        self._options = options

    def open(self, start: SinkStart) -> None:
        """Checks the table's columns; makes the table if it is to."""
        self._lake = optional("deltalake", "delta")
        self._start = start
        self._mode = start.mode(self._options["mode"], MERGE)
        self._staged: Any = None
        check_types(start, "Delta Lake", (*NOT_IN_ARROW, "TimeType", "DayTimeIntervalType"))
        import pyarrow as pa

        with self._errors():
            self._table = self._open(start)
            self._there = there = pa.schema(self._table.schema().to_arrow())
            self._check_partitions(there)
            self._check_deletes()
        self._narrowing = Narrowing(self._options["narrowing"])
        check_columns(self._name, start, there, self._narrowing)

    def _open(self, start: SinkStart) -> Any:
        from pyspark.sql.pandas.types import to_arrow_schema

        path = self._options["path"]
        if not self._lake.DeltaTable.is_deltatable(path):
            if not self._options["create_table"]:
                raise SinkError(
                    f"there is no Delta table at {path}; create it, or set create_table to true"
                )
            import pyarrow as pa

            made = to_arrow_schema(start.schema, timezone="UTC")
            schema = pa.schema([field.with_nullable(field.name not in start.key) for field in made])
            bounds = delta_bounds.properties(schema)
            self._lake.DeltaTable.create(path, schema=schema, mode="ignore", configuration=bounds)
        table = self._lake.DeltaTable(path)
        if self._options["create_table"]:
            self._declare_not_null(table)
        return table

    def _declare_not_null(self, table: Any) -> None:
        """Lists the feature that columns without null need, which deltalake leaves out.

        Spark refuses a table of writer version 7, as one with TIMESTAMP_NTZ is, that does not.
        """
        protocol = table.protocol()
        if protocol.min_writer_version < 7 or "invariants" in (protocol.writer_features or ()):
            return
        table.alter.add_feature(
            self._lake.TableFeatures.Invariants, allow_protocol_versions_increase=True
        )

    def _check_partitions(self, there: Any) -> None:
        import pyarrow.types as of

        for name in self._table.metadata().partition_columns:
            kind = there.field(name).type
            if of.is_decimal(kind) or of.is_binary(kind):
                raise SinkError(
                    f"{self._name} is partitioned by column {name} of type {kind}: deltalake "
                    "writes some of its values so that they are read as others, or the table not "
                    "at all. Partition it by another column, or by a text"
                )

    def _check_deletes(self) -> None:
        said = self._table.metadata().configuration.get("delta.appendOnly") or ""
        if self._mode == MERGE and said.lower() == "true":
            raise SinkError(
                f"{self._name} takes no changes of rows (delta.appendOnly), and mode merge makes "
                "them: set delta.appendOnly to false, or use mode append with a view that only "
                "grows"
            )

    def recover(self) -> SinkProgress | None:
        """The last epoch that was committed."""
        with self._errors():
            self._table.update_incremental()
            epoch = self._table.transaction_version(self._start.id)
            token = self._table.transaction_version(f"{self._start.id}-token")
        return None if epoch is None else SinkProgress(token or 0, epoch)

    def write(self, epoch: int, changes: Changes) -> None:
        """Keeps the changes; they are written by the commit."""
        if self._mode == APPEND:
            self._staged = changes.inserts()
        else:
            self._staged = changes.net(self._start.key)
        for rows in (self._staged,) if self._mode == APPEND else self._staged:
            self._narrowing.check(rows, self._start.key)
            check_required(self._name, rows, self._there, self._start.key)

    def commit(self, epoch: int) -> None:
        """Commits the changes with the epoch's number."""
        self._start.check_owner(self.recover())
        properties = self._lake.CommitProperties(
            custom_metadata={"groundswell.sink": self._start.name, "groundswell.epoch": str(epoch)},
            app_transactions=[
                self._lake.Transaction(self._start.id, epoch),
                self._lake.Transaction(f"{self._start.id}-token", self._start.token),
            ],
        )
        staged, self._staged = self._staged, None
        with self._errors():
            if self._mode == APPEND:
                self._append(staged, properties)
            else:
                upserts, gone = staged
                self._merge(upserts, gone, properties)

    def _append(self, rows: Any, properties: Any) -> None:
        self._lake.write_deltalake(
            self._table,
            rows,
            mode="append",
            writer_properties=self._writer(),
            commit_properties=properties,
        )

    def _writer(self) -> Any:
        return delta_bounds.writer(self._lake, self._table.metadata().configuration)

    def _merge(self, upserts: Any, gone: Any, properties: Any) -> None:
        import pyarrow as pa

        if upserts.num_rows + gone.num_rows == 0:
            self._append(upserts, properties)
            return
        stays = pa.array([False] * upserts.num_rows, pa.bool_())
        goes = pa.array([True] * gone.num_rows, pa.bool_())
        rows = pa.concat_tables(
            [upserts.append_column(GONE, stays), gone.append_column(GONE, goes)],
            promote_options="default",
        )
        columns = {quoted(name): f"s.{quoted(name)}" for name in upserts.column_names}
        key = map(quoted, self._start.key)
        merge = self._table.merge(
            rows,
            predicate=" AND ".join(f"t.{name} = s.{name}" for name in key),
            source_alias="s",
            target_alias="t",
            writer_properties=self._writer(),
            commit_properties=properties,
        )
        merge = merge.when_matched_delete(predicate=f"s.{GONE}")
        merge = merge.when_matched_update(updates=columns, predicate=f"NOT s.{GONE}")
        merge.when_not_matched_insert(updates=columns, predicate=f"NOT s.{GONE}").execute()

    @property
    def _name(self) -> str:
        return f"Delta table {self._options['path']}"

    def _errors(self) -> AbstractContextManager[None]:
        errors = optional("deltalake.exceptions", "delta")
        again = (errors.CommitFailedError, OSError)
        return errors_of(self._name, again, (Exception,))  # it raises bare ones, too


def quoted(name: str) -> str:
    """The name as the expressions of deltalake take it."""
    return '"' + name.replace('"', '""') + '"'
