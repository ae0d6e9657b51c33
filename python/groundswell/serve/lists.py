"""Texts of arrays, such as ``'{a,b}'``, where a statement wants an array: as DuckDB's lists.

PostgreSQL gives a text of unknown type the type that its place asks for. psycopg sends a list of
texts so: ``customer = ANY($1)`` comes with ``{ann,bob}`` and no type.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from groundswell.serve import pgtypes as t
from groundswell.serve.lexer import STRING, tokens
from groundswell.serve.parameters import literal
from groundswell.serve.statement import TREE, arrays_wanted, read_by
from groundswell.serve.values import ARRAY


def with_lists(
    connection: Any, sql: str, columns: Callable[[Sequence[str]], Mapping[str, int]]
) -> str:
    """A statement with the texts of arrays as lists, where an array is wanted.

    Args:
        connection: a DuckDB connection that runs nothing else.
        sql: in DuckDB's dialect, without parameters.
        columns: gives the types of the columns of relations, by name in lower case.

    Raises:
        ServeError: such a text is not an array (SQLSTATE 22P02).
    """
    texts = {x.start: x for x in tokens(sql) if x.kind == STRING and ARRAY.fullmatch(x.value)}
    if not texts:
        return sql
    document = json.loads(connection.execute(TREE, [sql]).fetchall()[0][0])
    if document["error"] or len(document["statements"]) != 1:
        return sql  # what runs it says what is wrong
    tree = document["statements"][0]
    encoded = sql.encode()
    lists: dict[int, str] = {}
    for node, array in arrays_wanted(tree, columns(read_by(tree))):
        if (node.get("literal") or {}).get("kind") == "STRING":
            start = len(encoded[: node["query_location"]].decode())
            if start in texts:
                lists[start] = literal(array, t.TEXT, texts[start].value.strip().encode())
    parts, at = [], 0
    for start, text in sorted(lists.items()):
        parts += [sql[at:start], text]
        at = texts[start].end
    return "".join([*parts, sql[at:]])
