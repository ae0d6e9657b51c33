"""What Spark refuses, in one line that says what to do next.

Spark does not know what a pipeline has, and its messages give advice for catalogs of tables.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from groundswell import jvm
from groundswell.errors import GroundswellError
from groundswell.sql.defining.building import CATALOG
from groundswell.sql.executor import REGISTRY, Context
from groundswell.sql.parsing.functions import calls
from groundswell.sql.parsing.statements import FUNCTION, SOURCE, TABLE, VIEW
from groundswell.sql.parsing.tokens import tokens
from groundswell.suggestions import meant

_VIEWS = (
    "a pipeline has no plain views. CREATE MATERIALIZED VIEW makes one that is kept up to date, "
    "CREATE TEMPORARY VIEW one of this session; DROP MATERIALIZED VIEW drops one of the pipeline"
)


def told(spark: SparkSession, error: BaseException, statement: str = "") -> str:
    """What is wrong with a statement, and what to do.

    Args:
        spark: the session that ran it.
        error: what it raised.
        statement: its text.
    """
    if not isinstance(error, PySparkException) or isinstance(error, GroundswellError):
        return jvm.refusal(error)
    return _told(spark, error, statement) or jvm.refusal(error)


def _told(spark: SparkSession, error: PySparkException, statement: str) -> str | None:
    given = error.getMessageParameters() or {}
    catalog = spark.catalog
    context = Context(spark, catalog.currentCatalog(), (catalog.currentDatabase(),))
    match error.getCondition():
        case "TABLE_OR_VIEW_NOT_FOUND":
            return _no_relation(context, _parts(given.get("relationName", "")))
        case "SCHEMA_NOT_FOUND":
            parts = _parts(given.get("schemaName", ""))
            return _no_pipeline(context, parts[1]) if parts[:1] == [CATALOG] and parts[1:] else None
        case "MISSING_CATALOG_ABILITY.VIEWS":
            return _VIEWS if given.get("plugin", CATALOG) == CATALOG else None
        case "MISSING_CATALOG_ABILITY.FUNCTIONS":
            return _no_function(context, statement)
        case "PARSE_SYNTAX_ERROR":
            return _no_statement(statement)
        case _:
            return None


_VIEW = "CREATE MATERIALIZED VIEW name AS SELECT ... makes what is kept up to date"
_PUSHED = (
    "`python -m groundswell serve LOCATION` pushes changes to clients of PostgreSQL; here, "
    "SELECT * FROM v CHANGES FROM VERSION n reads them"
)
_ENDS = (
    "a pipeline runs until its process ends: exit ends this shell. ALTER MATERIALIZED VIEW v "
    "SUSPEND stops a view, and RESUME goes on"
)
_STATEMENTS: Mapping[str, str] = {
    "STOP": _ENDS,
    "PAUSE": _ENDS,
    "START PIPELINE": "a pipeline starts with its first view, and when a table of it is read",
    "SUBSCRIBE": _PUSHED,
    "DECLARE": _PUSHED,
    "FETCH": _PUSHED,
    "COPY": "INSERT INTO t SELECT * FROM csv.`/path` takes the rows of a file",
    "CREATE MATERIALIZED TABLE": _VIEW,
    "CREATE DYNAMIC TABLE": _VIEW,
    "CREATE LIVE": _VIEW,
    "CREATE INCREMENTAL": _VIEW,
    "CREATE MATERIALISED": _VIEW,
    "RENAME TABLE": "ALTER TABLE t RENAME TO u gives a table another name",
    "CREATE STREAM": f"CREATE SOURCE reads a stream, and {_VIEW}",
}
"""By how a statement of other systems begins, what to do in its place."""
_CLAUSES: Mapping[str, str] = {
    "EMIT CHANGES": "a materialized view always gives its changes: leave EMIT CHANGES out",
}


def _no_statement(statement: str) -> str | None:
    text = " ".join(["", *(each.text.upper() for each in tokens(statement)), ""])
    found = [each for each in _STATEMENTS.items() if text.startswith(f" {each[0]} ")]
    found += [each for each in _CLAUSES.items() if f" {each[0]} " in text]
    for words, advice in found:
        return f"there is no {words} in Groundswell's SQL: {advice}"
    return None


def _no_relation(context: Context, parts: list[str]) -> str | None:
    if not parts:
        return None
    place = context.place(tuple(parts))
    if place is None:
        known = [p.name for p in REGISTRY.all(context.spark)]
        where = ".".join(parts[:-1]) or f"{context.catalog}.{'.'.join(context.namespace)}"
        way = (
            f"USE {CATALOG}.{known[0]} goes to a pipeline"
            if known
            else ("CREATE PIPELINE IF NOT EXISTS name LOCATION '...' makes or finds a pipeline")
        )
        return f"there is no table or view {parts[-1]!r} in {where}. {way}"
    pipeline = REGISTRY.find(context.spark, place[0])
    if pipeline is None:
        return _no_pipeline(context, place[0])
    names = [each.name for each in pipeline.contents.of(TABLE, SOURCE, VIEW)]
    return _lacks(place, "table or view", names)


def _no_function(context: Context, statement: str) -> str | None:
    for name in sorted(calls(statement)):
        place = context.place((name,))
        pipeline = place and REGISTRY.find(context.spark, place[0])
        if not place or not pipeline or jvm.is_builtin(context.spark, name):
            continue
        names = [each.name for each in pipeline.contents.of(FUNCTION)]
        temporary = jvm.has_temporary(context.spark, name)
        if name not in (each.lower() for each in names) and not temporary:
            return _lacks(place, "function", names)
    return None


def _no_pipeline(context: Context, name: str) -> str | None:
    try:
        context.pipeline(name)
    except GroundswellError as error:
        return str(error)
    return None


def _lacks(place: tuple[str, str], kind: str, names: Iterable[str]) -> str:
    known = sorted(names)
    has = f"it has {', '.join(known)}" if known else "it has none yet"
    hint = meant(place[1], known).removeprefix("; ").strip()
    hint = f". {hint[0].upper()}{hint[1:]}" if len(hint) > 1 else ""
    return f"pipeline {place[0]} has no {kind} {place[1]!r}; {has}{hint}"


def _parts(name: str) -> list[str]:
    """The parts of a name as Spark writes it, with each in backticks."""
    return [each.value for each in tokens(name) if each.text != "."]
