"""``WITH (connector = 'mysql', ...)``: options, and how the tables of one binlog are read."""

from __future__ import annotations

from typing import Any

from pyspark.sql import SparkSession

from groundswell.sources.mysql import Reading, opened
from groundswell.sources.tagged_stream import TaggedStream
from groundswell.sql.connecting.references import resolved
from groundswell.sql.connecting.server_system import System, Wanted, number

_CONNECTION = {
    "hostname": "host",
    "username": "user",
    "database.name": "database",
    "ssl.root.cert": "ssl_ca",
}
PASSWORD = ("password_env", "password_file")
_READING = ("max_rows", "retry_seconds", "truncate", "new_columns")
OPTIONS = (*_CONNECTION, "port", *PASSWORD, *_READING, "schema.name", "table.name", "stream.name")
_ALIASES = {
    "host": "hostname",
    "user": "username",
    "database": "database.name",
    "table": "table.name",
}


def _open(spark: SparkSession, tables: list[Wanted]) -> TaggedStream:
    first = tables[0]
    options = resolved(first.what, first.server)
    password = options.pop("password", None)
    parameters: dict[str, Any] = {_CONNECTION[k]: v for k, v in options.items() if k in _CONNECTION}
    parameters["port"] = number(first, {"port": "3306", **options}, "port", int)
    given: dict[str, Any] = {name: options[name] for name in _READING if name in options}
    for name in ("max_rows", "retry_seconds"):
        if name in given:
            given[name] = number(first, given, name, int if name == "max_rows" else float)
    names = [each.table for each in tables]
    return opened(spark, parameters, names, first.stream, password, Reading(**given))


MYSQL = System(
    "MySQL",
    ("mysql", "mysql-cdc", "mariadb"),
    OPTIONS,
    _ALIASES,
    ("hostname", "username", "database.name"),
    "stream",
    "stream.name",
    "mysql_{}",
    "",
    PASSWORD,
    _open,
)
