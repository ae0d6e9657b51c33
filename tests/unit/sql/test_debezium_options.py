"""``FORMAT DEBEZIUM`` says in SQL what ``gs.debezium`` says in Python."""

import pytest
from pyspark.sql.types import StructType, TimestampType

import groundswell as gs
from groundswell.api.event_values import PLACEHOLDER, Reading
from groundswell.sql.connecting.connectors import reading_of

ROW = StructType().add("id", "long").add("at", TimestampType()).add("till", TimestampType())


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        ({}, Reading(None, "plain", PLACEHOLDER)),
        ({"timestamps": "micros"}, Reading("micros")),
        (
            {"timestamps": "at = millis, till=micros"},
            Reading({"at": "millis", "till": "micros"}),
        ),
        ({"decimals": "base64"}, Reading(decimals="base64")),
        ({"unavailable_value": "?"}, Reading(unavailable_value="?")),
        ({"unavailable_value": ""}, Reading(unavailable_value=None)),
        ({"topic": "t"}, Reading()),
    ],
)
def test_options_of_the_statement_are_those_of_python(
    given: dict[str, str], wanted: Reading
) -> None:
    assert reading_of("source s", given, ROW) == wanted


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"timestamps": "hours"}, "must be one of .*, got 'hours'"),
        (
            {"timestamps": "id = micros"},
            "timestamps names 'id', which is not a column of type time",
        ),
        ({"timestamps": "at = micros, till"}, "a unit by column, as 'created = millis"),
        ({"timestamps": "at = micros, at = millis"}, "a unit by column"),
        ({"decimals": "hex"}, "decimals must be one of"),
    ],
)
def test_other_values_are_refused_with_the_statement(given: dict[str, str], said: str) -> None:
    with pytest.raises(gs.GroundswellError, match=f"source s: .*{said}"):
        reading_of("source s", given, ROW)
