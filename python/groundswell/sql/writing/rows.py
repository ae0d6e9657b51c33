"""Rows that statements write, as queries whose result a table takes at one barrier.

``UPDATE``, ``DELETE`` and ``MERGE`` read the table at its newest epoch. The expressions in them are
parts of the query, so Spark reads and checks them.
"""

from __future__ import annotations

import re
import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from pyspark.errors import AnalysisException
from pyspark.sql import Column, DataFrame, SparkSession, Window
from pyspark.sql import functions as F
from pyspark.sql.types import IntegerType, StructField, StructType

from groundswell import jvm
from groundswell.catalog.columns_of_tables import stored
from groundswell.columns import by_name, quoted, with_padding
from groundswell.errors import ConfigurationError, SourceError
from groundswell.runtime.field_names import check_fields
from groundswell.runtime.tables import Table
from groundswell.sql.connecting.connectors import declared_schema
from groundswell.sql.defining.building import CATALOG
from groundswell.sql.defining.table_columns import ROW_ID, table_schema
from groundswell.sql.history.log import Object
from groundswell.sql.parsing import statements as s
from groundswell.sql.pipelines import SqlPipeline
from groundswell.sql.writing.assigning import Target, assigned
from groundswell.sql.writing.defaults import in_rows
from groundswell.sql.writing.transactions import SessionTransaction

Within = SessionTransaction | None
_DELETE = "_groundswell_gone"
_AT = re.compile(r"; line \d+,? pos \d+;?$")
_IN_TABLE, _IN_SOURCE, _ACTION = "_groundswell_t", "_groundswell_s", "_groundswell_action"
_VALUE = "_groundswell_value_"


def insert(
    pipeline: SqlPipeline,
    name: str,
    statement: s.Insert,
    spark: SparkSession,
    within: Within = None,
) -> None:
    """``INSERT INTO``."""
    table, made = pipeline.table(name, within.of(pipeline) if within else None)
    columns = _columns(made)
    wanted = _known(made, statement.columns, columns) if statement.columns else columns
    query = in_rows(statement.query, [_default(made, c) for c in wanted])
    given = _read(spark, f"INSERT INTO {made.name}", query)
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


def update(
    pipeline: SqlPipeline,
    name: str,
    statement: s.Update,
    spark: SparkSession,
    within: Within = None,
) -> None:
    """``UPDATE``."""
    table, made = _keyed(pipeline, name, "UPDATE", within)
    alias = quoted(statement.alias or made.name)
    what = f"UPDATE {made.name}"
    sets = assigned(_target(pipeline, made, what, statement.alias), statement.sets)
    if changed := [c for c in sets if c in _key(made)]:
        raise ConfigurationError(
            f"UPDATE {made.name}: {', '.join(changed)} is of the PRIMARY KEY, which identifies a "
            "row: delete the row and insert another"
        )
    values = ", ".join(
        f"{sets.get(c, f'{alias}.{quoted(c)}')} AS {quoted(c)}" for c in _stored_columns(made)
    )
    where = f" WHERE {statement.where}" if statement.where else ""
    with _rows_of(pipeline, made, within) as relation:
        text = f"SELECT {values} FROM {relation} AS {alias}{where}"
        table.upsert(_read(spark, what, text))


def delete(
    pipeline: SqlPipeline,
    name: str,
    statement: s.Delete,
    spark: SparkSession,
    within: Within = None,
) -> None:
    """``DELETE FROM``."""
    table, made = _keyed(pipeline, name, "DELETE", within)
    alias = quoted(statement.alias or made.name)
    names = dict.fromkeys((*_key(made), *_version(made)))
    keys = ", ".join(f"{alias}.{quoted(c)}" for c in names)
    where = f" WHERE {statement.where}" if statement.where else ""
    with _rows_of(pipeline, made, within) as relation:
        text = f"SELECT {keys} FROM {relation} AS {alias}{where}"
        table.delete(_read(spark, f"DELETE FROM {made.name}", text))


def merge(
    pipeline: SqlPipeline,
    name: str,
    statement: s.Merge,
    spark: SparkSession,
    within: Within = None,
) -> None:
    """``MERGE INTO``: all actions are one write, taken at one barrier."""
    table, made = _keyed(pipeline, name, "MERGE INTO", within)
    t, source = quoted(statement.alias or made.name), quoted(statement.source_alias)
    relation = f"{statement.source} AS {source}"
    if statement.source_columns:
        relation += f"({', '.join(map(quoted, statement.source_columns))})"
    what = f"MERGE INTO {made.name}"
    offered = _read(spark, what, f"SELECT * FROM {relation}").columns
    merged = _Merge(made, _target(pipeline, made, what, statement.alias), source, offered)
    for number, action in enumerate(statement.actions):
        merged.add(number, action)
    with _rows_of(pipeline, made, within) as rows:
        text = (
            f"SELECT {merged.columns()} FROM (SELECT *, true AS {_IN_TABLE} FROM {rows}) AS {t} "
            f"FULL OUTER JOIN (SELECT *, true AS {_IN_SOURCE} FROM {relation}) AS {source} ON "
            f"{statement.on}"
        )
        rows_of = merged.rows(_read(spark, what, text))
        table.change(_checked(rows_of, made, statement), _DELETE)


def _read(spark: SparkSession, what: str, text: str) -> DataFrame:
    """A query that is made of a statement's parts.

    Raises:
        ConfigurationError: Spark refuses it. Where it says that this is, is of the query's text.
    """
    try:
        return spark.sql(text)
    except AnalysisException as e:
        raise ConfigurationError(f"{what}: {_AT.sub('', jvm.refusal(e))}") from None


def _checked(rows: DataFrame, made: Object, statement: s.Merge) -> DataFrame:
    """The rows that a merge writes, with whether each one goes; none is written twice.

    As in Spark's own, a row may go twice where all that are matched go: whichever row of the source
    it is that takes it, it is gone.
    """
    deletes = [n for n, action in enumerate(statement.actions) if action.does == "delete"]
    gone = by_name(_ACTION).isin(deletes) if deletes else F.lit(False)
    matched = [action for action in statement.actions if action.when == "matched"]
    all_go = len(matched) == 1 and matched[0].does == "delete" and not matched[0].condition
    of_key = Window.partitionBy(*map(by_name, _key(made)))
    number = F.count("*").over(of_key)
    if all_go:
        number = F.count(F.when(~gone, 1)).over(of_key) + F.max(gone.cast("int")).over(of_key)
    told = f"MERGE INTO {made.name}: several rows of the source match one row, or have one key"
    checked = rows.where(by_name(_ACTION).isNotNull()).withColumn(
        _DELETE, F.when(number > 1, F.raise_error(F.lit(told)).cast("boolean")).otherwise(gone)
    )
    return checked.drop(_ACTION)


class _Merge:
    """What a merge writes: which action a row has, and each action's values.

    The values of each action have columns of their own, which get the types of the table's before
    the action's are chosen: a ``CASE`` over all of them would give them one type, and a bigint that
    one action leaves would be a double where another action gives it one.
    """

    def __init__(self, made: Object, target: Target, source: str, offered: list[str]) -> None:
        self._made, self._target, self._source = made, target, source
        self._offered = {c.lower(): c for c in offered}
        self._when: list[str] = []
        self._values: list[tuple[int, str, str]] = []  # action, column, value

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
        key = _key(self._made)
        for column in _stored_columns(self._made):
            if action.does == "insert":
                own = "uuid()" if column == ROW_ID else _default(self._made, column)
                self._values.append((number, column, sets.get(column, own)))
            elif column in sets and column not in key:
                self._values.append((number, column, sets[column]))

    def _sets(self, action: s.MergeAction) -> dict[str, str]:
        what, columns = self._target.what, _columns(self._made)
        if action.does == "delete":
            return {}
        if not action.sets:  # all columns of the source
            if missing := [c for c in columns if c.lower() not in self._offered]:
                raise ConfigurationError(
                    f"{what}: * needs all columns, and the source has no {', '.join(missing)}"
                )
            return {c: f"{self._source}.{quoted(self._offered[c.lower()])}" for c in columns}
        sets = assigned(self._target, action.sets)
        key = _key(self._made)
        if action.does == "update" and (changed := [c for c in sets if c in key]):
            raise ConfigurationError(
                f"{what}: {', '.join(changed)} is of the PRIMARY KEY, which identifies a row"
            )
        lacking = [c for c in key if c not in sets and c != ROW_ID]
        if action.does == "insert" and lacking:
            raise ConfigurationError(f"{what}: the PRIMARY KEY needs {', '.join(lacking)}")
        return sets

    def columns(self) -> str:
        """What is selected."""
        action = f"CASE {' '.join(self._when)} END AS {_ACTION}"
        kept = [f"{self._target.relation}.{quoted(c)}" for c in _stored_columns(self._made)]
        values = [
            f"CASE {_ACTION} WHEN {number} THEN {value} END AS {_VALUE}{place}"
            for place, (number, _, value) in enumerate(self._values)
        ]
        return ", ".join([action, *kept, *values])

    def rows(self, read: DataFrame) -> DataFrame:
        """The table's columns, each with the value that its row's action gives it."""
        wanted = stored(table_schema(_of(self._made)))
        kept = _stored_columns(self._made)
        fields = [StructField(_ACTION, IntegerType()), *(wanted[c] for c in kept)]
        for place, (_, column, _) in enumerate(self._values):
            name, of = f"{_VALUE}{place}", wanted[column]
            check_fields(self._made.name, of, read.schema[name].dataType)
            fields.append(StructField(name, of.dataType))
        try:
            typed = jvm.exact(read, StructType(fields))
        except AnalysisException as e:
            raise SourceError(f"{self._target.what}: {jvm.first_line(e)}") from None
        columns: dict[str, Column] = {}
        for place, (number, column, _) in enumerate(self._values):
            before = columns.get(column, by_name(column))
            mine = by_name(_ACTION).eqNullSafe(number)
            columns[column] = F.when(mine, by_name(f"{_VALUE}{place}")).otherwise(before)
        return typed.select(*(columns.get(c, by_name(c)).alias(c) for c in (_ACTION, *kept)))


def _target(pipeline: SqlPipeline, made: Object, what: str, alias: str | None) -> Target:
    """The table as ``SET`` sees it."""
    full = tuple(name.lower() for name in (CATALOG, pipeline.name, made.name))
    names = ((alias.lower(),),) if alias else (full, full[1:], full[2:])
    schema = declared_schema(_of(made))
    defaults = {c: _default(made, c) for c in schema.names}
    return Target(what, schema, quoted(alias or made.name), names, defaults)


def _keyed(pipeline: SqlPipeline, name: str, what: str, within: Within) -> tuple[Table, Object]:
    table, made = pipeline.table(name, within.of(pipeline) if within else None)
    if not _key(made):
        raise ConfigurationError(
            f"{what} {made.name}: the table is APPEND ONLY, so its rows never change"
        )
    pipeline.settle()
    return table, made


@contextmanager
def _rows_of(pipeline: SqlPipeline, made: Object, within: Within) -> Iterator[str]:
    """A relation of a table's rows, with what the transaction has written, if it has.

    Its hidden key is a column like others: that has to be asked for by name.
    """
    columns = ", ".join(quoted(c) for c in _stored_columns(made))
    name = f"{CATALOG}.{quoted(pipeline.name)}.{quoted(made.name)}"
    if within is None or not within.wrote(pipeline, made.stored):
        yield f"(SELECT {columns} FROM {name})"
        return
    view = f"groundswell_own_{uuid.uuid4().hex}"
    rows = with_padding(within.rows(pipeline, made.stored), table_schema(_of(made)))
    rows.select(*map(by_name, _stored_columns(made))).createOrReplaceTempView(view)
    try:
        yield view
    finally:
        rows.sparkSession.catalog.dropTempView(view)


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
