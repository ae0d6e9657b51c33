"""Types that a table refuses before a row is written to it."""

from __future__ import annotations

import pytest
from pyspark.sql.types import (
    ArrayType,
    DataType,
    IntegerType,
    MapType,
    NullType,
    StringType,
    StructField,
    StructType,
)

import groundswell as gs
from groundswell.catalog.columns_of_tables import check_types

EMPTY = StructType([])


@pytest.mark.parametrize(
    ("of", "why"),
    [
        (EMPTY, "a struct without fields"),
        (ArrayType(EMPTY), "a struct without fields"),
        (StructType([StructField("x", EMPTY)]), "a struct without fields"),
        (NullType(), "void"),
        (MapType(StringType(), NullType()), "void"),
    ],
)
def test_what_spark_writes_to_no_files_is_refused(of: DataType, why: str) -> None:
    """The table was made, and each write to it ended with an error of Spark's."""
    columns = StructType([StructField("id", IntegerType()), StructField("v", of)])
    with pytest.raises(gs.SourceError, match=f"table t, column v: {why} is not taken, for Spark"):
        check_types("t", columns)
