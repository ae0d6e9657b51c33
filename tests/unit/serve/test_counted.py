"""Statements that count all rows of a relation, and do no more."""

from __future__ import annotations

import duckdb
import pytest

from groundswell.serve.statement import counted, parsed


@pytest.mark.parametrize(
    ("sql", "relation"),
    [
        ("SELECT count(*) FROM items", "items"),
        ('select COUNT(*) AS "Rows" from Items AS i', "Items"),
        ("SELECT count(*) FROM items WHERE id > 1", None),
        ("SELECT count(*) FROM items GROUP BY id", None),
        ("SELECT count(*) FROM items GROUP BY ()", None),
        ("SELECT count(*) FROM items HAVING count(*) > 1", None),
        ("SELECT count(*) FROM items LIMIT 0", None),
        ("SELECT count(*) FROM items USING SAMPLE 1 ROWS", None),
        ("SELECT count(*) FROM items TABLESAMPLE 50%", None),
        ("SELECT count(*) FILTER (WHERE id > 1) FROM items", None),
        ("SELECT count(*) OVER () FROM items", None),
        ("SELECT count(id) FROM items", None),
        ("SELECT count(DISTINCT id) FROM items", None),
        ("SELECT count(*) + 1 FROM items", None),
        ("SELECT count(*), 1 FROM items", None),
        ("SELECT DISTINCT count(*) FROM items", None),
        ("SELECT count(*) FROM items, other", None),
        ("SELECT count(*) FROM items UNION ALL SELECT count(*) FROM items", None),
        ("WITH items AS (SELECT 1) SELECT count(*) FROM items", None),
        ("SELECT count(*) FROM (SELECT * FROM items)", None),
        ("SELECT count(*) FROM items QUALIFY true", None),
        ("SELECT count(*)", None),
        ("SELECT 1 FROM items", None),
    ],
)
def test_a_count_of_a_whole_relation(sql: str, relation: str | None) -> None:
    assert counted(parsed(duckdb.connect(), sql)) == relation
