"""What functions of rows may give for the type that they are declared with."""

import datetime
import pickle
from decimal import Decimal
from typing import Any

import pyspark.cloudpickle
import pytest
from pyspark.sql import types as t

from groundswell.jvm import returned_values
from groundswell.jvm.returned_values import OfType

STRUCT = t.StructType().add("a", t.DoubleType()).add("b", t.ArrayType(t.IntegerType()))
TAKEN: list[tuple[t.DataType, Any, Any]] = [
    (t.IntegerType(), -(2**31), -(2**31)),
    (t.IntegerType(), True, 1),
    (t.LongType(), None, None),
    (t.DoubleType(), 2, 2.0),
    (t.DecimalType(5, 2), 7, Decimal(7)),
    (t.StringType(), 7, 7),
    (t.ArrayType(t.DoubleType()), (1, None), [1.0, None]),
    (t.MapType(t.StringType(), t.FloatType()), {"k": 1}, {"k": 1.0}),
    (STRUCT, {"a": 1, "b": (2,)}, {"a": 1.0, "b": [2]}),
    (STRUCT, (1, None), (1.0, None)),
    (STRUCT, t.Row(b=[2], a=1), t.Row(b=[2], a=1.0)),
    (t.DateType(), datetime.datetime(2024, 1, 1), datetime.datetime(2024, 1, 1)),
]
REFUSED: list[tuple[t.DataType, Any, str]] = [
    (t.IntegerType(), 2**31, "function f gave 2147483648 where int is declared"),
    (t.ByteType(), -129, "gave -129 where tinyint"),
    (t.IntegerType(), "abc", "gave 'abc' where int"),
    (t.IntegerType(), 1.0, "gave 1.0 where int"),
    (t.DoubleType(), "1.0", "gave '1.0' where double"),
    (t.DecimalType(5, 2), 1.5, r"gave 1.5 where decimal\(5,2\)"),
    (t.BooleanType(), 1, "gave 1 where boolean"),
    (t.StringType(), b"a", "gave b'a' where string"),
    (t.TimestampType(), datetime.date(2024, 1, 1), "where timestamp"),
    (t.DateType(), "2024-01-01", "where date"),
    (t.ArrayType(t.IntegerType()), "abc", "gave 'abc' where array<int>"),
    (t.ArrayType(t.IntegerType()), [1, "x"], r"gave 'x' where int is declared, in .* array<int>"),
    (t.MapType(t.StringType(), t.IntegerType()), {1, 2}, "where map<string,int>"),
    (STRUCT, {"a": "x"}, "gave 'x' where double is declared, in"),
    (STRUCT, (1,), r"gave \(1,\) where struct"),
    (t.IntegerType(), "a" * 999, r"aaa\.\.\. where int"),
]


@pytest.mark.parametrize(("of", "given", "taken"), TAKEN)
def test_a_result_becomes_of_its_type(of: t.DataType, given: Any, taken: Any) -> None:
    cloudpickle: Any = pyspark.cloudpickle
    cloudpickle.register_pickle_by_value(returned_values)
    try:
        function = pickle.loads(cloudpickle.dumps(OfType(lambda value: value, "f", of)))
    finally:
        cloudpickle.unregister_pickle_by_value(returned_values)
    found = function(value=given)
    assert found == taken
    assert type(found) is type(taken)


@pytest.mark.parametrize(("of", "given", "told"), REFUSED)
def test_a_result_of_another_type_is_refused(of: t.DataType, given: Any, told: str) -> None:
    with pytest.raises(TypeError, match=told):
        OfType(lambda: given, "f", of)()
