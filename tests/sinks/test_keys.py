"""A key that goes from 0.0 to -0.0 stays one row in the target."""

from __future__ import annotations

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

import groundswell as gs

pytestmark = pytest.mark.rest


def test_a_key_that_changes_its_sign_of_zero(session: SparkSession, tmp_path: Path) -> None:
    deltalake = pytest.importorskip("deltalake", reason="not installed: pip install '.[delta]'")
    path = str(tmp_path / "out")
    pipeline = gs.pipeline(session, str(tmp_path / "home"))
    table = pipeline.table("t", "k double, v bigint", key="k")
    pipeline.view("v", table.df)
    pipeline.sink("s", "v", "delta", path=path, create_table=True)
    run = pipeline.start()
    try:
        for key, value in ((0.0, 1), (-0.0, 2)):
            table.insert(session.createDataFrame([(key, value)], table.df.schema))
            run.processAllAvailable()
        view = gs.read_view(session, str(tmp_path / "home"), "v")
        assert [(r.k, r.v) for r in view.collect()] == [(0.0, 2)]
        assert deltalake.DeltaTable(path).to_pyarrow_table().to_pylist() == [{"k": 0.0, "v": 2}]
    finally:
        run.stop()
