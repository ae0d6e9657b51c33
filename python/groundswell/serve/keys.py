"""Conditions on a view's key in a SELECT, so that only the rows they name need be read. Pure."""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import Any

from groundswell.serve.statement import Select, Tree, nodes

MOST = 1000
"""Of more keys the view is scanned."""
_WHOLE = re.compile(r"[-+]?\d{1,20}", re.ASCII)
_INTEGERS = ("byte", "short", "integer", "long")


def wanted(
    select: Select, view: str, key: Sequence[str], types: Sequence[Any]
) -> list[tuple[Any, ...]] | None:
    """The keys that a statement can see of a view; None: perhaps all.

    The statement is run over their rows with all of its conditions. So this may find too many
    keys, and must not find too few.

    Args:
        select: the statement.
        view: its name.
        key: its key's columns.
        types: of these columns, as Spark's JSON says them.
    """
    if not key:
        return None
    found = [node for node in nodes(select.tree) if _is(node, view)]
    if len(found) != 1:
        return None
    for node in nodes(select.tree):
        if node.get("type") == "SELECT_NODE" and node.get("from_table") is found[0]:
            return _keys(node, found[0], key, types)
    return None


def _is(node: Tree, view: str) -> bool:
    return node.get("type") == "BASE_TABLE" and str(node["table_name"]).lower() == view.lower()


def _keys(
    node: Tree, table: Tree, key: Sequence[str], types: Sequence[Any]
) -> list[tuple[Any, ...]] | None:
    if table.get("column_name_alias") or table.get("sample"):
        return None
    alias = str(table.get("alias") or table["table_name"]).lower()
    choices: dict[str, list[Any]] = {}
    known = {name.lower(): of for name, of in zip(key, types, strict=True)}
    for condition in _conjuncts(node.get("where_clause")):
        told = _equal(condition, alias, known)
        if told is not None:
            choices.setdefault(*told)
    if len(choices) < len(key):
        return None
    parts = [choices[name.lower()] for name in key]
    total = 1
    for part in parts:
        total *= len(part)
    return list(dict.fromkeys(product(*parts))) if total <= MOST else None


def _conjuncts(node: Any) -> Iterator[Tree]:
    if not isinstance(node, dict):
        return
    if node.get("type") == "CONJUNCTION_AND":
        for child in node["children"]:
            yield from _conjuncts(child)
    else:
        yield node


def _equal(node: Tree, alias: str, types: Mapping[str, Any]) -> tuple[str, list[Any]] | None:
    """A column of the key and all values that it can have."""
    if node.get("type") == "COMPARE_EQUAL":
        for here, there in ((node["left"], node["right"]), (node["right"], node["left"])):
            name = _column(here, alias, types)
            if name is not None:
                value = _value(there, types[name])
                return None if value is None else (name, [value])
    if node.get("type") == "COMPARE_IN":
        first, *rest = node["children"]
        name = _column(first, alias, types)
        if name is not None:
            values = [_value(each, types[name]) for each in rest]
            return None if None in values else (name, values)
    return None


def _column(node: Tree, alias: str, types: Mapping[str, Any]) -> str | None:
    if node.get("class") != "COLUMN_REF":
        return None
    *qualifier, name = (str(part).lower() for part in node["column_names"])
    if name not in types or (qualifier and qualifier != [alias]):
        return None
    return name


def _value(node: Any, data_type: Any) -> Any:
    """A constant as a value of the key's type; None: it is none that is known here."""
    cast = ""
    while isinstance(node, dict) and node.get("class") == "CAST":
        cast = str((node.get("type_expr") or {}).get("type_name", "")).lower()
        node = node["child"]
    if not isinstance(node, dict) or node.get("class") != "CONSTANT":
        return None
    literal = node.get("literal") or {}
    kind, text = literal.get("kind"), literal.get("text")
    if not isinstance(text, str):
        return None
    if data_type == "string":
        return text if kind == "STRING" and cast in ("", "varchar", "text") else None
    if data_type in _INTEGERS:
        plain = cast in ("", "bigint", "integer", "smallint", "tinyint", "int", "int8", "int4")
        return _integer(text, data_type) if plain and kind in ("INTEGER", "STRING") else None
    if data_type == "date" and kind == "STRING" and cast in ("", "date"):
        try:
            return (datetime.date.fromisoformat(text) - datetime.date(1970, 1, 1)).days
        except ValueError:
            return None
    return None


def _integer(text: str, data_type: str) -> int | None:
    if not _WHOLE.fullmatch(text):
        return None
    value = int(text)
    bits = {"byte": 7, "short": 15, "integer": 31, "long": 63}[data_type]
    return value if -(1 << bits) <= value < 1 << bits else None
