"""Which keys a statement can see of a view, and how Spark writes and hashes them."""

from __future__ import annotations

from typing import Any

import duckdb
import pytest

from groundswell.serve.keys import wanted
from groundswell.serve.statement import parsed
from groundswell.state.stream_keys import hash_of, row_of


def keys(sql: str, key: tuple[str, ...] = ("id",), types: tuple[str, ...] = ("long",)) -> Any:
    with duckdb.connect() as connection:
        return wanted(parsed(connection, sql), "v", key, types)


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("SELECT * FROM v WHERE id = 7", [(7,)]),
        ("SELECT * FROM v AS x WHERE 7 = x.id AND n > 3", [(7,)]),
        ("SELECT * FROM V WHERE ID = CAST('7' AS BIGINT)", [(7,)]),
        ("SELECT count(*) FROM (SELECT * FROM v WHERE id IN (1, 2, 1)) q", [(1,), (2,)]),
        ("SELECT * FROM w WHERE EXISTS (SELECT 1 FROM v WHERE id = 3)", [(3,)]),
        ("SELECT * FROM v WHERE id = 7 OR n = 1", None),
        ("SELECT * FROM v WHERE NOT id = 7", None),
        ("SELECT * FROM v WHERE id <> 7", None),
        ("SELECT * FROM v WHERE id = n", None),
        ("SELECT * FROM v WHERE id = 7.5", None),
        ("SELECT * FROM v WHERE id = 99999999999999999999", None),
        ("SELECT * FROM v, w WHERE id = 7", None),
        ("SELECT * FROM v WHERE id = 7 UNION SELECT * FROM v", None),
        ("SELECT * FROM v WHERE w.id = 7", None),
        ("SELECT * FROM v x(id, n) WHERE id = 7", None),
        ("SELECT id = 7 FROM v", None),
        ("SELECT * FROM v", None),
    ],
)
def test_the_keys_of_a_statement(sql: str, expected: Any) -> None:
    assert keys(sql) == expected


def test_keys_of_several_columns_and_texts() -> None:
    both = ("a", "b")
    types = ("string", "integer")
    assert keys("SELECT * FROM v WHERE b IN (1, 2) AND a = 'x'", both, types) == [
        ("x", 1), ("x", 2),
    ]  # fmt: skip
    assert keys("SELECT * FROM v WHERE a = 'x'", both, types) is None
    assert keys("SELECT * FROM v WHERE a = 7 AND b = 1", both, types) is None
    assert keys("SELECT * FROM v WHERE a = CAST('x' AS BLOB) AND b = 1", both, types) is None


def test_sparks_rows_and_hashes() -> None:
    """Hashes as ``SELECT hash(...)`` of Spark gives them, unsigned."""
    assert hash_of([1], ["integer"]) == -559580957 & 0xFFFFFFFF
    assert hash_of([1], ["long"]) == -1712319331 & 0xFFFFFFFF
    assert hash_of(["Spark"], ["string"]) == 228093765 & 0xFFFFFFFF
    assert hash_of([None], ["long"]) == 42
    assert row_of([None, 5], ["long", "integer"]).hex() == "01" + "0" * 30 + "05" + "0" * 14
    assert row_of(["abcdefghi"], ["string"]).hex() == (
        "0" * 16 + "0900000010000000" + b"abcdefghi".hex() + "0" * 14
    )
