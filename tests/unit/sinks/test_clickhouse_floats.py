"""How floats travel to servers that read their texts inexactly."""

import math
import struct

import pyarrow as pa
import pytest

from groundswell.sinks.clickhouse_floats import EXACT, carried
from groundswell.sinks.clickhouse_text import Encoder

ONE = int(struct.unpack("<Q", struct.pack("<d", 1.0))[0])
HALF = int(struct.unpack("<I", struct.pack("<f", 0.5))[0])


@pytest.mark.parametrize(
    ("kind", "type_", "value", "sent"),
    [
        ("Float64", "UInt64", 1, ONE),
        ("Nullable(Float32)", "Nullable(UInt32)", 0.5, HALF),
        ("LowCardinality(Nullable(Float64))", "Nullable(UInt64)", "1.0", ONE),
        ("Float64", "UInt64", -0.0, 1 << 63),
        ("Array(Array(Nullable(Float64)))", "Array(Array(Nullable(UInt64)))", [[1.0, None], []],
         [[ONE, None], []]),
        ("Map(String, Float32)", "Map(String, UInt32)", {"a": 0.5}, {"a": HALF}),
        ("Tuple(a Float64, `b c` String)", "Tuple(a UInt64, `b c` String)",
         {"a": 1.0, "b c": "x"}, {"a": ONE, "b c": "x"}),
        ("Tuple(Float64, Float64)", "Tuple(UInt64, UInt64)", {"1": 1.0}, {"1": ONE}),
    ],
)  # fmt: skip
def test_a_type_with_floats_travels_as_bits(
    kind: str, type_: str, value: object, sent: object
) -> None:
    how = carried(kind)
    assert how is not None
    assert (how.type, how.value(value)) == (type_, sent)


@pytest.mark.parametrize(
    "kind",
    ["String", "Array(Nullable(Int64))", "Map(String, Date)", "Enum8('Float64' = 1)", "JSON"],
)
def test_a_type_without_floats_travels_as_it_is(kind: str) -> None:
    assert carried(kind) is None


def test_the_server_makes_the_floats_of_what_arrives() -> None:
    nested = carried("Array(Array(Float32))")
    assert nested is not None
    assert nested.expression("`v`") == (
        "arrayMap(x0 -> arrayMap(x1 -> reinterpretAsFloat32(reinterpretAsString(x1)), x0), `v`)"
    )


@pytest.mark.parametrize("version", [(18, 16, 1), (25, 8, 2), EXACT])
def test_servers_that_read_exactly_get_texts(version: tuple[int, ...]) -> None:
    types = {"id": "Int64", "v": "Float64", "epoch": "UInt64"}
    encoder = Encoder(types, "UTC", version, "t", ("id",))
    (line,) = encoder.lines(pa.table({"id": [1], "v": [math.inf]}), {"epoch": 7})
    shown = '"inf"' if version == EXACT else str(0x7FF << 52)
    assert line.decode() == f'{{"id":1,"v":{shown},"epoch":7}}\n'
    assert bool(encoder.carried(["id", "v", "epoch"])) == (version != EXACT)
    assert encoder.carried(["id", "epoch"]) == {}
