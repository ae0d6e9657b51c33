"""Keys that are the same to Spark are the same to every sink."""

from __future__ import annotations

import json
import math
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import groundswell as gs
from groundswell.sinks.kafka_messages import messages
from groundswell.sinks.plain import plain
from sinks.conformance import Driven, InArrow, Target

OTHER_NAN = struct.unpack("<d", struct.pack("<Q", 0xFFF8_0000_0000_0007))[0]
WRAPPED: dict[str, tuple[pa.DataType, Callable[[float], Any]]] = {
    "double": (pa.float64(), lambda v: v),
    "float": (pa.float32(), lambda v: v),
    "struct": (pa.struct([("a", pa.float64()), ("b", pa.int32())]), lambda v: {"a": v, "b": 1}),
    "array": (pa.list_(pa.float64()), lambda v: [1.0, v]),
    "map": (pa.map_(pa.string(), pa.float64()), lambda v: [("a", 1.0), ("b", v)]),
    "map by doubles": (pa.map_(pa.float64(), pa.int32()), lambda v: [(v, 1), (9.0, None)]),
    "map of arrays": (pa.map_(pa.string(), pa.list_(pa.float64())), lambda v: [("a", [v])]),
    "array of structs": (pa.list_(pa.struct([("a", pa.float64())])), lambda v: [{"a": v}]),
}


def changes(kind: pa.DataType, *rows: tuple[Any, int, str]) -> InArrow:
    keys, values, types = zip(*rows, strict=True)
    return InArrow(pa.table({"k": pa.array(keys, kind), "v": values, "_change_type": types}))


@pytest.mark.parametrize("wrapped", WRAPPED)
@pytest.mark.parametrize(("old", "new"), [(0.0, -0.0), (-0.0, 0.0), (math.nan, OTHER_NAN)])
def test_net_takes_keys_for_the_same_as_spark_does(wrapped: str, old: float, new: float) -> None:
    kind, of = WRAPPED[wrapped]
    told = changes(kind, (of(old), 1, "delete"), (of(new), 2, "insert"))
    upserts, deletes = told.net(["k"])
    assert upserts["v"].to_pylist() == [2]
    assert deletes.num_rows == 0
    assert "-0.0" not in repr(upserts["k"].to_pylist())


@pytest.mark.parametrize("wrapped", WRAPPED)
def test_two_rows_of_one_key_are_refused(wrapped: str) -> None:
    kind, of = WRAPPED[wrapped]
    told = changes(kind, (of(0.0), 1, "insert"), (of(-0.0), 2, "insert"))
    with pytest.raises(gs.SinkError, match=r"2 rows of the view have the key k = .*0\.0"):
        told.net(["k"])


@pytest.mark.parametrize("wrapped", WRAPPED)
def test_other_keys_stay_apart(wrapped: str) -> None:
    kind, of = WRAPPED[wrapped]
    told = changes(
        kind,
        (of(0.0), 1, "delete"),
        (of(0.5), 2, "insert"),
        (of(2.5), 3, "update_preimage"),
        (of(2.5), 4, "update_postimage"),
    )
    upserts, deletes = told.net(["k"])
    assert upserts.to_pylist() == [{"k": of(0.5), "v": 2}, {"k": of(2.5), "v": 4}]
    assert deletes.to_pylist() == [{"k": of(0.0)}]


def test_the_entries_of_a_map_have_no_order() -> None:
    kind = pa.map_(pa.int32(), pa.string())
    told = changes(kind, ([(2, "b"), (10, "a")], 1, "delete"), ([(10, "a"), (2, "b")], 2, "insert"))
    upserts, deletes = told.net(["k"])
    assert upserts.to_pylist() == [{"k": [(2, "b"), (10, "a")], "v": 2}]
    assert deletes.num_rows == 0


@pytest.mark.parametrize(
    ("kind", "key", "shown"),
    [
        (pa.binary(), b"\x00\xff", "AP8="),
        (pa.bool_(), True, "true"),
        (pa.float64(), math.nan, "NaN"),
        (pa.int32(), -5, "-5"),
    ],
)
def test_keys_of_a_map_are_the_texts_of_their_values(
    kind: pa.DataType, key: Any, shown: str
) -> None:
    assert plain([(key, 1)], pa.map_(kind, pa.int32())) == {shown: 1}


@pytest.mark.parametrize("wrapped", WRAPPED)
def test_an_epoch_without_changes_has_no_keys(wrapped: str) -> None:
    kind, of = WRAPPED[wrapped]
    told = InArrow(changes(kind, (of(0.0), 1, "delete")).table.slice(0, 0))
    upserts, deletes = told.net(["k"])
    assert (upserts.num_rows, deletes.num_rows) == (0, 0)


@pytest.mark.parametrize("form", ["upsert", "debezium"])
def test_messages_of_one_key_have_one_key(form: str) -> None:
    told = changes(pa.float64(), (0.0, 1, "delete"), (-0.0, 2, "insert"))
    start: Any = type("Start", (), {"key": ("k",), "name": "s", "view": "v"})
    ((key, value),) = messages(told, form, start)
    assert key == b'{"k":0.0}'
    assert value is not None
    body = json.loads(value)
    assert (body if form == "upsert" else body["after"]) == {"k": 0.0, "v": 2}


class Delta(Target):
    format = "delta"

    def __init__(self, path: Path) -> None:
        self.options = {"path": str(path), "create_table": True}

    def rows(self) -> list[tuple[Any, ...]]:
        from deltalake import DeltaTable

        return [
            tuple(r.values())
            for r in DeltaTable(self.options["path"]).to_pyarrow_table().to_pylist()
        ]


@pytest.mark.parametrize(("old", "new"), [(0.0, -0.0), (math.nan, OTHER_NAN)])
def test_delta_keeps_one_row(tmp_path: Path, old: float, new: float) -> None:
    pytest.importorskip("deltalake", reason="not installed: pip install '.[delta]'")
    from pyspark.sql import types as t

    target = Delta(tmp_path / "out")
    driven = Driven(target)
    driven.schema = t.StructType(
        [t.StructField("k", t.DoubleType()), t.StructField("v", t.LongType())]
    )
    driven.key = ("k",)
    driven.start()
    for epoch, told in enumerate(
        [
            changes(pa.float64(), (old, 1, "insert")),
            changes(pa.float64(), (old, 1, "delete"), (new, 2, "insert")),
            changes(pa.float64(), (new, 2, "update_preimage"), (old, 3, "update_postimage")),
        ]
    ):
        driven.sink.write(epoch, told)
        driven.sink.commit(epoch)
    assert [v for _, v in target.rows()] == [3]
    driven.sink.write(3, changes(pa.float64(), (new, 3, "delete")))
    driven.sink.commit(3)
    assert target.rows() == []
