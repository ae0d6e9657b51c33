"""The same projects, run by Spark's own ``spark-pipelines`` and by ours, give the same tables."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
import yaml

import groundswell as gs
from pipelines.test_projects import SHOP, add

pytest.importorskip("grpc", reason="grpcio is not installed: pip install '.[systems]'")

BIN = Path(sys.executable).parent
LOCAL = (
    "spark.driver.bindAddress 127.0.0.1\nspark.driver.host 127.0.0.1\nspark.ui.enabled false\n"
    "spark.sql.shuffle.partitions 2\nspark.log.level ERROR\n"
)


def command(folder: Path, *words: str) -> str:
    made = {**os.environ, "PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1"}
    made["SPARK_CONF_DIR"] = str(folder / "conf")
    (folder / "conf").mkdir(exist_ok=True)
    (folder / "conf" / "spark-defaults.conf").write_text(LOCAL)
    made["PATH"] = f"{BIN}{os.pathsep}{made['PATH']}"
    done = subprocess.run(
        list(words), cwd=folder, env=made, capture_output=True, text=True, timeout=400, check=False
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-6000:]
    return done.stdout


def by_spark(folder: Path, name: str) -> list[tuple[Any, ...]]:
    return ordered(pq.read_table(folder / "spark-warehouse" / name).to_pylist())


def by_us(spec: Path, name: str) -> list[tuple[Any, ...]]:
    storage = yaml.safe_load(spec.read_text("utf-8"))["storage"].removeprefix("file://")
    return ordered(gs.view_to_arrow(f"{storage}/groundswell", name).to_pylist())


def ordered(rows: list[dict[str, Any]]) -> list[tuple[Any, ...]]:
    return sorted(tuple(value for _, value in sorted(row.items())) for row in rows)


def both(folder: Path, spec: Path) -> str:
    command(folder, str(BIN / "spark-pipelines"), "run", "--spec", str(spec))
    ours = [sys.executable, "-m", "groundswell", "pipelines", "run", "--spec", str(spec)]
    return command(folder, *ours)


def test_the_project_that_spark_makes(tmp_path: Path) -> None:
    command(tmp_path, str(BIN / "spark-pipelines"), "init", "--name", "first")
    spec = tmp_path / "first" / "spark-pipeline.yml"
    said = both(tmp_path / "first", spec)
    assert "example_sql_materialized_view" in said
    for name in ("example_python_materialized_view", "example_sql_materialized_view"):
        found = by_us(spec, name)
        assert found == by_spark(tmp_path / "first", name)
        assert found


def test_a_project_of_streams_files_and_flows(tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    for name, text in SHOP.items():
        (tmp_path / "src" / name).write_text(text.replace("@/", f"{tmp_path}/"))
    spec = tmp_path / "spark-pipeline.yml"
    libraries = [{"glob": {"include": "src/**"}}]
    store = f"file://{tmp_path}/store"
    spec.write_text(yaml.safe_dump({"name": "shop", "storage": store, "libraries": libraries}))
    add(tmp_path / "sales", "1", {"product": 1, "quantity": 2}, {"product": 2, "quantity": 9})
    add(tmp_path / "web", "1", {"product": 1})
    add(tmp_path / "app", "1", {"product": 0}, {"product": 2})
    add(tmp_path / "products", "1.csv", "id,name", "1,kayak", "2,paddle")
    # Where two flows write to one table of files, Spark's own run loses rows of one of them.
    names = ("sales", "products", "by_name", "large", "top")
    for turn in range(2):
        said = both(tmp_path, spec)
        for name in names:
            found = by_us(spec, name)
            assert found == by_spark(tmp_path, name), f"{name}, run {turn}"
            assert found
        if turn == 1:
            assert "incremental" in said
        # Spark forgets its tables with its session here, so its next run begins anew.
        shutil.rmtree(tmp_path / "spark-warehouse")
        for each in (tmp_path / "store").iterdir():
            if each.name != "groundswell":
                shutil.rmtree(each)
        add(tmp_path / "sales", "2", {"product": 1, "quantity": 20})
        add(tmp_path / "products", "2.csv", "id,name", "3,vest")
        add(tmp_path / "web", "2", {"product": 3})
