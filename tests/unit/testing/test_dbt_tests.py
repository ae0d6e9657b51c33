"""What becomes of dbt's unit tests: the tests of views that they are. No Spark, no dbt."""

from datetime import UTC, date, datetime
from typing import Any

import pytest

from groundswell.errors import ConfigurationError
from groundswell.testing.case import Place
from groundswell.testing.dbt_tests import Input, UnitTest
from groundswell.testing.reading import tables_of

TABLES = tables_of({"__dbt__cte__o": "id BIGINT, at TIMESTAMP, ok BOOLEAN, tags ARRAY<STRING>"},
                   Place())  # fmt: skip
ROWS = [
    {"ID": 1, "at": datetime(2024, 1, 1, tzinfo=UTC), "tags": [1, None]},
    {"id": 2.5, "ok": True},
    {"id": None, "at": date(2024, 1, 1)},
]
SPARK: Any = None  # nothing is computed


def test_rows_are_texts_of_all_columns() -> None:
    test = UnitTest("o: t", "m.yml", "select id from __dbt__cte__o;",
                    (Input("__dbt__cte__o", "ref('o')", ROWS),), [{"id": 2}], TABLES)  # fmt: skip
    case = test.case(SPARK)
    assert case.name == "o: t" and case.views["view"].query == "select id from __dbt__cte__o"
    assert case.steps[0].inserts["__dbt__cte__o"] == [
        {"id": "1", "at": "2024-01-01 00:00:00+00:00", "tags": ["1", None], "ok": None},
        {"id": "2.5", "at": None, "tags": None, "ok": "true"},
        {"id": None, "at": "2024-01-01", "tags": None, "ok": None},
    ]
    assert case.steps[0].expect == [{"id": "2"}]


def test_a_model_without_types_is_a_view() -> None:
    given = Input("__dbt__cte__P", "ref('P')", [])
    below = {"__dbt__cte__P": "select id from __dbt__cte__o"}
    test = UnitTest("o: t", "m.yml", "select id from __dbt__cte__P", (given,), [], TABLES, below)
    case = test.case(SPARK)
    assert list(case.views) == ["__dbt__cte__p", "view"] and list(case.tables) == ["__dbt__cte__o"]


def test_what_hinders_a_test_has_its_file() -> None:
    with pytest.raises(ConfigurationError, match=r"^m\.yml: it has no types$"):
        UnitTest("o: t", "m.yml", problem="it has no types").case(SPARK)
