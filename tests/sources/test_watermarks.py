"""A watermark that is given beside a source, and does not fit."""

from __future__ import annotations

import pytest
from pyspark.sql import SparkSession

import groundswell as gs

COLUMNS = "id bigint, at timestamp, n int"


@pytest.mark.parametrize("form", ["json", "upsert", "debezium"])
@pytest.mark.parametrize(
    ("mark", "told"),
    [
        (("n", "1 day"), 'expected "TIMESTAMP"'),
        (("when", "1 day"), "column when with the delay '1 day' does not fit: .*`when`"),
        (("at", "1 daz"), "'1 daz' does not fit"),
        (("at", "-1 day"), "does not fit: .*negative"),
    ],
)
def test_it_is_refused_in_one_line_before_a_broker_is_asked(
    session: SparkSession, form: str, mark: tuple[str, str], told: str
) -> None:
    key = {} if form == "json" else {"key": "id"}
    with pytest.raises(gs.ConfigurationError, match=told) as failure:
        gs.kafka(session, "127.0.0.1:1", "t", form, schema=COLUMNS, watermark=mark, **key)
    assert "\n" not in str(failure.value)
    assert f"gs.kafka(format='{form}'): a watermark of column {mark[0]}" in str(failure.value)
