"""Which views can be computed anew, and what computes them, told from operators alone."""

from typing import Any

from groundswell.physical.anew import anew_of, rest_of, units

Op = dict[str, Any]
TYPES = {"id": "long", "v": "long"}


def source(number: int, name: str) -> Op:
    return {
        "id": number,
        "op": "source",
        "source": f"s-{name}",
        "name": name,
        "columns": ["id", "v", "e", "p"],
        "rowId": ["e", "p"],
    }


def normalize(number: int, below: int, name: str, **more: Any) -> Op:
    state = {"state": f"source-{name}", "source": name, "key": ["id"]}
    return {
        "id": number,
        "op": "normalize",
        "input": below,
        "columns": ["id", "v"],
        **state,
        **more,
    }


def op(number: int, kind: str, below: int, state: bool = True, **more: Any) -> Op:
    kept = {"state": f"{kind}-{number}"} if state else {}
    return {"id": number, "op": kind, "input": below, "columns": ["id", "v"], **kept, **more}


def view(number: int, name: str, below: int, **more: Any) -> Op:
    flags = {"appendOnly": False, "anywhere": False, **more}
    return op(number, "materialize", below, view=name, **flags)


def table(name: str = "t") -> list[Op]:
    return [source(0, name), normalize(1, 0, name)]


def test_views_that_share_a_state_are_one_unit_and_steps_without_state_do_not_join() -> None:
    flow = [
        *table(),
        op(2, "stateless", 1, state=False),
        op(3, "aggregate", 2),
        view(4, "sums", 3),
        op(5, "aggregate", 3),
        view(6, "totals", 5),
        op(7, "top_n", 2),
        view(8, "first", 7),
    ]
    first, second = units(flow)
    assert (first.views, second.views) == (("sums", "totals"), ("first",))
    assert (first.cannot, second.cannot) == ("", "")
    assert first.sources == {"s-t": "t"}
    assert first.operators == {1, 2, 3, 4, 5, 6}
    assert first.tables == ("source-t",)
    assert first.states == ("aggregate-3", "materialize-4", "aggregate-5", "materialize-6")
    assert [o["id"] for o in rest_of(flow, [first])] == [0, 1, 2, 7, 8]
    assert [o["id"] for o in rest_of(flow, [first, second])] == [0, 1]
    anew = {o["id"]: o for o in anew_of(flow, [first], TYPES)}
    assert list(anew) == [1, 2, 3, 4, 5, 6]
    assert anew[1] == {
        "id": 1,
        "op": "snapshot",
        "columns": ["id", "v"],
        "from": "source-t",
        "parts": [["row", 0], ["row", 1]],
        "keyTypes": ["long"],
        "rowTypes": ["long", "long"],
    }
    assert anew[3]["anew"] is True
    assert anew[4]["replace"] is True
    assert "replace" not in anew[3]


def test_rows_of_a_kept_source_without_a_key_are_read_by_their_ids() -> None:
    flow = [source(0, "t"), op(1, "keep", 0, input=0), op(2, "aggregate", 0), view(3, "sums", 2)]
    flow[1]["state"] = "source-t"
    (unit,) = units(flow)
    assert (unit.cannot, unit.tables) == ("", ("source-t",))
    assert [o["id"] for o in rest_of(flow, [unit])] == [0, 1]
    snapshot = anew_of(flow, [unit], TYPES)[0]
    assert snapshot["columns"] == ["id", "v", "e", "p"]
    assert snapshot["parts"] == [["row", 0], ["row", 1], ["key", 0], ["key", 1]]
    assert snapshot["keyTypes"] == ["long", "long"]


def test_what_cannot_be_computed_anew_says_why() -> None:
    def why(*ops: Op) -> str:
        return units([*table(), *ops])[0].cannot

    assert "not kept" in units([source(0, "t"), op(2, "aggregate", 0), view(3, "v", 2)])[0].cannot
    assert "depends on when rows came" in why(op(2, "expire", 1), view(3, "v", 2))
    assert "watermark" in why(op(2, "aggregate", 1, watermark={"column": "v"}), view(3, "v", 2))
    assert "in the order in which they came" in why(view(2, "v", 1, appendOnly=True))
    assert "it joins by indexes" in why(op(2, "lookup", 1, state=False), view(3, "v", 2))
    shared = op(2, "aggregate", 1)
    index = op(4, "arrange", 2, name="i")
    assert "index i is kept of it" in why(shared, view(3, "v", 2), index)
    late = [source(0, "t"), normalize(1, 0, "t", watermark={}), view(2, "v", 1)]
    late[1]["watermark"] = {"column": "v"}
    assert "end by a watermark" in units(late)[0].cannot


def test_one_part_that_cannot_holds_for_all_of_a_unit() -> None:
    shared = op(2, "aggregate", 1)
    (unit,) = units([*table(), shared, view(3, "a", 2), op(4, "expire", 2), view(5, "b", 4)])
    assert unit.views == ("a", "b")
    assert unit.cannot
