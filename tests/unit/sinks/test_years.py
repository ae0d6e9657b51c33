"""Dates and times of years that Python does not have: refused as rows, and shown."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

import groundswell as gs
from groundswell.format.python_values import far_text, python_values
from groundswell.runtime.barriers.refused_rows import split
from groundswell.serve.values import json_text
from sinks.conformance import InArrow

DAY, TIME, PLAIN = pa.date32(), pa.timestamp("us", "UTC"), pa.timestamp("us")
FAR = {
    "2147483647": (DAY, 2147483647, "+5881580-07-11"),
    "-2147483648": (DAY, -2147483648, "-5877641-06-23"),
    "10000-01-01": (DAY, 2932897, "+10000-01-01"),
    "year 0": (DAY, -719163, "0000-12-31"),
    "time, last": (TIME, 2**63 - 1, "+294247-01-10 04:00:54.775807+00:00"),
    "time, first": (PLAIN, -(2**63), "-290308-12-21 19:59:05.224192"),
    "time, year 0": (PLAIN, -62135596800000001, "0000-12-31 23:59:59.999999"),
}


def of(kind: pa.DataType, *counts: int) -> pa.Array:
    plain = pa.int32() if kind == DAY else pa.int64()
    return pa.array(counts, plain).cast(kind)


def in_array(values: pa.Array) -> pa.Array:
    return pa.ListArray.from_arrays(pa.array(range(len(values) + 1), pa.int32()), values)


def in_struct(values: pa.Array) -> pa.Array:
    zeros = pa.array([-0.0] * len(values))
    return pa.StructArray.from_arrays([values, zeros], ["x", "z"])


def in_map(values: pa.Array) -> pa.Array:
    ends = pa.array(range(len(values) + 1), pa.int32())
    return pa.MapArray.from_arrays(ends, pa.array(["a"] * len(values)), values)


WRAPPED: dict[str, Any] = {
    "plain": lambda v: v,
    "array": in_array,
    "struct": in_struct,
    "map": in_map,
    "array of structs": lambda v: in_array(in_struct(v)),
}


@pytest.mark.parametrize("name", FAR)
def test_a_far_date_or_time_is_shown_as_iso_8601_has_it(name: str) -> None:
    kind, count, shown = FAR[name]
    assert far_text(count, kind) == shown
    assert python_values(of(kind, count, 0))[0] == shown
    assert python_values(of(kind, 0)) == of(kind, 0).to_pylist()
    assert shown in json_text(*nested(kind, count))


def nested(kind: pa.DataType, count: int) -> tuple[Any, pa.DataType]:
    column = in_array(in_struct(of(kind, count)))
    return python_values(column)[0], column.type


@pytest.mark.parametrize("wrapped", WRAPPED)
@pytest.mark.parametrize("name", FAR)
@pytest.mark.parametrize("key", ["id", "v"])
def test_a_far_date_or_time_is_a_row_that_is_refused(name: str, wrapped: str, key: str) -> None:
    kind, count, shown = FAR[name]
    values = WRAPPED[wrapped](of(kind, 0, count, 1))
    rows = pa.table({"id": [1, 2, 3], "v": values, "_change_type": ["insert"] * 3})
    with pytest.raises(gs.SinkRowRefused, match=r"column v has .* the years 1 to 9999") as e:
        InArrow(rows).net([key])
    assert shown in str(e.value)
    with pytest.raises(gs.SinkRowRefused):
        InArrow(rows).inserts()

    def refuses(part: gs.Changes) -> gs.SinkRowRefused | None:
        try:
            part.net([key])
        except gs.SinkRowRefused as error:
            return error
        return None

    left, (refused,) = split(InArrow(rows), [key], refuses)
    assert left.table["id"].to_pylist() == [1, 3]
    assert refused.row["id"] == 2
    assert shown in repr(refused.row["v"])
    # What was refused is in no target, so it can go.
    gone = rows.set_column(2, "_change_type", pa.array(["delete"] * 3))
    _, deletes = InArrow(gone).net(["id"])
    assert deletes["id"].to_pylist() == [1, 2, 3]
    _, deletes = InArrow(gone).net(["v"])
    assert deletes.num_rows == 2


def test_the_first_and_the_last_day_and_moment_go_out() -> None:
    ends = {DAY: (-719162, 2932896), PLAIN: (-62135596800000000, 253402300799999999)}
    for kind, counts in ends.items():
        for wrap in WRAPPED.values():
            values = wrap(of(kind, *counts))
            rows = pa.table({"id": [1, 2], "v": values, "_change_type": ["insert"] * 2})
            assert InArrow(rows).net(["v"])[0].num_rows == 2
