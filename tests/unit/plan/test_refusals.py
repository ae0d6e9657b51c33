"""What cannot be kept is refused by name, with the reason and a way round."""

import json

import pytest
from pyspark.sql.types import ArrayType, DataType, StringType, StructType

from groundswell.errors import NotIncremental
from groundswell.plan.refusals import why_key_type
from unit.plan.planned import planned


@pytest.mark.parametrize(
    ("query", "operator", "says"),
    [
        ("refuse_offset", "Offset", "add limit(n)"),
        ("refuse_sample", "Sample", "filter on a hash of the key"),
        ("refuse_keyless_rows", "changelog source 'ledger'", "give gs.changelog(df, key=...)"),
        ("refuse_map_in_key", "Aggregate on _groupingmapsort", "use array_sort(map_entries(...))"),
        ("refuse_rand", "rand()", "another value whenever it is computed"),
        ("refuse_clock", "current_timestamp()", "its value changes"),
    ],
)
def test_refused_by_name_with_a_reason(query: str, operator: str, says: str) -> None:
    with pytest.raises(NotIncremental) as refused:
        planned(query)
    assert refused.value.operator == operator
    assert says in str(refused.value)


def test_all_reasons_are_given_at_once() -> None:
    error = NotIncremental([("Window", "why not"), ("cross join", "why not either")])
    assert "Window: why not\n" in str(error)
    assert "cross join: why not either" in str(error)


@pytest.mark.parametrize(
    "type_",
    [
        StringType("UTF8_LCASE"),
        StringType("UTF8_BINARY_RTRIM"),
        StructType().add("id", "long").add("name", StringType("UNICODE_CI")),
        ArrayType(StructType().add("names", ArrayType(StringType("UTF8_LCASE")))),
    ],
)
def test_equal_strings_that_differ_in_bytes_are_no_keys_wherever_they_stand(
    type_: DataType,
) -> None:
    reason = why_key_type(json.loads(type_.json()))
    assert reason is not None
    assert "equal strings differ in bytes" in reason


@pytest.mark.parametrize("type_", ["string", "string collate UTF8_BINARY"])
def test_strings_that_are_equal_by_their_bytes_are_keys_in_structs_too(type_: str) -> None:
    field = {"name": "name", "type": type_, "metadata": {}}
    assert why_key_type(type_) is None
    assert why_key_type({"type": "struct", "fields": [field]}) is None
    told = {**field, "type": "string", "metadata": {"__COLLATIONS": {"name": "spark.UTF8_BINARY"}}}
    assert why_key_type({"type": "struct", "fields": [told]}) is None
