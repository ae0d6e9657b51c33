"""What the comparison with other engines reads, and where from."""

from __future__ import annotations

import pytest

from peers.inputs import Files, Input, Topics, parsed
from peers.queries import QUERIES


@pytest.mark.parametrize(
    "source", [Files("/a/b c"), Topics("127.0.0.1:9092", "large", {"bid": 46_000, "person": 1})]
)
def test_an_input_goes_through_a_command_line(source: Input) -> None:
    assert parsed(str(source)) == source


def test_reading_asks_for_the_columns_that_the_query_names_and_for_no_others() -> None:
    assert QUERIES["totals"].reading == "SELECT auction, price FROM bid"


def test_streams_of_one_query_are_read_as_one_with_the_same_columns() -> None:
    offers = "SELECT auction, category, moment, expires, CAST(NULL AS BIGINT) AS price FROM auction"
    bids = (
        "SELECT auction, CAST(NULL AS BIGINT) AS category, moment, "
        "CAST(NULL AS BIGINT) AS expires, price FROM bid"
    )
    assert QUERIES["q4"].reading == f"{offers} UNION ALL {bids}"
