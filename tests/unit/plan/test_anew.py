"""Which views can be recomputed, and what computes them, told from operators alone."""

from typing import Any

from groundswell.contract.dataflow.clock import ExpireSpec
from groundswell.contract.dataflow.groups import AggregateSpec
from groundswell.contract.dataflow.indexes import ArrangeSpec, LookupSpec
from groundswell.contract.dataflow.operators import OperatorSpec, StoredColumn, WatermarkSpec
from groundswell.contract.dataflow.order import TopNSpec
from groundswell.contract.dataflow.sources import (
    KeepSpec,
    NormalizeSpec,
    SnapshotSpec,
    SourceSpec,
)
from groundswell.contract.dataflow.steps import StatelessSpec
from groundswell.contract.dataflow.views import MaterializeSpec
from groundswell.physical.recompute import anew_of, rest_of, units

TYPES = {"id": "long", "v": "long"}
COLUMNS = ("id", "v")
BOUND = WatermarkSpec("v", "time", ("s",))


def source(number: int, name: str) -> SourceSpec:
    row_id = ("e", "p")
    columns = (*COLUMNS, *row_id)
    return SourceSpec(
        id=number, columns=columns, source=f"s-{name}", name=name, tag=0, row_id=row_id
    )


def normalize(number: int, below: int, name: str, **more: Any) -> NormalizeSpec:
    return NormalizeSpec(
        id=number,
        inputs=(below,),
        columns=COLUMNS,
        state=f"source-{name}",
        source=name,
        key=("id",),
        mode="upsert",
        delete=None,
        change_type=None,
        position=(),
        **more,
    )


def stateless(number: int, below: int) -> StatelessSpec:
    return StatelessSpec(id=number, columns=COLUMNS, inputs=(below,), steps=())


def aggregate(number: int, below: int, **more: Any) -> AggregateSpec:
    return AggregateSpec(
        id=number,
        columns=COLUMNS,
        inputs=(below,),
        state=f"aggregate-{number}",
        grouping=(),
        calls=(),
        **more,
    )


def expire(number: int, below: int) -> ExpireSpec:
    return ExpireSpec(
        id=number, columns=COLUMNS, inputs=(below,), state=f"expire-{number}", key=(), life=1
    )


def view(number: int, name: str, below: int, **more: Any) -> MaterializeSpec:
    return MaterializeSpec(
        id=number,
        columns=COLUMNS,
        inputs=(below,),
        state=f"materialize-{number}",
        view=name,
        key=(),
        fields=(),
        **more,
    )


def table(name: str = "t") -> list[OperatorSpec]:
    return [source(0, name), normalize(1, 0, name)]


def test_views_that_share_a_state_are_one_unit_and_steps_without_state_do_not_join() -> None:
    flow = [
        *table(),
        stateless(2, 1),
        aggregate(3, 2),
        view(4, "sums", 3),
        aggregate(5, 3),
        view(6, "totals", 5),
        TopNSpec(id=7, columns=COLUMNS, inputs=(2,), state="t", key=(), order=(), limit=1),
        view(8, "first", 7),
    ]
    first, second = units(flow)
    assert (first.views, second.views) == (("sums", "totals"), ("first",))
    assert (first.cannot, second.cannot) == ("", "")
    assert first.sources == {"s-t": "t"}
    assert first.operators == {1, 2, 3, 4, 5, 6}
    assert first.tables == ("source-t",)
    assert first.states == ("aggregate-3", "materialize-4", "aggregate-5", "materialize-6")
    assert [o.id for o in rest_of(flow, [first])] == [0, 1, 2, 7, 8]
    assert [o.id for o in rest_of(flow, [first, second])] == [0, 1]
    anew = {o.id: o for o in anew_of(flow, [first], TYPES)}
    assert list(anew) == [1, 2, 3, 4, 5, 6]
    assert anew[1] == SnapshotSpec(
        id=1,
        columns=COLUMNS,
        reads="source-t",
        parts=(StoredColumn(in_key=False, at=0), StoredColumn(in_key=False, at=1)),
        key_types=("long",),
        row_types=("long", "long"),
    )
    assert anew[3] == aggregate(3, 2, anew=True)
    assert anew[4] == view(4, "sums", 3, anew=True, replace=True)


def test_rows_of_a_kept_source_without_a_key_are_read_by_their_ids() -> None:
    keep = KeepSpec(
        id=1, columns=(), inputs=(0,), state="source-t", key=("e", "p"), table="t", fields=COLUMNS
    )
    flow = [source(0, "t"), keep, aggregate(2, 0), view(3, "sums", 2)]
    (unit,) = units(flow)
    assert (unit.cannot, unit.tables) == ("", ("source-t",))
    assert [o.id for o in rest_of(flow, [unit])] == [0, 1]
    snapshot = anew_of(flow, [unit], TYPES)[0]
    assert isinstance(snapshot, SnapshotSpec)
    assert snapshot.columns == ("id", "v", "e", "p")
    places = [(part.in_key, part.at) for part in snapshot.parts]
    assert places == [(False, 0), (False, 1), (True, 0), (True, 1)]
    assert snapshot.key_types == ("long", "long")


def test_what_cannot_be_computed_anew_says_why() -> None:
    def why(*ops: OperatorSpec) -> str:
        return units([*table(), *ops])[0].cannot

    assert "not kept" in units([source(0, "t"), aggregate(2, 0), view(3, "v", 2)])[0].cannot
    assert "depends on when rows came" in why(expire(2, 1), view(3, "v", 2))
    assert "watermark" in why(aggregate(2, 1, watermark=BOUND), view(3, "v", 2))
    assert "in the order in which they came" in why(view(2, "v", 1, append_only=True))
    lookup = LookupSpec(
        id=2,
        columns=COLUMNS,
        inputs=(1,),
        reads="i",
        join_type="inner",
        keys=(),
        key=(),
        row_types=(),
        index=(),
        row=(),
    )
    assert "it joins by indexes" in why(lookup, view(3, "v", 2))
    shared = aggregate(2, 1)
    index = ArrangeSpec(id=4, columns=COLUMNS, inputs=(2,), state="i", index=(), key=(), name="i")
    assert "index i is kept of it" in why(shared, view(3, "v", 2), index)
    late = [source(0, "t"), normalize(1, 0, "t", watermark=BOUND), view(2, "v", 1)]
    assert "end by a watermark" in units(late)[0].cannot


def test_one_part_that_cannot_holds_for_all_of_a_unit() -> None:
    shared = aggregate(2, 1)
    (unit,) = units([*table(), shared, view(3, "a", 2), expire(4, 2), view(5, "b", 4)])
    assert unit.views == ("a", "b")
    assert unit.cannot
