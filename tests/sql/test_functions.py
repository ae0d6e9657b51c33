"""``CREATE FUNCTION`` and ``CREATE AGGREGATE``, from the first call to the last."""

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

import groundswell as gs
from groundswell.jvm import JvmFolder
from groundswell.sql.owning import requests
from sql.conftest import reopened, rows

MADE = (
    "CREATE TABLE sales (id bigint PRIMARY KEY, product int, price double)",
    """CREATE FUNCTION twice(x double) RETURNS double LANGUAGE python AS $$
    def twice(x):
        return None if x is None else x * 2
    $$""",
    """CREATE FUNCTION up(x double, by double) RETURNS double LANGUAGE python
    PARAMETER STYLE PANDAS AS $$
    def up(x, by):
        return x + by;
    $$""",
    """CREATE FUNCTION less(x double) RETURNS double LANGUAGE python PARAMETER STYLE ARROW AS $$
    import pyarrow.compute as pc
    def less(x):
        return pc.subtract(x, 1.0)
    $$""",
    """CREATE AGGREGATE spread(x double, n int) RETURNS double LANGUAGE python AS $$
    def spread(x, n):
        known = [each for each in x if each is not None]
        return (max(known) - min(known)) * n[0] if known else None
    $$""",
    """CREATE AGGREGATE middle(x double) RETURNS double LANGUAGE python PARAMETER STYLE PANDAS AS $$
    def middle(x):
        return float(x.median())
    $$""",
    "CREATE FUNCTION plus(x int) RETURNS int RETURN x + 1",
    "INSERT INTO sales VALUES (1, 1, 1.0), (2, 1, 4.0), (3, 2, NULL)",
)
BY_ROW = (
    "CREATE MATERIALIZED VIEW v AS SELECT id, twice(price) t, p.up(by => 1, x => price) u, "
    "groundswell.p.less(price) l, plus(product) p FROM sales WHERE plus(product) > 0"
)
BY_GROUP = (
    "CREATE MATERIALIZED VIEW w AS SELECT product, spread(price, 10) s, middle(twice(price)) m, "
    "count(*) n FROM sales GROUP BY product"
)


def body(name: str, parameters: str, returns: str, expression: str) -> str:
    names = ", ".join(p.split()[0] for p in parameters.split(", "))
    return (
        f"CREATE OR REPLACE FUNCTION {name}({parameters}) RETURNS {returns} LANGUAGE python AS $$\n"
        f"def {name}({names}):\n    return {expression}\n$$"
    )


def test_the_life_of_functions(session: SparkSession, place: str) -> None:
    session.sql(BY_ROW)
    session.sql(BY_GROUP)
    session.sql("FLUSH")
    assert rows(session, "SELECT * FROM v") == [
        (1, 2.0, 2.0, 0.0, 2),
        (2, 8.0, 5.0, 3.0, 2),
        (3, None, None, None, 3),
    ]
    assert rows(session, "SELECT product, s, n FROM w") == [(1, 30.0, 2), (2, None, 1)]
    session.sql("UPDATE sales SET price = twice(price) + 2 WHERE plus(id) = 2")
    session.sql("DELETE FROM sales WHERE id = 3")
    session.sql("FLUSH")
    assert rows(session, "SELECT id, t FROM v") == [(1, 8.0), (2, 8.0)]
    assert rows(session, "SELECT * FROM w") == [(1, 0.0, 8.0, 2)]
    assert rows(session, "SELECT twice(price) FROM sales") == [(8.0,), (8.0,)]
    shown = session.sql("SELECT twice(price), plus(product) + 1 FROM sales")
    assert shown.columns == ["twice(price)", "(plus(product) + 1)"]
    assert [r.name for r in session.sql("SHOW FUNCTIONS").collect()] == [
        "twice", "up", "less", "spread", "middle", "plus"
    ]  # fmt: skip
    (made,) = session.sql("SHOW CREATE FUNCTION plus").collect()
    assert made[0] == MADE[6]
    reopened(session, place)  # a restart has them, and computes nothing anew
    session.sql("INSERT INTO sales VALUES (9, 3, 0.5)")
    session.sql("FLUSH")
    assert rows(session, "SELECT id, t, p FROM v") == [(1, 8.0, 2), (2, 8.0, 2), (9, 1.0, 4)]
    with pytest.raises(gs.ConfigurationError, match="read by materialized view v, materialized"):
        session.sql("DROP FUNCTION twice")
    session.sql("DROP MATERIALIZED VIEW w")
    session.sql("DROP AGGREGATE spread")
    session.sql("DROP FUNCTION twice CASCADE")
    assert [r.tableName for r in session.sql("SHOW TABLES").collect()] == ["sales"]
    with pytest.raises(gs.ConfigurationError, match="no function 'twice'; it has up, less"):
        session.sql("SELECT twice(1)")
    session.sql("DROP FUNCTION IF EXISTS twice")


@pytest.mark.rest
def test_a_function_that_is_replaced_rebuilds_the_views_that_call_it(
    session: SparkSession, place: str
) -> None:
    session.sql(BY_ROW)
    session.sql("CREATE MATERIALIZED VIEW total AS SELECT sum(t) t, max(p) p FROM v")
    session.sql("FLUSH")
    assert rows(session, "SELECT * FROM total") == [(10.0, 3)]
    session.sql(body("twice", "x double", "double", "None if x is None else x * 20"))
    session.sql("CREATE OR REPLACE FUNCTION plus(x int) RETURNS int RETURN x + 100")
    session.sql("FLUSH")
    assert rows(session, "SELECT * FROM total") == [(100.0, 102)]
    assert rows(session, "SELECT twice(0.5D), plus(0)") == [(10.0, 100)]
    reopened(session, place)
    session.sql("INSERT INTO sales VALUES (4, 4, 1.0)")
    session.sql("FLUSH")
    assert rows(session, "SELECT * FROM total") == [(120.0, 104)]
    with pytest.raises(gs.ConfigurationError, match="view v calls it, and its columns would be"):
        session.sql(body("twice", "x double", "int", "1"))
    with pytest.raises(gs.ConfigurationError, match=r"view v calls it, and .* refused: a call of"):
        session.sql(body("twice", "x double, y double", "double", "1.0"))
    assert rows(session, "SELECT twice(0.5D)") == [(10.0,)]


def test_a_result_of_another_type_is_no_null(session: SparkSession, place: str) -> None:
    """Spark makes null of 1 for a double, and 0 of 2 ** 40 for an int."""
    session.sql("CREATE FUNCTION one(x int) RETURNS double LANGUAGE python AS $$ return 1 $$")
    session.sql("CREATE FUNCTION great(x int) RETURNS int LANGUAGE python AS $$ return x << 40 $$")
    session.sql("CREATE MATERIALIZED VIEW g AS SELECT id, one(product) o, great(product) g "
                "FROM sales WHERE id > 3")  # fmt: skip
    assert rows(session, "SELECT one(x => 5), great(0)") == [(1.0, 0)]
    session.sql("INSERT INTO sales VALUES (4, 0, 1.0)")
    session.sql("FLUSH")
    assert rows(session, "SELECT * FROM g") == [(4, 1.0, 0)]
    session.sql("INSERT INTO sales VALUES (5, 1, 1.0)")
    with pytest.raises(gs.RowFailed, match="function great gave 1099511627776 where int is decl"):
        session.sql("FLUSH")


REFUSED = [
    ("CREATE FUNCTION twice(x int) RETURNS int RETURN x", "a function twice already"),
    ("CREATE FUNCTION sum(x int) RETURNS int RETURN x", "Spark has a function sum of its own"),
    ("CREATE FUNCTION sales(x int) RETURNS int RETURN x", "has a table sales already"),
    ("CREATE FUNCTION f(x int) RETURNS int RETURN y", "function f: .*y"),
    ("CREATE FUNCTION f(x int) RETURNS intt RETURN x", "'intt' is not a type of Spark"),
    (
        "CREATE FUNCTION f(x int) RETURNS int LANGUAGE python AS $$\ndef f(x)\n  return x$$",
        "function f: line 2 of its body does not compile: expected ':'",
    ),
    (
        "CREATE FUNCTION f(x int) RETURNS int LANGUAGE python AS $$\ndef f(x): yield x$$",
        "of that name yields its values, and is to return one value for each row",
    ),
    (
        "CREATE AGGREGATE f(x int) RETURNS int LANGUAGE python AS $$\nasync def f(x): return 1$$",
        "is asynchronous, and is to return one value for a group",
    ),
    ("SELECT twice(1, 2)", r"twice has 2 arguments; it takes \(x double\)"),
    ("SELECT up(1, y => 2)", "no parameter y"),
    ("DROP FUNCTION nothing", "has no function 'nothing'; it has twice, up"),
    ("ALTER FUNCTION twice RENAME TO thrice", "CREATE OR REPLACE FUNCTION changes one"),
]
"""A statement, and what its error says."""


@pytest.mark.rest
def test_what_cannot_be_is_refused_before_anything_is_written(
    session: SparkSession, place: str
) -> None:
    log = Path(place) / "groundswell" / "sql"
    before = sorted(log.iterdir())
    for text, told in REFUSED:
        with pytest.raises(Exception, match=told):
            session.sql(text)
        assert sorted(log.iterdir()) == before, text


@pytest.mark.rest
def test_another_process_brings_no_code_where_requests_are_off(
    session: SparkSession, place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The owner's switch for statements of others holds for functions, too."""
    monkeypatch.setenv("GROUNDSWELL_REQUESTS", "off")
    session.sql("CREATE MATERIALIZED VIEW v AS SELECT id FROM sales")
    folder = JvmFolder.open(session, place).child("groundswell").child("sql").child("requests")
    text = body("f", "x int", "int", "x").replace("OR REPLACE ", "")
    asked = requests.request(text, "groundswell", ("p",), "bob", 60.0)
    with pytest.raises(gs.ConfigurationError, match="takes no statements of other processes"):
        requests.ask(folder, asked, "bob", lambda: True, "")
    assert [r.name for r in session.sql("SHOW FUNCTIONS").collect()][-1] == "plus"
