"""Columns of messages in JSON that no value can be read for."""

from __future__ import annotations

import pytest
from pyspark.sql import types as t

import groundswell as gs
from groundswell.api.event_values import raw_row
from groundswell.api.events import key_names

BY_NUMBER = t.MapType(t.LongType(), t.StringType())


@pytest.mark.parametrize(
    "kind",
    [
        BY_NUMBER,
        t.ArrayType(BY_NUMBER),
        t.MapType(t.StringType(), BY_NUMBER),
        t.StructType([t.StructField("m", BY_NUMBER)]),
    ],
)
def test_a_map_whose_keys_are_no_texts_is_named(kind: t.DataType) -> None:
    """Spark's error had the types of all columns, and a plan, but not the column's name."""
    row = t.StructType([t.StructField("id", t.LongType()), t.StructField("v", kind)])
    with pytest.raises(gs.SourceError, match=r"column v is of type .* declare its keys as string"):
        raw_row(row)
    raw_row(t.StructType([t.StructField("v", t.MapType(t.StringType(), t.DateType()))]))


@pytest.mark.parametrize(
    "kind", [t.VariantType(), t.ArrayType(t.MapType(t.StringType(), t.LongType()))]
)
def test_a_key_that_cannot_be_compared_is_named(kind: t.DataType) -> None:
    row = t.StructType([t.StructField("Id", kind)])
    with pytest.raises(gs.SourceError, match=r"key column id: columns of type .* cannot be keys"):
        key_names("gs.kafka", row, "id")
    assert key_names("gs.kafka", t.StructType([t.StructField("Id", t.DateType())]), "id") == ("Id",)
