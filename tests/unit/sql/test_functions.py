"""``CREATE FUNCTION`` as it is read, and what bodies in Python may be."""

from typing import Any

import pytest

from groundswell.errors import ConfigurationError, SqlSyntaxError
from groundswell.sql.defining.functions import python_function
from groundswell.sql.parsing import statements as s
from groundswell.sql.parsing.cursor import Cursor
from groundswell.sql.parsing.functions import calls, read_function
from groundswell.sql.parsing.grammar import head
from groundswell.sql.parsing.tokens import statements
from unit.sql import reading

BODY = """$$
def f(a, b):
    return a + len('it''s; $1') if b else None
$$"""


def read(text: str) -> s.CreateFunction:
    made = reading.read(text)
    assert isinstance(made, s.CreateFunction)
    return made


def test_a_body_is_kept_as_it_is_written() -> None:
    types = "(a bigint, b map<string, varchar(3)>) RETURNS float8"
    text = f"CREATE FUNCTION f{types} LANGUAGE python AS {BODY}"
    (first, second) = statements(f"{text};\nSELECT 1")
    assert (first.text, second.text) == (text, "SELECT 1")
    made = read(text)
    assert made.body == BODY[2:-2]
    assert [(p.name, p.type) for p in made.parameters] == [
        ("a", "bigint"),
        ("b", "map<string, varchar(3)>"),
    ]
    assert (made.returns, made.style, made.aggregate, made.or_replace) == (
        "double",
        s.ROWS,
        False,
        False,
    )


def test_clauses_come_in_any_order() -> None:
    made = read(
        "CREATE OR REPLACE AGGREGATE p.f(a int) RETURNS int COMMENT 'it' PARAMETER STYLE pandas "
        "DETERMINISTIC LANGUAGE PYTHON AS 'def f(a):\\n  return 1'"
    )
    assert (made.name, made.style, made.aggregate, made.or_replace) == (
        ("p", "f"),
        s.PANDAS,
        True,
        True,
    )
    assert made.body == "def f(a):\n  return 1"
    made = read("CREATE FUNCTION IF NOT EXISTS f() RETURNS int RETURN 1 + (2)")
    assert (made.style, made.body, made.if_not_exists) == (s.SQL, "1 + (2)", True)
    assert read("CREATE FUNCTION f() RETURNS int LANGUAGE python AS $x$ $$ $x$").body == " $$ "


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("(a int) RETURNS int", "expected LANGUAGE python"),
        ("(a int) RETURNS int LANGUAGE java AS 'x'", "not 'java'"),
        ("(a int) RETURNS int LANGUAGE python RETURN 1", "RETURN is of functions in SQL"),
        ("(a int) RETURNS int LANGUAGE python AS x", "expected the body"),
        ("(a int, A int) RETURNS int RETURN 1", "two parameters are named A"),
        ("(a int,) RETURNS int RETURN 1", "expected a parameter"),
        ("(a) RETURNS int RETURN 1", "the type of parameter a"),
        ("(a int DEFAULT 1) RETURNS int RETURN 1", r"expected ,"),
        ("(a int) LANGUAGE python AS 'x'", "expected RETURNS"),
        ("() RETURNS int NOT DETERMINISTIC RETURN 1", "gives the same value"),
        ("() RETURNS int PARAMETER STYLE numpy RETURN 1", "ROWS, PANDAS or ARROW"),
    ],
)
def test_what_cannot_be_read_is_told_with_its_place(text: str, told: str) -> None:
    with pytest.raises(SqlSyntaxError, match=told) as e:
        read_function(Cursor(text), ("f",), False, False, False)
    assert "^" in str(e.value)


def test_a_body_that_is_not_closed_is_told_with_its_place() -> None:
    with pytest.raises(SqlSyntaxError, match=r"\$\$ is not closed"):
        head("CREATE FUNCTION f(a int) RETURNS int LANGUAGE python AS $$ x")


def test_a_query_calls_what_stands_before_a_bracket() -> None:
    assert calls("SELECT f (a), p.`G`(b), h, 'i(', count(*) FROM j WHERE k IN (1)") == {
        "f",
        "g",
        "count",
        "in",
    }


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ("\ndef f(a):\n  retrun a\n", "function f: line 3 of its body does not compile: invalid"),
        ("\ndef f(a):\nreturn a\n", "line 3 of its body does not compile"),
        ("\nimport no_such_module\n", "line 2 of its body raises ModuleNotFoundError"),
        ("\n\nx = 1 / 0\n", "line 3 of its body raises ZeroDivisionError"),
        ("def ff(a):\n  return a", "must define a function f; it defines ff. Did you mean 'ff'"),
        ("f = 3", "must define a function f; it defines none"),
        ("", "it defines none"),
        ("\ndef f():\n  return 1", r"1 parameters \(a\), .* in line 2 of its body does not take"),
        ("def f(a, b):\n  return 1", "missing a required argument: 'b'"),
    ],
)
def test_a_body_without_its_function_is_refused_by_line(body: str, told: str) -> None:
    made = s.CreateFunction(("f",), (s.Column("a", "int"),), "int", body, s.ROWS)
    with pytest.raises(ConfigurationError, match=told):
        python_function(made)


def test_a_body_may_be_indented_and_define_more_than_its_function() -> None:
    lines = (
        "import math",
        "HALF = 2",
        "def g(x): return x / HALF",
        "f = lambda a: g(math.floor(a))",
    )
    body = "\n    ".join(("", *lines))
    made = s.CreateFunction(("f",), (s.Column("a", "double"),), "double", body, s.ROWS)
    assert python_function(made)(5.5) == 2.5


@pytest.mark.parametrize(
    ("body", "given", "expected"),
    [
        (" return a * 2 ", 3, 6),
        ("\nimport math\nif a > 1:\n    return math.floor(a)\nreturn None\n", 2.5, 2),
        ("def f(a):\n    return a + 1\n", 1, 2),
        ("def other(a):\n    return a + 1\nreturn other(a)", 1, 2),
        ("text = '''one\ntwo'''\nreturn text + a", "x", "one\ntwox"),
    ],
)
def test_a_body_that_returns_is_the_inside_of_its_function(
    body: str, given: Any, expected: Any
) -> None:
    statement = read(f"CREATE FUNCTION f(a string) RETURNS string LANGUAGE python AS $${body}$$")
    assert python_function(statement)(given) == expected


def test_functions_of_columns_need_one() -> None:
    made = s.CreateFunction(("f",), (), "int", "def f(): return 1", s.ROWS, aggregate=True)
    with pytest.raises(ConfigurationError, match="has no parameter"):
        python_function(made)


def test_spark_s_own_statements_about_functions_stay_spark_s() -> None:
    for text in (
        "CREATE TEMPORARY FUNCTION f AS 'a.b'",
        "DROP TEMPORARY FUNCTION f",
        "SHOW USER FUNCTIONS",
        "SHOW FUNCTIONS LIKE 'x'",
    ):
        assert head(text) is None, text
    found = head("SHOW FUNCTIONS")
    assert found is not None
    assert found.target is not None
