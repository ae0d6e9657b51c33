"""What a process imports that Spark has started for Python's functions and sources."""

import json
import subprocess
import sys
from pathlib import Path

import deltalake
import pyarrow as pa
import pytest

import groundswell as gs
from groundswell import public

READERS = ["delta_reader", "iceberg_reader", "mysql_reader", "postgres_reader"]
BEGUN = """
import importlib.machinery, json, sys
main = sys.modules["__main__"]
main.__spec__ = importlib.machinery.ModuleSpec("pyspark.sql.streaming.python_streaming", None)
"""
ASKED = """
import groundswell as gs
print(json.dumps([gs.upserts.__module__, gs.Pipeline is gs.pipeline]))
try:
    gs.nothing
except AttributeError as error:
    print(error)
"""


def worker(text: str) -> list[str]:
    """What a program prints that runs as one of Spark's workers does."""
    ran = subprocess.run(
        [sys.executable, "-c", BEGUN + text], capture_output=True, text=True, check=True
    )
    return ran.stdout.splitlines()


@pytest.mark.parametrize("reader", READERS)
def test_a_worker_imports_the_modules_of_its_source_and_no_others(reader: str) -> None:
    text = f"import groundswell.sources.{reader}\nprint(*sys.modules)"
    (told,) = worker(text)
    parts = {name.split(".")[1] for name in told.split() if name.startswith("groundswell.")}
    assert {"sources", "errors"} <= parts
    assert not parts & {"jvm", "api", "sql", "ui", "public", "testing", "physical", "catalog"}


def test_a_worker_has_all_names_when_asked() -> None:
    asked, error = worker(ASKED)
    assert json.loads(asked) == ["groundswell.api.sources", True]
    assert error == "module 'groundswell' has no attribute 'nothing'"


def test_other_programs_have_all_names_from_the_start() -> None:
    assert set(public.__all__) <= set(gs.__all__)
    assert set(public.__all__) <= set(vars(gs))


def test_looking_up_a_table_s_files_imports_no_pandas(tmp_path: Path) -> None:
    deltalake.write_deltalake(str(tmp_path), pa.table({"a": [1, 2]}))
    (told,) = worker(f"""
from groundswell.sources import delta_table as d
plan = d.DeltaPlan({str(tmp_path)!r}, facts=None, appends=True)
print(json.dumps([[file.rows for file in d.data_files(plan, 0)], "pandas" in sys.modules]))
""")
    assert json.loads(told) == [[2], False]
