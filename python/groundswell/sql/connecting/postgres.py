"""``WITH (connector = 'postgres', ...)``: options, and how the tables behind one slot are read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pyspark.sql import SparkSession

from groundswell.errors import ConfigurationError
from groundswell.sinks.extras import optional
from groundswell.sources.postgres import Reading, opened
from groundswell.sources.tagged_stream import TaggedStream
from groundswell.sql.connecting.references import resolved
from groundswell.sql.connecting.server_system import System, Wanted, number

_LIBPQ = {
    "hostname": "host",
    "port": "port",
    "username": "user",
    "database.name": "dbname",
    "ssl.mode": "sslmode",
    "ssl.root.cert": "sslrootcert",
}
PASSWORD = ("password_env", "password_file")
_READING = {
    "publication.name": "publication",
    "max_rows": "max_rows",
    "retry_seconds": "retry_seconds",
    "truncate": "truncate",
    "infinity": "infinity",
    "new_columns": "new_columns",
}
_OF_TABLE = ("schema.name", "table.name")
OPTIONS = (*_LIBPQ, *PASSWORD, *_READING, *_OF_TABLE, "slot.name")
_ALIASES = {
    "host": "hostname",
    "user": "username",
    "database": "database.name",
    "schema": "schema.name",
    "table": "table.name",
}


def _open(spark: SparkSession, tables: list[Wanted]) -> TaggedStream:
    psycopg = optional("psycopg", "postgres")
    first = tables[0]
    options = resolved(first.what, first.server)
    password = options.pop("password", None)
    libpq = {_LIBPQ[k]: v for k, v in options.items() if k in _LIBPQ}
    try:
        dsn = psycopg.conninfo.make_conninfo(**libpq)
    except psycopg.ProgrammingError as e:
        raise ConfigurationError(f"{first.what}: {str(e).strip()}") from e
    how = _reading(first, options)
    names = [each.table for each in tables]
    return opened(spark, dsn, names, first.stream, password, how)


def _reading(made: Wanted, options: Mapping[str, str]) -> Reading:
    given: dict[str, Any] = {_READING[k]: v for k, v in options.items() if k in _READING}
    for name in ("max_rows", "retry_seconds"):
        if name in given:
            given[name] = number(made, given, name, int if name == "max_rows" else float)
    return Reading(**{"slot": made.stream, "publication": made.stream, **given})


POSTGRES = System(
    "PostgreSQL",
    ("postgres", "postgres-cdc"),
    OPTIONS,
    _ALIASES,
    ("hostname", "database.name"),
    "slot",
    "slot.name",
    "groundswell_{}",
    "public",
    PASSWORD,
    _open,
)
