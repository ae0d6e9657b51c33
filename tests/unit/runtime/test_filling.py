"""What may be filled beside barriers, in how many parts; how a change is noted twice."""

from dataclasses import replace

import pytest

import groundswell as gs
from groundswell.contract.dataflow.clock import ExpireSpec, WindowCloseSpec
from groundswell.contract.dataflow.groups import AggregateSpec
from groundswell.contract.dataflow.joins import IntervalSpec, JoinSpec, TemporalJoinSpec
from groundswell.contract.dataflow.operators import WatermarkSpec
from groundswell.contract.dataflow.rows import StoredResultsSpec
from groundswell.contract.dataflow.sources import SnapshotSpec
from groundswell.plan.sources import Mode, SourceTable
from groundswell.runtime.planning.unfilled import (
    MOST_PARTS,
    PART_ROWS,
    may_run_beside,
    parts_of,
    plan_filling,
    shown,
)


@pytest.mark.parametrize(
    ("rows", "parts"),
    [(0, 1), (1, 1), (PART_ROWS, 1), (PART_ROWS + 1, 2), (10 * PART_ROWS, 10), (1 << 50, 256)],
)
def test_parts_are_of_about_one_size_and_not_too_many(rows: int, parts: int) -> None:
    assert parts_of(rows) == parts <= MOST_PARTS


def test_what_depends_on_when_rows_came_is_filled_while_barriers_wait() -> None:
    stored = {"reads": "s", "parts": (), "key_types": (), "row_types": ()}
    sides = {"left_keys": (), "right_keys": (), "left_key": (), "right_key": ()}
    join = JoinSpec(columns=(), join_type="inner", **sides)
    plain = [SnapshotSpec(columns=(), **stored), join]
    assert may_run_beside(plain)
    bound = WatermarkSpec("t", "time", ("s",))
    for op in (
        ExpireSpec(columns=(), key=(), life=1),
        StoredResultsSpec(columns=(), key=(), given=()),
        TemporalJoinSpec(columns=(), join_type="inner", **sides),
        WindowCloseSpec(columns=(), key=(), watermark=bound),
        AggregateSpec(columns=(), grouping=(), calls=(), watermark=bound),
        replace(join, interval=IntervalSpec("a", "b", 0, 1, 1, left_bound=bound)),
        replace(join, interval=IntervalSpec("a", "b", 0, 1, 1, right_bound=bound)),
    ):
        assert not may_run_beside([*plain, op])
    assert may_run_beside([replace(join, interval=IntervalSpec("a", "b", 0, 1, 1))])


def test_a_view_is_shown_from_the_state_of_its_query_if_that_is_there() -> None:
    before = {"same": "view-same-1", "back": "view-back-2", "gone": "view-gone-1"}
    wanted = {"same": "view-same-1", "back": "view-back-1", "new": "view-new-1"}
    there = {"view-same-1", "view-back-1", "view-back-2", "view-gone-1"}
    assert shown(before, wanted, there) == {"back": "view-back-1"}


def test_a_view_that_cannot_be_filled_is_named_as_its_user_knows_it() -> None:
    events = SourceTable("1", "events", Mode.APPEND)
    views = ("v", "v_diverted")
    with pytest.raises(gs.DefinitionChanged) as refused:
        plan_filling(
            views,
            dict.fromkeys(views, (events,)),
            {},
            {"events": ["a"]},
            {},
            diverted={"v_diverted": "v"},
        )
    assert "v_diverted" not in str(refused.value)
    assert str(refused.value).count("view v cannot be filled") == 1
