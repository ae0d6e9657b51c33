"""Checkpoint locations with characters that URIs, patterns or Hadoop treat specially."""

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

import groundswell as gs
from cases import first_of
from incremental.harness import bag


@pytest.mark.parametrize("name", first_of(["a:b%20c d", "a%zz#b?c=d+e&ä", "[a]{b}*"]))
def test_any_name_will_do(session: SparkSession, tmp_path: Path, name: str) -> None:
    location = tmp_path / name / "c"

    def pipeline() -> tuple[gs.Pipeline, gs.Table]:
        p = gs.pipeline(session, str(location))
        table = p.table("t", "id bigint, w bigint", key="id")
        p.view("v", table.df.groupBy("w").count())
        return p, table

    p, table = pipeline()
    run = p.start()
    try:
        table.insert(session.createDataFrame([(1, 1), (2, 1)], "id bigint, w bigint"))
        run.processAllAvailable()
    finally:
        run.stop()
    p, table = pipeline()
    run = p.start()
    try:
        table.insert(session.createDataFrame([(3, 2)], "id bigint, w bigint"))
        run.processAllAvailable()
        assert bag(run.view("v")) == {(1, 2): 1, (2, 1): 1}
        assert bag(gs.read_view(session, str(location), "v")) == {(1, 2): 1, (2, 1): 1}
    finally:
        run.stop()
    assert (location / "groundswell").is_dir()
    assert [path.name for path in tmp_path.iterdir()] == [name], "and nothing beside it"
