"""The demos on real servers, which check themselves."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from systems.servers import ClickHouse, Kafka

sys.path.insert(0, str(Path(__file__).parents[2] / "examples" / "systems"))


def test_carts(
    streams: SparkSession,
    kafka: Kafka,
    clickhouse: ClickHouse,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    import carts

    topic = f"cart-events-{clickhouse.port}"
    picture = carts.main(streams, tmp_path, kafka, clickhouse, topic)
    assert picture.stat().st_size > 20_000
    assert "what batch Spark makes" in capsys.readouterr().out
