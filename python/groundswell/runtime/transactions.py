"""Writes to several tables of a pipeline that one barrier takes, all of them or none.

Layout::

    <location>/groundswell/transactions/<id>/<write>/              a write of a transaction, staged
    <location>/groundswell/transactions/commit-<time>-<id>.json    the writes of one that counts

A commit creates that one document; before it nothing counts, and after it everything does. The run
of the pipeline moves the files to their tables before it looks into any table, and then removes the
document: ``TableSourceProvider`` and ``storage/Transactions`` in the JVM. What a process that died
has staged goes after a day, which is why a transaction is refused its commit when it is as old.
"""

from __future__ import annotations

import threading
import time
import uuid
from collections.abc import Callable
from functools import reduce
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F

from groundswell import jvm
from groundswell.catalog.table_spec import DELETE
from groundswell.columns import by_name
from groundswell.errors import ConfigurationError, IllegalState
from groundswell.format.envelope import seal
from groundswell.runtime.gc import trees
from groundswell.runtime.python_rows import Rows
from groundswell.runtime.record.location import FOLDER
from groundswell.runtime.record.transactions import KIND, TRANSACTIONS, commit_name, file_name
from groundswell.runtime.tables import Table, open_table

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_PLACE = "_groundswell_place"
LONGEST_SECONDS = 20 * 3600
"""How old a transaction may be when it is committed: leftovers are removed after a day."""


class Transaction:
    """Writes to tables of one pipeline that are taken at one barrier, all of them or none.

    Readers, views and sinks see all of its writes or none, whatever dies when. Of two rows of one
    key the later write counts; the writes of a transaction count from its commit on. Nothing is
    locked: of two transactions that write one key, the one that commits last has the last word.
    Not for several threads at a time.

    Args:
        spark: the session that writes.
        location: the pipeline's checkpointLocation.

    Examples:
        >>> a = p.table("a", "id int, x int", key="id")
        >>> b = p.table("b", "id int, x int", key="id")
        >>> total = a.df.unionAll(b.df).selectExpr("sum(x) AS x")
        >>> query = p.view("total", total).start()
        >>> with query.transaction() as t:
        ...     t.insert("a", [(1, -10)])
        ...     t.insert("b", [(1, 10)])
        >>> query.processAllAvailable()
        >>> query.view("total").collect()
        [Row(x=0)]
        >>> query.stop()
    """

    @jvm.classic_only("gs.transaction", "BEGIN, INSERT INTO ... and COMMIT")
    def __init__(self, spark: SparkSession, location: str | Path) -> None:
        location = str(location)
        self._spark = spark
        self._location = location
        root = jvm.JvmFolder.open(spark, jvm.qualify(spark, location))
        self._folder = root.child(FOLDER).child(TRANSACTIONS)
        self._id = uuid.uuid4().hex[:12]
        self._began = time.time()
        self._writes: list[tuple[str, str]] = []
        self._tables: dict[str, Table] = {}
        self._over: str | None = None
        self._failed: BaseException | None = None
        self._lock = threading.RLock()

    @property
    def state(self) -> str:
        """``open``, ``failed`` (a write was refused), ``committed`` or ``rolled back``."""
        return self._over or ("open" if self._failed is None else "failed")

    def insert(self, table: str, rows: Rows) -> None:
        """Adds rows, as :meth:`Table.insert` does.

        Args:
            table: name of a table of the pipeline.
            rows: all its columns.

        Raises:
            GroundswellError: the table does not take them; the transaction has failed.
        """
        self._write(table, lambda into: into.insert(rows))

    def upsert(self, table: str, rows: Rows) -> None:
        """Puts each row in the place of the one of its key, as :meth:`Table.upsert` does."""
        self._write(table, lambda into: into.upsert(rows))

    def delete(self, table: str, rows: Rows) -> None:
        """Removes the rows of these keys, as :meth:`Table.delete` does."""
        self._write(table, lambda into: into.delete(rows))

    def change(self, table: str, rows: Rows, gone: str) -> None:
        """Upserts and deletes, as :meth:`Table.change` does."""
        self._write(table, lambda into: into.change(rows, gone))

    def _write(self, table: str, write: Callable[[Table], None]) -> None:
        with self._lock:
            self._check_open("write")
            try:
                write(self.table(table))
            except BaseException as e:
                self.fail(e)
                raise

    def table(self, name: str) -> Table:
        """A table whose writes are part of the transaction.

        Raises:
            ConfigurationError: the pipeline has no such table.
        """
        if name not in self._tables:
            self._tables[name] = open_table(self._spark, self._location, name, within=self)
        return self._tables[name]

    def fail(self, why: BaseException) -> None:
        """A write failed: the transaction takes no more, and can only be rolled back."""
        if self._failed is None:
            self._failed = why

    def folder(self, write: str) -> str:
        """Where a write is staged; for :class:`Table`."""
        self._check_open("write")
        return f"{self._folder.location}/{self._id}/{write}"

    def add(self, table: Table, write: str) -> None:
        """Notes a write that is staged; for :class:`Table`."""
        self._tables[table.name] = table  # as it was opened: it knows the columns
        self._writes.append((table.name, write))

    def written(self, table: str) -> list[str]:
        """Folders of the writes to a table, in their order."""
        root = f"{self._folder.location}/{self._id}"
        return [f"{root}/{write}" for name, write in self._writes if name == table]

    def over(self, table: str, committed: DataFrame | None) -> DataFrame:
        """The rows of a table as its writes leave them.

        Args:
            table: with a key.
            committed: its rows without them; None: it has none.

        Raises:
            ConfigurationError: which of two rows of a key stays is not told by their order.
        """
        spec = self.table(table).spec
        if spec.conflict != "overwrite" or spec.version:
            option = f"version={spec.version}" if spec.version else f"conflict={spec.conflict!r}"
            raise ConfigurationError(
                f"table {table} was written to in this transaction, and has {option}: what a "
                "statement would find there is known after the COMMIT only"
            )
        key = [by_name(name) for name in spec.key]
        schema = spec.read()
        called = zip(schema.names, spec.written().names, strict=True)
        columns = [by_name(stored).alias(name) for stored, name in called]
        parts = [
            self._spark.read.schema(schema)
            .parquet(jvm.literal(jvm.StagedPart(self._spark, folder).file()))
            .select(*columns, F.struct(F.lit(number), F.col("_metadata.row_index")).alias(_PLACE))
            for number, folder in enumerate(self.written(table))
        ]
        place = Window.partitionBy(*key).orderBy(F.col(_PLACE).desc())
        written = reduce(DataFrame.unionAll, parts).withColumn(_PLACE, F.row_number().over(place))
        last = written.where(F.col(_PLACE) == 1)
        there = last.where(~F.coalesce(F.col(DELETE), F.lit(False)))
        names = list(map(by_name, spec.struct().names))
        if committed is None:
            return there.select(*names)
        untouched = committed.join(last.select(*key), list(spec.key), "left_anti")
        return untouched.select(*names).unionAll(there.select(*names))

    def commit(self) -> None:
        """Makes its writes count: they are durable, and the next barrier takes them.

        Raises:
            IllegalState: a write failed, or it is too old. It is rolled back then.
            StorageFailed: the storage refused the commit, which may yet have reached it.
        """
        with self._lock:
            self._check_open("commit")
            hit = jvm.fail_points(self._spark)
            hit("transaction.staged")
            if self._writes:
                now = time.time_ns()
                name = commit_name(now, self._id)
                self._folder.put_new(name, seal(KIND, self._content(now)))
            self._over = "committed"
            hit("transaction.committed")

    def _content(self, now: int) -> dict[str, Any]:
        return {
            "id": self._id,
            "parts": [
                {
                    "folder": f"{self._id}/{write}",
                    "table": table,
                    "file": file_name(now, self._id, number),
                }
                for number, (table, write) in enumerate(self._writes)
            ],
        }

    def rollback(self) -> None:
        """Gives its writes up. After a commit there is nothing to give up."""
        with self._lock:
            if self._over is None:
                self._over = "rolled back"
                trees.clear(self._spark, f"{self._folder.location}/{self._id}")

    def _check_open(self, what: str) -> None:
        if self._over is not None:
            raise IllegalState(f"cannot {what}: the transaction is {self._over}; begin another")
        if self._failed is not None:
            failed = self._failed
            if what == "commit":
                self.rollback()
            raise IllegalState(
                f"cannot {what}: an earlier write of the transaction failed, so it can only be "
                f"rolled back ({jvm.summary(failed)})"
            ) from failed
        if time.time() - self._began > LONGEST_SECONDS:
            self.rollback()
            raise IllegalState(
                f"cannot {what}: the transaction began more than {LONGEST_SECONDS // 3600} hours "
                "ago, and was rolled back; begin another"
            )

    def __enter__(self) -> Transaction:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if kind is not None:
            self.rollback()
        elif self._over is None:
            self.commit()

    def __repr__(self) -> str:
        tables = ", ".join(dict.fromkeys(name for name, _ in self._writes)) or "no table"
        return f"Transaction({self.state}, writes {tables}, {self._location})"
