"""Tables of MySQL and MariaDB, kept up to date by the binlog."""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any
from urllib.parse import unquote, urlsplit

from pyspark.sql import DataFrame, SparkSession

from groundswell import jvm
from groundswell.catalog.names import check_name
from groundswell.errors import ConfigurationError
from groundswell.sources.mysql_reader import MySqlReader, backlog
from groundswell.sources.mysql_server import MyPlan, MyTable, inspect
from groundswell.sources.new_columns import OF_SERVERS, STOP
from groundswell.sources.passwords import password_of
from groundswell.sources.stream import stream
from groundswell.sources.tagged_stream import TaggedStream

TRUNCATE = ("error", "ignore")


@jvm.classic_only("gs.mysql", "CREATE TABLE ... WITH (connector = 'mysql', ...)")
def mysql(
    spark: SparkSession,
    url: str,
    tables: Sequence[str],
    *,
    name: str = "mysql",
    password: str | None = None,
    password_env: str | None = None,
    password_file: str | None = None,
    ssl_ca: str | None = None,
    max_rows: int = 100_000,
    retry_seconds: float = 300,
    truncate: str = "error",
    new_columns: str = STOP,
) -> dict[str, DataFrame]:
    """Tables of MySQL or MariaDB for views: first a snapshot, then every committed change.

    All tables are read from one binlog, at one position (GTID): a barrier holds whole transactions,
    over all tables.

    Args:
        spark: the session that runs the pipeline.
        url: ``mysql://user@host:3306/shop``; the database is that of tables without one.
        tables: names of tables, as ``accounts`` or ``bank.accounts``; each needs a primary key.
        name: of the stream in the checkpoint: letters, digits and underscores.
        password: of the user; better in ``password_env`` or ``password_file``.
        password_env: name of an environment variable of the driver that holds the password.
        password_file: path of a file that holds the password.
        ssl_ca: path of a file with the certificates that the server's is checked by; default: the
            connection is not encrypted.
        max_rows: after so many changes a barrier ends, at the end of a transaction.
        retry_seconds: how long the server may be away before the pipeline ends.
        truncate: what TRUNCATE does: ``error`` ends the pipeline, ``ignore`` keeps the rows.
        new_columns: what a column does that a table gets while the pipeline runs: ``stop`` ends
            it; ``add`` ends it, and the next start has the column; ``ignore`` goes on without it
            until the next start. A column that goes, or gets another type, ends the pipeline.

    Returns:
        By table, as it was named, a DataFrame to build views on.

    Raises:
        SourceError: the server, a table, a setting or a privilege is missing, before anything is
            written.
        ConfigurationError: an argument does not fit, or mysql-replication is not installed.
    """
    check_name("source", name)
    if isinstance(tables, str) or not tables or len(set(tables)) != len(tables):
        raise ConfigurationError(
            f"gs.mysql needs tables=, a list of different names, got {tables!r}"
        )
    how = Reading(max_rows, retry_seconds, truncate, new_columns)
    parameters, secret = _parameters(url)
    given = password_of(password, password_env, password_file) or secret
    if ssl_ca is not None:
        parameters["ssl_ca"] = ssl_ca
    stream = opened(spark, parameters, tables, name, given, how)
    return {table: stream.table(number) for number, table in enumerate(tables)}


def _parameters(url: str) -> tuple[dict[str, Any], str | None]:
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        parts, port = urlsplit(""), None
    if parts.scheme not in ("mysql", "mariadb") or not parts.hostname or not parts.username:
        raise ConfigurationError(
            "gs.mysql needs a url as 'mysql://user@host:3306/database'; the one that was given has "
            "no scheme, user or host"
        )
    found: dict[str, Any] = {
        "host": parts.hostname,
        "port": port or 3306,
        "user": unquote(parts.username),
    }
    if parts.path.strip("/"):
        found["database"] = unquote(parts.path.strip("/"))
    return found, None if parts.password is None else unquote(parts.password)


@dataclass(frozen=True)
class Reading:
    """How tables are read, as :func:`mysql` says.

    Raises:
        ConfigurationError: a value does not fit.
    """

    max_rows: int = 100_000
    retry_seconds: float = 300
    truncate: str = "error"
    new_columns: str = STOP

    def __post_init__(self) -> None:
        for option, value, choices in (
            ("truncate", self.truncate, TRUNCATE),
            ("new_columns", self.new_columns, OF_SERVERS),
        ):
            if value not in choices:
                raise ConfigurationError(
                    f"{option} must be one of {', '.join(choices)}, got {value!r}"
                )
        if self.max_rows < 1 or self.retry_seconds < 0:
            raise ConfigurationError(
                f"max_rows must be at least 1 and retry_seconds at least 0, got {self.max_rows} "
                f"and {self.retry_seconds}"
            )


def opened(
    spark: SparkSession,
    parameters: Mapping[str, Any],
    tables: Sequence[str],
    name: str,
    secret: str | None,
    how: Reading,
) -> TaggedStream:
    """Looks at the server and the tables, and makes the stream that reads them. Writes nothing.

    Args:
        spark: the session.
        parameters: of the connection, without the password.
        tables: as of :func:`mysql`.
        name: of the stream in the checkpoint.
        secret: the password.
        how: it is read.

    Raises:
        SourceError: the server, a table, a setting or a privilege is missing.
    """
    wanted = MyPlan(
        dict(parameters),
        max_rows=how.max_rows,
        retry_seconds=how.retry_seconds,
        truncate=how.truncate,
        new_columns=how.new_columns,
        password=secret or "",
    )

    def plan(flavor: str, found: tuple[MyTable, ...], seen: str) -> MyPlan:
        return replace(wanted, flavor=flavor, tables=found, seen=seen)

    made = inspect(wanted, tables, plan)
    stream_name = f"groundswell_mysql_{uuid.uuid4().hex}"
    rows = stream(spark, stream_name, made.schema, partial(MySqlReader, made), name)
    return TaggedStream(spark, name, made, rows, partial(backlog, made))
