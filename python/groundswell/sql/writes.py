"""Rows that statements write, as queries whose result a table takes at one barrier.

``UPDATE``, ``DELETE`` and ``MERGE`` read the table at its newest epoch. The expressions in them are
parts of the query, so Spark reads and checks them.
"""

from __future__ import annotations

from collections.abc import Sequence

from pyspark.sql import SparkSession, Window
from pyspark.sql import functions as F

from groundswell.columns import by_name, quoted
from groundswell.errors import ConfigurationError
from groundswell.runtime.tables import Table
from groundswell.sql import statements as s
from groundswell.sql.building import CATALOG, ROW_ID
from groundswell.sql.log import Object
from groundswell.sql.pipelines import SqlPipeline

_DELETE = "_groundswell_gone"
_IN_TABLE, _IN_SOURCE, _ACTION = "_groundswell_t", "_groundswell_s", "_groundswell_action"


def insert(pipeline: SqlPipeline, name: str, statement: s.Insert, spark: SparkSession) -> None:
    """``INSERT INTO``."""
    table, made = pipeline.table(name)
    columns = _columns(made)
    given = spark.sql(statement.query)
    wanted = _known(made, statement.columns, columns) if statement.columns else columns
    if statement.by_name:
        wanted = _known(made, given.columns, columns)
    if len(given.columns) != len(wanted):
        raise ConfigurationError(
            f"INSERT INTO {made.name}: {len(wanted)} columns are to be written "
            f"({', '.join(wanted)}), and the query has {len(given.columns)}"
        )
    rows = given.toDF(*wanted)
    missing = [c for c in columns if c not in wanted]
    key = _key(made)
    if lacking := [c for c in missing if c in key]:
        raise ConfigurationError(
            f"INSERT INTO {made.name}: the PRIMARY KEY needs {', '.join(lacking)}"
        )
    rows = rows.select(
        *(by_name(c) if c in wanted else F.expr(_default(made, c)).alias(c) for c in columns)
    )
    if key == (ROW_ID,):
        rows = rows.withColumn(ROW_ID, F.expr("uuid()"))
    table.insert(rows)


def update(pipeline: SqlPipeline, name: str, statement: s.Update, spark: SparkSession) -> None:
    """``UPDATE``."""
    table, made = _keyed(pipeline, name, "UPDATE")
    sets = {_known(made, [c], _columns(made))[0]: v for c, v in statement.sets}
    if changed := [c for c in sets if c in _key(made)]:
        raise ConfigurationError(
            f"UPDATE {made.name}: {', '.join(changed)} is of the PRIMARY KEY, which identifies a "
            "row: delete the row and insert another"
        )
    alias = quoted(statement.alias or made.name)
    values = ", ".join(
        f"{f'({sets[c]})' if c in sets else f'{alias}.{quoted(c)}'} AS {quoted(c)}"
        for c in _stored_columns(made)
    )
    table.upsert(spark.sql(f"SELECT {values}{_from(pipeline, made, alias, statement.where)}"))


def delete(pipeline: SqlPipeline, name: str, statement: s.Delete, spark: SparkSession) -> None:
    """``DELETE FROM``."""
    table, made = _keyed(pipeline, name, "DELETE")
    alias = quoted(statement.alias or made.name)
    names = dict.fromkeys((*_key(made), *_version(made)))
    keys = ", ".join(f"{alias}.{quoted(c)}" for c in names)
    table.delete(spark.sql(f"SELECT {keys}{_from(pipeline, made, alias, statement.where)}"))


def merge(pipeline: SqlPipeline, name: str, statement: s.Merge, spark: SparkSession) -> None:
    """``MERGE INTO``: all actions are one write, taken at one barrier."""
    table, made = _keyed(pipeline, name, "MERGE INTO")
    t, source = quoted(statement.alias or made.name), quoted(statement.source_alias)
    relation = f"{statement.source} AS {source}"
    if statement.source_columns:
        relation += f"({', '.join(map(quoted, statement.source_columns))})"
    offered = spark.sql(f"SELECT * FROM {relation}").columns
    merged = _Merge(made, t, source, offered)
    for number, action in enumerate(statement.actions):
        merged.add(number, action)
    rows = spark.sql(
        f"SELECT {merged.columns()} FROM (SELECT *, true AS {_IN_TABLE} FROM "
        f"{_relation(pipeline, made)}) AS {t} FULL OUTER JOIN (SELECT *, true AS {_IN_SOURCE} FROM "
        f"{relation}) AS {source} ON {statement.on}"
    )
    deletes = [n for n, action in enumerate(statement.actions) if action.does == "delete"]
    gone = by_name(_ACTION).isin(deletes) if deletes else F.lit(False)
    twice = F.count("*").over(Window.partitionBy(*map(by_name, _key(made)))) > 1
    told = f"MERGE INTO {made.name}: several rows of the source match one row, or have one key"
    checked = rows.where(by_name(_ACTION).isNotNull()).withColumn(
        _DELETE, F.when(twice, F.raise_error(F.lit(told)).cast("boolean")).otherwise(gone)
    )
    table.change(checked.drop(_ACTION), _DELETE)


class _Merge:
    """The columns that a merge writes, one CASE each; which action a row has is a column, too."""

    def __init__(self, made: Object, table: str, source: str, offered: list[str]) -> None:
        self._made, self._table, self._source = made, table, source
        self._offered = {c.lower(): c for c in offered}
        self._when: list[str] = []
        self._values: dict[str, list[str]] = {c: [] for c in _stored_columns(made)}

    def add(self, number: int, action: s.MergeAction) -> None:
        """One more action."""
        when = {
            "matched": f"{_IN_TABLE} AND {_IN_SOURCE}",
            "new": f"{_IN_SOURCE} AND {_IN_TABLE} IS NULL",
            "gone": f"{_IN_TABLE} AND {_IN_SOURCE} IS NULL",
        }[action.when]
        condition = f" AND ({action.condition})" if action.condition else ""
        self._when.append(f"WHEN {when}{condition} THEN {number}")
        sets = self._sets(action)
        for column, choices in self._values.items():
            choices.append(f"WHEN {number} THEN {self._value(action, column, sets)}")

    def _sets(self, action: s.MergeAction) -> dict[str, str]:
        columns = _columns(self._made)
        if action.does == "delete":
            return {}
        if not action.sets:  # all columns of the source
            if missing := [c for c in columns if c.lower() not in self._offered]:
                raise ConfigurationError(
                    f"MERGE INTO {self._made.name}: * needs all columns, and the source has no "
                    f"{', '.join(missing)}"
                )
            return {c: f"{self._source}.{quoted(self._offered[c.lower()])}" for c in columns}
        sets = {_known(self._made, [c], columns)[0]: f"({v})" for c, v in action.sets}
        key = _key(self._made)
        if action.does == "update" and (changed := [c for c in sets if c in key]):
            raise ConfigurationError(
                f"MERGE INTO {self._made.name}: {', '.join(changed)} is of the PRIMARY KEY, which "
                "identifies a row"
            )
        lacking = [c for c in key if c not in sets and c != ROW_ID]
        if action.does == "insert" and lacking:
            raise ConfigurationError(
                f"MERGE INTO {self._made.name}: the PRIMARY KEY needs {', '.join(lacking)}"
            )
        return sets

    def _value(self, action: s.MergeAction, column: str, sets: dict[str, str]) -> str:
        if action.does == "insert":
            return sets.get(column, "uuid()" if column == ROW_ID else _default(self._made, column))
        if column in sets and column not in _key(self._made):
            return sets[column]
        return f"{self._table}.{quoted(column)}"

    def columns(self) -> str:
        """What is selected."""
        action = f"CASE {' '.join(self._when)} END AS {_ACTION}"
        values = [
            f"CASE {_ACTION} {' '.join(choices)} END AS {quoted(c)}"
            for c, choices in self._values.items()
        ]
        return ", ".join([action, *values])


def _keyed(pipeline: SqlPipeline, name: str, what: str) -> tuple[Table, Object]:
    table, made = pipeline.table(name)
    if not _key(made):
        raise ConfigurationError(
            f"{what} {made.name}: the table is APPEND ONLY, so its rows never change"
        )
    pipeline.settle()
    return table, made


def _from(pipeline: SqlPipeline, made: Object, alias: str, where: str | None) -> str:
    condition = f" WHERE {where}" if where else ""
    return f" FROM {_relation(pipeline, made)} AS {alias}{condition}"


def _relation(pipeline: SqlPipeline, made: Object) -> str:
    """The table with its hidden key, which has to be asked for by name."""
    name = f"{CATALOG}.{quoted(pipeline.name)}.{quoted(made.name)}"
    columns = ", ".join(quoted(c) for c in _stored_columns(made))
    return f"(SELECT {columns} FROM {name})"


def _of(made: Object) -> s.CreateRelation:
    statement = made.statement
    assert isinstance(statement, s.CreateRelation)
    return statement


def _default(made: Object, column: str) -> str:
    """What a new row has in a column that it does not name, as SQL."""
    return next(
        (f"({c.default})" for c in _of(made).columns if c.name == column and c.default), "NULL"
    )


def _columns(made: Object) -> list[str]:
    return [column.name for column in _of(made).columns]


def _key(made: Object) -> tuple[str, ...]:
    relation = _of(made)
    return relation.key or (() if relation.append_only else (ROW_ID,))


def _stored_columns(made: Object) -> list[str]:
    return list(dict.fromkeys((*_columns(made), *_key(made))))


def _version(made: Object) -> tuple[str, ...]:
    options = {k.lower(): v for k, v in _of(made).options.items()}
    return (options["version"],) if "version" in options else ()


def _known(made: Object, names: Sequence[str], columns: Sequence[str]) -> list[str]:
    """Columns of the table, in any case of letters.

    Raises:
        ConfigurationError: there is no such column, or one is named twice.
    """
    by_lower = {c.lower(): c for c in columns}
    for name in names:
        if name.lower() not in by_lower:
            raise ConfigurationError(
                f"table {made.name} has no column {name!r}; it has {', '.join(columns)}"
            )
    found = [by_lower[name.lower()] for name in names]
    if len(set(found)) < len(found):
        raise ConfigurationError(
            f"table {made.name}: a column is named twice in {', '.join(names)}"
        )
    return found
