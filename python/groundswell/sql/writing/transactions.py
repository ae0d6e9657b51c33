"""``BEGIN``, ``COMMIT`` and ``ROLLBACK``: the transaction that a session has open.

A transaction is its session's, as one of PostgreSQL is its connection's: threads that share a
session share it. It writes to tables of one pipeline. A statement in it that fails leaves it
failed, and then it takes nothing but ``ROLLBACK``, or a ``COMMIT`` that says so.

What it reads is what is committed, at the newest epoch. ``UPDATE``, ``DELETE`` and ``MERGE`` see
what the transaction itself has written to their table, too. Another query over such a table is
refused, since it would not.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from pyspark.sql import DataFrame, SparkSession

from groundswell import jvm
from groundswell.errors import ConfigurationError, IllegalState
from groundswell.runtime.transactions import Transaction
from groundswell.sql.parsing import statements as s
from groundswell.sql.pipelines import SqlPipeline
from groundswell.sql.reading.relations import rows

_TAKES = (s.Insert, s.Update, s.Delete, s.Merge, s.Show, s.ShowCreate, s.Explain, s.ExplainView)
_MOST = 1000
"""So many sessions may have one open; of more the oldest is given up: its session is long gone."""


class SessionTransaction:
    """What a session has begun, and not ended."""

    def __init__(self, spark: SparkSession) -> None:
        self._spark = spark
        self._pipeline: SqlPipeline | None = None
        self._writes: Transaction | None = None
        self._failed: tuple[str, BaseException] | None = None

    @contextmanager
    def statement(self, statement: s.Statement, label: str) -> Iterator[None]:
        """Carries a statement out as a part of the transaction.

        Raises:
            IllegalState: an earlier statement failed.
            ConfigurationError: it is none for a transaction.
        """
        if self._failed is not None:
            raise IllegalState(
                f"{label}: the transaction is aborted, since {self._why()}. It takes no statement "
                "until ROLLBACK"
            )
        try:
            if not isinstance(statement, _TAKES):
                raise ConfigurationError(
                    f"{label} cannot be part of a transaction, which is INSERT, UPDATE, DELETE and "
                    "MERGE: COMMIT or ROLLBACK first"
                )
            yield
        except BaseException as e:
            self._failed = label, e
            raise

    def _why(self) -> str:
        assert self._failed is not None
        label, error = self._failed
        return f"{label} failed ({jvm.summary(error)})"

    def of(self, pipeline: SqlPipeline) -> Transaction:
        """The writes to a pipeline.

        Raises:
            ConfigurationError: it writes to another one.
        """
        if self._writes is None or self._pipeline is None:
            self._pipeline = pipeline
            self._writes = Transaction(self._spark, pipeline.location)
        if self._pipeline is not pipeline:
            raise ConfigurationError(
                f"the transaction writes to pipeline {self._pipeline.name}, and one barrier cannot "
                f"take writes to {pipeline.name}, too: COMMIT first"
            )
        return self._writes

    def wrote(self, pipeline: SqlPipeline, stored: str) -> bool:
        """Whether it has written to a table, by the name that the pipeline has for it."""
        mine = self._writes if self._pipeline is pipeline else None
        return mine is not None and bool(mine.written(stored))

    def rows(self, pipeline: SqlPipeline, stored: str) -> DataFrame:
        """A table's rows as the transaction leaves them.

        Args:
            pipeline: whose table it is.
            stored: what the pipeline calls it.
        """
        committed = rows(self._spark, pipeline.location, stored)
        return self.of(pipeline).over(stored, committed)

    def check_read(self, pipeline: SqlPipeline, name: str) -> None:
        """Refuses a query over what it has written.

        Raises:
            ConfigurationError: it would not see that.
        """
        found = pipeline.contents.objects.get(name.lower())
        if found and self.wrote(pipeline, found.stored):
            raise ConfigurationError(
                f"table {found.name} was written to in this transaction, and a query would see it "
                "as it was before: COMMIT first, or read it before it is written to (UPDATE, "
                "DELETE and MERGE see what the transaction wrote to their table)"
            )

    def commit(self) -> None:
        """Makes its writes count; see :meth:`Transaction.commit`."""
        if self._failed is not None:
            self.rollback()
            raise IllegalState(f"COMMIT: nothing was written, since {self._why()}")
        if self._writes is not None:
            self._writes.commit()

    def rollback(self) -> None:
        """Gives its writes up."""
        if self._writes is not None:
            self._writes.rollback()


_open: dict[tuple[str, str], SessionTransaction] = {}


def _key(spark: SparkSession) -> tuple[str, str]:
    return jvm.jvm_id(spark), jvm.session_id(spark)


def find(spark: SparkSession) -> SessionTransaction | None:
    """What a session has open; None: nothing."""
    return _open.get(_key(spark)) if _open else None


def begin(spark: SparkSession) -> None:
    """``BEGIN``.

    Raises:
        ConfigurationError: the session has one open.
    """
    if _key(spark) in _open:
        raise ConfigurationError("BEGIN: this session has a transaction open: COMMIT or ROLLBACK")
    while len(_open) >= _MOST:
        _open.pop(next(iter(_open)), None)
    _open[_key(spark)] = SessionTransaction(spark)


def end(spark: SparkSession, commit: bool) -> None:
    """``COMMIT`` or ``ROLLBACK``.

    Raises:
        ConfigurationError: the session has none open.
        IllegalState: a statement of it failed, or it is too old; nothing was written.
    """
    found = _open.pop(_key(spark), None)
    if found is None:
        word = "COMMIT" if commit else "ROLLBACK"
        raise ConfigurationError(f"{word}: this session has no transaction open: BEGIN one before")
    found.commit() if commit else found.rollback()
