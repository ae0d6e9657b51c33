"""Tables of PostgreSQL, kept up to date by logical decoding."""

from __future__ import annotations

import os
import uuid
from collections.abc import Mapping, Sequence
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.functions import col

from groundswell import jvm
from groundswell.api.sources import upserts
from groundswell.errors import ConfigurationError, SourceError
from groundswell.runtime.sources import check_name, follow
from groundswell.sources.postgres_reader import Follow, data_source
from groundswell.sources.postgres_server import DELETED, PgPlan, PgTable, inspect

TRUNCATE = ("error", "ignore")


@jvm.classic_only(
    "gs.postgres",
    "CREATE TABLE ... WITH (connector = 'kafka', ...) FORMAT DEBEZIUM ..., as SQL has no "
    "connector to PostgreSQL itself yet",
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
    if truncate not in TRUNCATE:
        raise ConfigurationError(f"truncate must be one of {', '.join(TRUNCATE)}, got {truncate!r}")
    if max_rows < 1 or retry_seconds < 0:
        raise ConfigurationError(
            f"max_rows must be at least 1 and retry_seconds at least 0, got {max_rows} and "
            f"{retry_seconds}"
        )
    slot = f"groundswell_{name.lower()}"
    if len(slot) > 40:
        raise ConfigurationError(f"name {name!r} is longer than 28 letters")
    secret = _password(password, password_env, password_file)

    def plan(parameters: Mapping[str, str], found: tuple[PgTable, ...], word: str) -> PgPlan:
        return PgPlan(
            parameters,
            found,
            slot,
            publication or slot,
            max_rows,
            retry_seconds,
            truncate,
            word or secret or "",
        )

    made = inspect(dsn, secret, tables, slot, publication or slot, plan)
    format_ = f"groundswell_postgres_{uuid.uuid4().hex}"
    spark.dataSource.register(data_source(format_, made))
    rows = spark.readStream.format(format_).option("groundswell.stream", name).load()
    follower = Follow(made)
    result: dict[str, DataFrame] = {}
    for number, (given, table) in enumerate(zip(tables, made.tables, strict=True)):
        own = rows.where(col("_table") == number).select(f"t{number}.*")
        frame = upserts(own, table.key, delete=col(DELETED), name=table.source).drop(DELETED)
        (source,) = jvm.Capture([frame]).description["sources"]
        follow(jvm.jvm_id(spark), source["key"], name, follower)
        result[given] = frame
    return result


def _password(text: str | None, env: str | None, file: str | None) -> str | None:
    if sum(given is not None for given in (text, env, file)) > 1:
        raise ConfigurationError("give one of password, password_env and password_file")
    if env is not None:
        if env not in os.environ:
            raise SourceError(f"password_env names {env}, which is not set in the environment")
        return os.environ[env]
    if file is not None:
        try:
            return Path(file).read_text("utf-8").rstrip("\r\n")
        except OSError as e:
            raise SourceError(
                f"password_file names {file}, which cannot be read: {e.strerror}"
            ) from e
    return text
