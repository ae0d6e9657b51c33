"""Files of append-only views."""

from pathlib import Path

import pyarrow.dataset as ds
import pytest
from pyspark.sql import SparkSession

import groundswell as gs
from sinks.conformance import AppendConformance, Driven, Pipelines, Row, Target, insert, row

COLUMNS = ["customer", "n", "total", "name"]


class Files(Target):
    append_only = True

    def __init__(self, session: SparkSession, path: Path, kind: str) -> None:
        self.spark, self.path, self.format = session, path, kind
        self.options = {"path": str(path)}

    def rows(self) -> list[Row]:
        if not list(self.path.glob(f"*.{self.format}")):
            return []
        found = ds.dataset(self.path, format=self.format).to_table(columns=COLUMNS)
        return sorted(tuple(r.values()) for r in found.to_pylist())


class TestParquet(AppendConformance, Pipelines):
    @pytest.fixture
    def target(self, session: SparkSession, tmp_path: Path) -> Files:
        return Files(session, tmp_path / "out", "parquet")

    @pytest.mark.rest
    def test_spark_reads_the_same(
        self, session: SparkSession, driven: Driven, target: Files
    ) -> None:
        driven.start()
        driven.epoch(0, insert(1))
        driven.write(1, [insert(2)])
        read = session.read.parquet(str(target.path))
        assert [tuple(r) for r in read.collect()] == [row(1)], "what is not committed is not seen"

    @pytest.mark.rest
    def test_a_folder_of_another_pipeline_is_refused(self, driven: Driven, target: Files) -> None:
        driven.start()
        driven.epoch(0, insert(1))
        progress = target.path / "_groundswell" / "out.json"
        progress.write_text(progress.read_text().replace("id-of-out", "id-of-another"))
        with pytest.raises(gs.SinkError, match="has files of another sink of that name"):
            driven.start()


@pytest.mark.rest
class TestJson(AppendConformance):
    @pytest.fixture
    def target(self, session: SparkSession, tmp_path: Path) -> Files:
        return Files(session, tmp_path / "out", "json")
