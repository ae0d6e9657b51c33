"""Tables of PostgreSQL, kept up to date by logical decoding."""

from __future__ import annotations

import re
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.types import (
    BooleanType,
    DateType,
    NumericType,
    StringType,
    TimestampType,
)

from groundswell import jvm
from groundswell.catalog.names import check_name
from groundswell.errors import ConfigurationError
from groundswell.sources.new_columns import OF_SERVERS, STOP, check_new_columns
from groundswell.sources.passwords import password_of
from groundswell.sources.postgres_chunks import backlog
from groundswell.sources.postgres_reader import Follow, PostgresReader
from groundswell.sources.postgres_server import (
    PgPlan,
    PgTable,
    inspect,
)
from groundswell.sources.postgres_types import INFINITY, NULL
from groundswell.sources.stream import stream
from groundswell.sources.tagged_stream import TaggedStream

TRUNCATE = ("error", "ignore")
MOST_LETTERS = 40
"""Of a slot's name: the snapshot's slot has a longer one, and 63 is the most."""


@jvm.classic_only(
    "gs.postgres",
    "CREATE TABLE ... WITH (connector = 'postgres', ...)",
)
def postgres(
    spark: SparkSession,
    dsn: str = "",
    tables: Sequence[str] = (),
    *,
    name: str = "postgres",
    password: str | None = None,
    password_env: str | None = None,
    password_file: str | None = None,
    publication: str | None = None,
    max_rows: int = 100_000,
    retry_seconds: float = 300,
    truncate: str = "error",
    infinity: str = "null",
    new_columns: str = "stop",
) -> dict[str, DataFrame]:
    """Tables of PostgreSQL for views: first a snapshot, then every committed change.

    All tables are read through one replication slot, at one position: a barrier holds whole
    transactions, over all tables. The slot moves forward only behind durable epochs.

    Args:
        spark: the session that runs the pipeline.
        dsn: connection string or URL of libpq. What it leaves out comes from libpq's environment
            (``PGHOST``, ``PGSERVICE``, ``PGPASSFILE``, ...), where the driver runs.
        tables: names of tables, as ``accounts`` or ``bank.accounts``; each needs a primary key.
        name: of the stream in the checkpoint: letters, digits and underscores. The slot is called
            ``groundswell_<name>``, so two pipelines on one server need two names.
        password: of the role; better in ``password_env``, ``password_file`` or ``PGPASSFILE``.
        password_env: name of an environment variable of the driver that holds the password.
        password_file: path of a file that holds the password.
        publication: name of the publication; default: the slot's name. It is made at the first
            start if it is not there, which takes the owner of the tables.
        max_rows: after so many changes a barrier ends, at the end of a transaction.
        retry_seconds: how long the server may be away before the pipeline ends.
        truncate: what TRUNCATE does: ``error`` ends the pipeline, ``ignore`` keeps the rows.
        infinity: what becomes of ``infinity`` and ``-infinity`` of dates and times, which Spark
            does not have: ``null``, but a failing row in a key; ``bounds``: 9999-12-31 and
            0001-01-01; ``error``: a failing row, as of other values that Spark does not hold.
        new_columns: what a column does that a table gets while the pipeline runs: ``stop`` ends
            it, and so do later starts; ``add`` ends it, and the next start has the column;
            ``ignore`` goes on without it until the next start. A column that goes, or gets another
            type, ends the pipeline.

    Returns:
        By table, as it was named, a DataFrame to build views on.

    Raises:
        SourceError: the server, a table or a privilege is missing, before anything is written.
        ConfigurationError: an argument does not fit, or psycopg is not installed.
    """
    check_name("source", name)
    if isinstance(tables, str) or not tables or len(set(tables)) != len(tables):
        raise ConfigurationError(
            f"gs.postgres needs tables=, a list of different names, got {tables!r}"
        )
    slot = f"groundswell_{name.lower()}"
    if len(slot) > MOST_LETTERS:
        raise ConfigurationError(f"name {name!r} is longer than 28 letters")
    how = Reading(
        slot, publication or slot, max_rows, retry_seconds, truncate, infinity, new_columns
    )
    secret = password_of(password, password_env, password_file)
    stream = opened(spark, dsn, tables, name, secret, how)
    return {given: stream.table(number) for number, given in enumerate(tables)}


@dataclass(frozen=True)
class Reading:
    """How tables behind one slot are read, as :func:`postgres` says.

    Raises:
        ConfigurationError: a value does not fit.
    """

    slot: str
    publication: str
    max_rows: int = 100_000
    retry_seconds: float = 300
    truncate: str = "error"
    infinity: str = NULL
    new_columns: str = STOP

    def __post_init__(self) -> None:
        if not re.fullmatch(rf"[a-z0-9_]{{1,{MOST_LETTERS}}}", self.slot):
            raise ConfigurationError(
                f"the name of a slot has at most {MOST_LETTERS} lower-case letters, digits and "
                f"underscores, got {self.slot!r}"
            )
        if self.truncate not in TRUNCATE:
            raise ConfigurationError(
                f"truncate must be one of {', '.join(TRUNCATE)}, got {self.truncate!r}"
            )
        check_new_columns(self.new_columns, OF_SERVERS)
        if self.infinity not in INFINITY:
            raise ConfigurationError(
                f"infinity must be one of {', '.join(INFINITY)}, got {self.infinity!r}"
            )
        if self.max_rows < 1 or self.retry_seconds < 0:
            raise ConfigurationError(
                f"max_rows must be at least 1 and retry_seconds at least 0, got {self.max_rows} "
                f"and {self.retry_seconds}"
            )


def _defaults(table: PgTable) -> tuple[tuple[str, str], ...]:
    """What rows have in a column that came after them, as SQL; of plain types."""
    plain = (NumericType, StringType, BooleanType, DateType, TimestampType)
    return tuple(
        (name, f"CAST({_text(text)} AS {type_.simpleString()})")
        for (name, type_), text in zip(table.columns, table.missing, strict=False)
        if text is not None and isinstance(type_, plain)
    )


def _text(value: str) -> str:
    """A text in Spark's SQL."""
    escaped = value.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"


def opened(
    spark: SparkSession,
    dsn: str,
    tables: Sequence[str],
    name: str,
    secret: str | None,
    how: Reading,
) -> TaggedStream:
    """Looks at the server and the tables, and makes the stream that reads them. Writes nothing.

    Args:
        spark: the session.
        dsn: connection string or URL of libpq, without the password.
        tables: as of :func:`postgres`.
        name: of the stream in the checkpoint.
        secret: the password, if ``dsn`` or libpq's environment does not lead to it.
        how: the slot, and how it is read.

    Raises:
        SourceError: the server, a table or a privilege is missing.
    """

    def plan(
        parameters: Mapping[str, str], found: tuple[PgTable, ...], word: str, seen: int
    ) -> PgPlan:
        return PgPlan(
            parameters,
            found,
            how.slot,
            how.publication,
            how.max_rows,
            how.retry_seconds,
            how.truncate,
            word or secret or "",
            how.infinity,
            how.new_columns,
            seen,
        )

    made = inspect(dsn, secret, tables, how.slot, how.publication, plan)
    stream_name = f"groundswell_postgres_{uuid.uuid4().hex}"
    rows = stream(spark, stream_name, made.schema, partial(PostgresReader, made), name)
    return TaggedStream(spark, name, made, rows, partial(backlog, made), Follow(made), _defaults)
