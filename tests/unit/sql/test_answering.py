"""Which views may answer queries, by their settings."""

from datetime import timedelta
from typing import Any

import pytest

from groundswell.catalog.expectation import Expectation
from groundswell.catalog.view import View
from groundswell.plan.expiry import check_ttl
from groundswell.plan.sources import Mode, SourceTable
from groundswell.sql.answering import refusal

PLAIN = View(frame=Any)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("settings", "why"),
    [
        ({"emit": "window_close"}, "v emits rows on window close, later than its query"),
        ({"ttl": check_ttl(timedelta(hours=1), None)}, "v has a ttl"),
        ({"errors": "divert"}, "v has errors = 'divert'"),
        ({"expect": (Expectation("c", "a > 0", "drop"),)}, "v has an expectation that drops"),
    ],
)
def test_a_view_whose_rows_are_not_those_of_its_query_is_refused(
    settings: dict[str, Any], why: str
) -> None:
    view = View(frame=Any, **settings)  # type: ignore[arg-type]
    assert (refusal({"v": view}, []) or "").startswith(why)
    assert (refusal({"v": view, "above": PLAIN}, []) or "").startswith(why)


def test_a_table_whose_rows_leave_without_a_write_is_refused() -> None:
    table = SourceTable("s1", "t", Mode.UPSERT, key=("id",), life_micros=1)
    assert refusal({"v": PLAIN}, [table]) == "table t has a ttl, so rows leave it without a write"


def test_a_table_with_a_watermark_is_refused() -> None:
    table = SourceTable("s1", "t", Mode.UPSERT, key=("id",), event_time="at")
    assert "t has a watermark" in (refusal({"v": PLAIN}, [table]) or "")


def test_other_views_are_not_refused() -> None:
    kept = View(frame=Any, expect=(Expectation("c", "a > 0"),))  # type: ignore[arg-type]
    table = SourceTable("s1", "t", Mode.UPSERT, key=("id",))
    assert refusal({"v": PLAIN, "w": kept}, [table]) is None
