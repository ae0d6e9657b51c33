"""What other engines accept, and this one did not: which test shows each.

Each of these tests runs in ``make test-all`` and compares with batch Spark, or with a model. A name
that is gone, a test that is marked ``soak`` or skipped, or a query that it no longer has fails.
"""

import ast
from pathlib import Path

import pytest

TESTS = Path(__file__).resolve().parents[1] / "incremental"
ORDER, LIMITS = "test_closing_in_order", "test_known_limits"
CLOSES = "test_rows_close_in_order_and_equal_batch_over_the_final_ones"
CLOCKS = "test_conditions_that_begin_and_end_equal_batch"

SHOWN = {
    "window close of window functions ordered by event time, not partitioned by it": (
        ORDER,
        CLOSES,
        ("row_number() over (partition by k order by ts, v)", "rank() over (order by ts)"),
    ),
    "window close of plain rows": (ORDER, CLOSES, ("select k, v from events where v > 0",)),
    "window close by a projected window.start": (
        LIMITS,
        "test_windows_that_are_grouped_by_their_projected_start_alone_close",
        ('"window.start"', '"window_start"'),
    ),
    "window close by a projected start of a subquery": (
        ORDER,
        CLOSES,
        ("select window(ts, '20 seconds').start s from events",),
    ),
    "a watermark below another view, and the error that says where it was lost": (
        ORDER,
        "test_a_view_on_a_view_sees_the_watermark_below",
        ('p.read("all").groupBy("ts").count(), emit="window_close"', "lost at: view users"),
    ),
    "an interval join by inequalities of event time alone, over a view": (
        ORDER,
        "test_a_view_on_a_view_sees_the_watermark_below",
        ("l.ts >= r.ts and l.ts < r.ts + interval",),
    ),
    "its state is cleaned by the watermark": (
        "test_interval_joins",
        "test_state_is_as_large_as_what_can_still_match",
        ('["a.k = b.k AND", ""]', "max(kept[3:]) <= 60"),
    ),
    "a temporal join by other conditions than an equality": (
        "test_lookups_in_time",
        "test_what_a_stream_takes_back_is_taken_back_as_it_was_given",
        ('["=", "<="]', "o.item {same} p.item"),
    ),
    "a view of constants": (
        "test_constants",
        "test_a_view_of_constants_is_a_view",
        ("select 1 a, 'x' b", "range(10)"),
    ),
    "a constant branch of a union": (
        "test_constants",
        "test_constants_come_and_go_while_others_run",
        ("select id from rows union all select * from range(",),
    ),
    "date_trunc of the clock in a temporal filter": (
        "test_temporal_filters",
        CLOCKS,
        ("date_trunc('day', current_timestamp())",),
    ),
    "BETWEEN now() AND": (
        "test_temporal_filters",
        CLOCKS,
        ("between now() and timestamp", "between now() - interval"),
    ),
    "a dropped view with a temporal join, and the same join under a new name": (
        "test_lookups_in_time",
        "test_a_lookup_that_was_dropped_begins_again_under_another_name",
        ('run.dropView("one")', 'run.addView("two", joined)'),
    ),
    "a view that is added later over an append-only table": (
        "test_kept_tables",
        "test_a_view_added_later_has_the_rows_of_before",
        ("addView(",),
    ),
    "keep=False opts out": (
        "test_kept_tables",
        "test_a_table_need_not_keep_its_rows",
        ("keep=False",),
    ),
    "several version columns of an upsert source": (
        "test_tables",
        "test_several_version_columns_are_compared_in_their_order",
        ('gs.upserts(feed.stream(), key="id", version=["major", "minor"]',),
    ),
}


@pytest.mark.parametrize("what", SHOWN)
def test_a_test_that_runs_shows_it(what: str) -> None:
    module, name, has = SHOWN[what]
    text = (TESTS / f"{module}.py").read_text("utf-8")
    tree = ast.parse(text)
    [found] = [x for x in tree.body if isinstance(x, ast.FunctionDef) and x.name == name]
    marks = "\n".join(map(ast.unparse, found.decorator_list))
    assert "soak" not in marks and "skip" not in marks, "it has to run in make test-all"
    assert "pytestmark" not in text.replace("pytestmark = pytest.mark.rest\n", "")
    own = "\n".join(
        text.splitlines()[found.lineno - 1 - len(found.decorator_list) : found.end_lineno]
    )
    for assigned in (x for x in tree.body if isinstance(x, ast.Assign)):
        [target] = assigned.targets
        if isinstance(target, ast.Name) and target.id in own:
            own += ast.get_source_segment(text, assigned) or ""
    for part in has:
        assert " ".join(part.split()) in " ".join(own.split()), f"{name} no longer has {part}"
