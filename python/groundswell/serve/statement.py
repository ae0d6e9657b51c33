"""What a SELECT reads, told from DuckDB's own syntax tree. Pure but for the parser.

Only what DuckDB parses as SELECT is ever run, and only over relations and table functions that are
named here: nothing that a client sends can write, read a file or see the engine's own tables.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from groundswell.serve import pgtypes as t
from groundswell.serve.errors import ServeError, read_only
from groundswell.serve.lexer import tokens

_FUNCTIONS = {"unnest", "generate_series", "range", "json_each", "json_tree", "pg_timezone_names"}
_FUNCTIONS |= {"repeat_row", "generate_subscripts"}
_WRITES = {"INSERT_QUERY_NODE": "INSERT", "UPDATE_QUERY_NODE": "UPDATE"}
_WRITES |= {"DELETE_QUERY_NODE": "DELETE", "MERGE_QUERY_NODE": "MERGE"}
TREE = "SELECT json_serialize_sql($1)"
_LOCKS = {"UPDATE", "SHARE", "NO", "KEY"}

Tree = Mapping[str, Any]


@dataclass(frozen=True)
class Select:
    """A SELECT.

    Attributes:
        relations: names of what it reads, as they are written.
        tree: DuckDB's syntax tree of the one statement.
    """

    relations: tuple[str, ...]
    tree: Tree = field(repr=False)


def parsed(connection: Any, sql: str) -> Select:
    """Checks a SELECT, and tells what it reads.

    Args:
        connection: a DuckDB connection that runs nothing else.
        sql: one statement, parameters included or not.

    Raises:
        ServeError: it is not a SELECT (25006), not SQL (42601), or uses a function over the
            engine's files or settings (42501).
    """
    document = json.loads(connection.execute(TREE, [sql]).fetchall()[0][0])
    if document["error"]:
        if document["error_type"] == "parser":
            _check_writes(sql)
            position = int(document.get("position") or 0) + 1
            raise ServeError("42601", document["error_message"], position=position)
        raise read_only(sql.split(None, 1)[0].upper() if sql.split() else "this statement")
    if len(document["statements"]) != 1:
        raise ServeError("42601", "cannot run several commands as one prepared statement")
    tree = document["statements"][0]
    for node in nodes(tree):
        _check(node)
        qualified = node.get("schema_name") or node.get("catalog_name")
        if node.get("type") == "BASE_TABLE" and qualified:
            path = ".".join(node["qualified_name"]["path"])
            raise ServeError("42P01", f'relation "{path}" does not exist')
    return Select(tuple(read_by(tree)), tree)


def _check_writes(sql: str) -> None:
    """Refuses what PostgreSQL's SELECT may write or lock, and DuckDB's has no word for."""
    words = [token.upper for token in tokens(sql)]
    for at, word in enumerate(words):
        if word == "INTO":
            raise read_only("SELECT INTO")
        if word == "FOR" and words[at + 1 : at + 2] and words[at + 1] in _LOCKS:
            raise read_only(
                "SELECT FOR "
                + {"NO": "NO KEY UPDATE", "KEY": "KEY SHARE"}.get(words[at + 1], words[at + 1])
            )


def read_by(tree: Tree) -> list[str]:
    """The names of the relations that a statement reads, as they are written."""
    names: dict[str, None] = {}
    local: set[str] = set()
    for node in nodes(tree):
        if node.get("type") == "BASE_TABLE":
            names[node["table_name"]] = None
        if isinstance(node.get("cte_map"), dict):
            local |= {entry["key"].lower() for entry in node["cte_map"]["map"]}
        if node.get("type") == "RECURSIVE_CTE_NODE":
            local.add(str(node.get("cte_name", "")).lower())
    return [name for name in names if name.lower() not in local]


def nodes(tree: Any) -> Iterator[dict[str, Any]]:
    """All objects of a syntax tree, from the outside in."""
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        if isinstance(node, dict):
            yield node
            waiting.extend(node.values())
        elif isinstance(node, list):
            waiting.extend(node)


_COUNT: Tree = {
    "type": "FUNCTION", "function_name": "count_star", "filter": None, "distinct": False,
}  # fmt: skip
_WHOLE: Tree = {"type": "BASE_TABLE", "sample": None, "at_clause": None}
_PLAIN: Tree = {
    "type": "SELECT_NODE", "modifiers": [], "where_clause": None, "group_expressions": [],
    "group_sets": [], "having": None, "sample": None, "qualify": None, "cte_map": {"map": []},
    "aggregate_handling": "STANDARD_HANDLING",
}  # fmt: skip


def counted(select: Select) -> str | None:
    """The relation whose rows a statement counts, and does no more; None: it does more."""
    node = select.tree["node"]
    listed: list[Tree] = node.get("select_list") or []
    if len(listed) != 1 or len(select.relations) != 1:
        return None
    plain = (
        _PLAIN.items() <= node.items()
        and _COUNT.items() <= listed[0].items()
        and _WHOLE.items() <= (node.get("from_table") or {}).items()
    )
    return select.relations[0] if plain else None


def result_names(tree: Tree, given: Sequence[str]) -> list[str]:
    """The names of a result's columns as PostgreSQL has them.

    Args:
        tree: of the statement.
        given: DuckDB's names.
    """
    node = tree["node"]
    while node.get("type") == "SET_OPERATION_NODE":
        node = node.get("left") or node["children"][0]
    selected = node.get("select_list") or ()
    if len(selected) != len(given) or any(each.get("class") == "STAR" for each in selected):
        return list(given)
    return [_name(each) or name for each, name in zip(selected, given, strict=True)]


def _name(node: Tree) -> str:
    """The name of an expression without an alias; empty: DuckDB's is right."""
    if node.get("alias") or node.get("class") == "COLUMN_REF":
        return ""
    if node.get("class") == "FUNCTION" and not node.get("is_operator"):
        name = str(node["function_name"])
        return "count" if name == "count_star" else name
    if node.get("class") == "WINDOW":
        return str(node.get("function_name") or "?column?")
    if node.get("class") == "CAST":
        inner = node["child"]
        if inner.get("class") == "COLUMN_REF":
            return str(inner["column_names"][-1])
        named = _name(inner)
        if named != "?column?":
            return named
        return str((node.get("type_expr") or {}).get("type_name") or "?column?").lower()
    return {"CASE": "case"}.get(str(node.get("class")), "?column?")


def _check(node: Tree) -> None:
    kind = node.get("type")
    if isinstance(kind, str) and kind in _WRITES:  # a sample's size is a value with a type
        raise read_only(_WRITES[kind])
    if kind == "TABLE_FUNCTION":
        name = str(node["function"].get("function_name", "")).lower()
        if name not in _FUNCTIONS:
            raise ServeError(
                "42501",
                f"function {name} is not available here",
                f"Functions in FROM are {', '.join(sorted(_FUNCTIONS))}.",
            )
    if kind == "SHOW_REF":
        raise ServeError("42601", "DESCRIBE and SUMMARIZE are not available here")


COMPARISONS = {"COMPARE_EQUAL", "COMPARE_NOTEQUAL", "COMPARE_LESSTHAN", "COMPARE_GREATERTHAN"}
COMPARISONS |= {"COMPARE_LESSTHANOREQUALTO", "COMPARE_GREATERTHANOREQUALTO"}
COMPARISONS |= {"COMPARE_DISTINCT_FROM", "COMPARE_NOT_DISTINCT_FROM"}


def parameter_types(select: Select, number: int, columns: Mapping[str, int]) -> list[int]:
    """The object ids of parameters whose types a client leaves open.

    Args:
        select: the statement.
        number: of its parameters.
        columns: the type of each column that it may name, by name in lower case.
    """
    found = [t.TEXT_OID] * number

    def note(node: Any, oid: int | None) -> None:
        if isinstance(node, dict) and node.get("class") == "PARAMETER" and oid is not None:
            position = str(node.get("identifier", ""))
            if position.isdecimal() and 1 <= int(position) <= number:
                found[int(position) - 1] = oid

    def oid_of(node: Any) -> int | None:
        return _oid_of(node, columns)

    for node in nodes(select.tree):
        kind = node.get("type")
        if kind in COMPARISONS:
            note(node.get("left"), oid_of(node.get("right")))
            note(node.get("right"), oid_of(node.get("left")))
        elif kind in ("COMPARE_IN", "COMPARE_NOT_IN"):
            first, *rest = node["children"]
            for each in rest:
                note(each, oid_of(first))
        elif kind in ("COMPARE_BETWEEN", "COMPARE_NOT_BETWEEN"):
            note(node.get("lower"), oid_of(node.get("input")))
            note(node.get("upper"), oid_of(node.get("input")))
        elif kind == "LIMIT_MODIFIER":
            note(node.get("limit"), t.INT8)
            note(node.get("offset"), t.INT8)
        elif node.get("class") == "CAST":
            note(node.get("child"), _named(node))
        elif node.get("class") == "FUNCTION" and node.get("is_operator"):
            sides = [argument["expression"] for argument in node.get("arguments", ())]
            for here, there in zip(sides, reversed(sides), strict=True):
                note(here, oid_of(there))
    for place, array in arrays_wanted(select.tree, columns):
        note(place, array)
    return found


_OF_ARRAYS = {"@>", "<@", "&&", "||"}


def arrays_wanted(tree: Tree, columns: Mapping[str, int]) -> Iterator[tuple[Tree, int]]:
    """Expressions in whose places stand arrays, each with the object id of the array's type.

    Args:
        tree: of a statement.
        columns: the type of each column that it may name, by name in lower case.
    """
    for node in nodes(tree):
        sides: list[Any] = []
        if node.get("class") == "SUBQUERY" and node.get("subquery_type") == "ANY":
            selected = (node["subquery"].get("node") or {}).get("select_list") or [{}]
            element = _oid_of(node.get("child"), columns) or t.TEXT_OID
            if selected[0].get("function_name") == "unnest" and element in t.ARRAYS:
                yield selected[0]["arguments"][0]["expression"], t.ARRAYS[element]
        elif node.get("class") == "CAST":
            sides = [node, node.get("child")]
        elif node.get("type") in COMPARISONS:
            sides = [node.get("left"), node.get("right")]
        elif node.get("type") in ("COMPARE_IN", "COMPARE_NOT_IN", "OPERATOR_COALESCE"):
            sides = node["children"]
        elif node.get("function_name") in _OF_ARRAYS:
            sides = [argument["expression"] for argument in node.get("arguments", ())]
        found = (_oid_of(side, columns) for side in sides)
        array = next((oid for oid in found if oid in _ARRAYS), None)
        if array is not None:
            yield from ((side, array) for side in sides)


def _oid_of(node: Any, columns: Mapping[str, int]) -> int | None:
    """The type that an expression shows that it has; None: it does not."""
    if not isinstance(node, dict):
        return None
    if node.get("class") == "COLUMN_REF":
        return columns.get(str(node["column_names"][-1]).lower())
    if node.get("class") == "CONSTANT":
        kind = (node.get("literal") or {}).get("kind")
        return {"INTEGER": t.INT4, "STRING": t.TEXT_OID, "DECIMAL": t.NUMERIC}.get(str(kind))
    if node.get("class") == "CAST":
        return _named(node)
    if node.get("type") == "ARRAY_CONSTRUCTOR" and node.get("children"):
        return t.ARRAYS.get(_oid_of(node["children"][0], columns) or 0)
    return None


_ARRAYS = frozenset(t.ARRAYS.values())
_BY_NAME = {
    "boolean": t.BOOL, "bool": t.BOOL, "smallint": t.INT2, "int2": t.INT2, "integer": t.INT4,
    "int": t.INT4, "int4": t.INT4, "bigint": t.INT8, "int8": t.INT8, "float": t.FLOAT4,
    "float4": t.FLOAT4, "real": t.FLOAT4, "double": t.FLOAT8, "float8": t.FLOAT8,
    "decimal": t.NUMERIC, "numeric": t.NUMERIC, "date": t.DATE, "time": t.TIME,
    "timestamp": t.TIMESTAMP, "timestamptz": t.TIMESTAMPTZ, "interval": t.INTERVAL,
    "timestamp with time zone": t.TIMESTAMPTZ, "uuid": t.UUID,
    "uinteger": t.OID, "varchar": t.TEXT_OID, "text": t.TEXT_OID, "blob": t.BYTEA, "bytea": t.BYTEA,
}  # fmt: skip


def _named(node: Tree) -> int | None:
    """The type that a cast names."""
    of = node.get("type_expr")
    if not isinstance(of, dict):
        return None
    name = str(of.get("type_name", "")).lower()
    children: list[Any] = of.get("children") or []
    if name == "list" and len(children) == 1:
        return t.ARRAYS.get(_named({"type_expr": children[0]}) or 0)
    return _BY_NAME.get(name)
