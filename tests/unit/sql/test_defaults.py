"""``DEFAULT`` in rows of ``VALUES``."""

import pytest

from groundswell.sql.writing.defaults import in_rows, value_of

DEFAULTS = ["(1)", "('x')", "NULL"]


@pytest.mark.parametrize(
    ("query", "read_as"),
    [
        ("VALUES (DEFAULT, default, DEFAULT)", "VALUES ((1), ('x'), NULL)"),
        ("values (7, DEFAULT, 8),\n(DEFAULT , 'DEFAULT', 2)",
         "values (7, ('x'), 8),\n((1) , 'DEFAULT', 2)"),
        ("VALUES (coalesce(a, DEFAULT), DEFAULT, 1)", "VALUES (coalesce(a, DEFAULT), ('x'), 1)"),
        ("VALUES (f((2), 3), DEFAULT)", "VALUES (f((2), 3), ('x'))"),
        ("VALUES (DEFAULT + 1, `DEFAULT`, 3)", "VALUES (DEFAULT + 1, `DEFAULT`, 3)"),
        ("VALUES (1, 2, 3, DEFAULT)", "VALUES (1, 2, 3, DEFAULT)"),
        ("SELECT DEFAULT, 1", "SELECT DEFAULT, 1"),
        ("", ""),
    ],
)  # fmt: skip
def test_a_default_of_a_row_is_its_columns(query: str, read_as: str) -> None:
    assert in_rows(query, DEFAULTS) == read_as


def test_a_default_alone_is_the_columns() -> None:
    assert value_of(" default\n", "('x')") == "('x')"
    assert value_of("`default`", "('x')") == "`default`"
