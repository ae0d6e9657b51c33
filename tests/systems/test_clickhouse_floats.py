"""Floats arrive in ClickHouse to the last bit, also on servers that read their texts inexactly."""

from __future__ import annotations

import math
import random
import struct
from typing import Any

import pyarrow as pa
import pytest
from pyspark.sql import types as t

from groundswell.sinks import clickhouse_http, clickhouse_text
from sinks.conformance import Driven
from systems.servers import ClickHouse
from systems.test_clickhouse_values import Out, write

SEED = 7
COUNT = 3000
WHOLE = {
    "Float64": ("<d", t.DoubleType(), pa.float64()),
    "Float32": ("<f", t.FloatType(), pa.float32()),
}
EDGES = [0.0, -0.0, 0.1, 1.7091, 2.236, 15008753.0, math.inf, -math.inf, 2.0**-126]


def floats(form: str) -> list[float]:
    """Of all sizes, and such as people write."""
    rng = random.Random(SEED)
    size = struct.calcsize(form)
    found = (struct.unpack(form, rng.randbytes(size))[0] for _ in range(2 * COUNT))
    some = [v for v in found if math.isfinite(v)][:COUNT]
    written = [round(rng.uniform(-1e6, 1e6), 2) for _ in range(COUNT)]
    smallest = struct.unpack(form, b"\1" + bytes(size - 1))[0]
    rounded = [struct.unpack(form, struct.pack(form, v))[0] for v in [*EDGES, *written]]
    return [*some, *rounded, smallest]


@pytest.fixture(params=["as it is", "older than 26.7"])
def server(
    request: pytest.FixtureRequest, clickhouse: ClickHouse, monkeypatch: pytest.MonkeyPatch
) -> ClickHouse:
    """A server as it is; and taken for an old one, which is sent bits."""
    if request.param != "as it is":
        for module in (clickhouse_http, clickhouse_text):
            monkeypatch.setattr(module, "EXACT", (99,))
    return clickhouse


@pytest.mark.parametrize("kind", WHOLE)
@pytest.mark.parametrize("column", ["{}", "Nullable({})"])
def test_a_float_keeps_its_bits(server: ClickHouse, kind: str, column: str) -> None:
    """By text one in three of all sizes changed, on a server of 25.8."""
    form, spark_type, arrow_type = WHOLE[kind]
    values = floats(form)
    target = Out(server, column.format(kind), "id", "ReplacingMergeTree(epoch)")
    write(target, (spark_type, arrow_type), [(i, v, "insert") for i, v in enumerate(values)])
    bits = "hex(reinterpretAsString(assumeNotNull(v)))"
    found = {
        int(i): bytes.fromhex(text)
        for i, text in target.ask(f"SELECT id, {bits} FROM {target.table}")
    }
    size = struct.calcsize(form)
    wrong = [
        (v, found[i].hex())
        for i, v in enumerate(values)
        if found[i].ljust(size, b"\0") != struct.pack(form, v)
    ]
    assert wrong == [], f"seed {SEED}: {len(wrong)} of {len(values)}"


def test_nothing_and_no_number_arrive(server: ClickHouse) -> None:
    target = Out(server, "Nullable(Float64)", "id", "ReplacingMergeTree(epoch)")
    write(target, (t.DoubleType(), pa.float64()), [(1, None, "insert"), (2, math.nan, "insert")])
    assert target.rows() == [["1", "\\N"], ["2", "nan"]]


LIST = (t.ArrayType(t.ArrayType(t.DoubleType())), pa.list_(pa.list_(pa.float64())))
MAP = (t.MapType(t.StringType(), t.DoubleType()), pa.map_(pa.string(), pa.float64()))
PAIR = (
    t.StructType([t.StructField("b", t.StringType()), t.StructField("a", t.DoubleType())]),
    pa.struct([("b", pa.string()), ("a", pa.float64())]),
)


@pytest.mark.parametrize(
    ("column", "of", "value", "shown", "old"),
    [
        ("Array(Array(Nullable(Float64)))", LIST, [[1.7091, None], []], "[[1.7091,NULL],[]]", True),
        ("Map(String, Nullable(Float64))", MAP, {"it's": 1.7091, "n": None},
         "{\\'it\\\\\\'s\\':1.7091,\\'n\\':NULL}", False),
        ("Tuple(a Nullable(Float64), b String)", PAIR, {"b": "x", "a": 1.7091},
         "(1.7091,\\'x\\')", False),
        ("Tuple(b String, a Float64)", PAIR, {"b": "x", "a": 1.7091}, "(\\'x\\',1.7091)", False),
    ],
)  # fmt: skip
def test_floats_within_values(
    server: ClickHouse, column: str, of: Any, value: Any, shown: str, old: bool
) -> None:
    if server.PASSWORD and not old:
        pytest.skip("18.16 has neither maps nor named tuples")
    target = Out(server, column, "id", "ReplacingMergeTree(epoch)")
    write(target, of, [(1, value, "insert")])
    assert target.rows() == [["1", shown]]


def test_rows_that_are_appended_twice_are_there_once(server: ClickHouse) -> None:
    """The insert of bits takes the epoch's token, too, and is one block."""
    if server.PASSWORD:
        pytest.skip("18.16 has no insert tokens")
    target = Out(server, "Float64", "id", "MergeTree")
    client = clickhouse_http.Client(server.url, None, None)
    client.run(f"ALTER TABLE {target.table} MODIFY SETTING non_replicated_deduplication_window = 9")
    rows = pa.table({"id": [1, 2], "v": [0.1, 1.7091]})
    driven = Driven(target)
    driven.schema = t.StructType(
        [t.StructField("id", t.LongType()), t.StructField("v", t.DoubleType())]
    )
    driven.key, driven.append_only = (), True
    driven.start()
    for token in ("a", "a", "b"):
        driven.sink._insert(rows, {}, token)  # type: ignore[attr-defined]
    driven.sink.close()
    client.close()
    assert target.ask(f"SELECT count() FROM {target.table}") == [["4"]]
