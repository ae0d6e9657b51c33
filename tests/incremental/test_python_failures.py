"""Python functions that cannot be run: no row is to blame, and the error says what is missing."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import groundswell as gs

pytestmark = pytest.mark.rest


@pytest.fixture
def half(tmp_path: Path) -> Iterator[Callable[..., Any]]:
    """A function of a module that this process has, and Python workers have not."""
    (tmp_path / "only_on_the_driver.py").write_text("def half(x):\n    return x / 2\n")
    sys.path.insert(0, str(tmp_path))
    try:
        yield __import__("only_on_the_driver").half
    finally:
        sys.path.remove(str(tmp_path))
        del sys.modules["only_on_the_driver"]


def failure(session: SparkSession, location: Path, query: Callable[[DataFrame], DataFrame]) -> str:
    p = gs.pipeline(session, str(location))
    rows = p.table("rows", "id bigint, g string", key="id")
    p.view("v", query(rows.df))
    rows.insert(session.createDataFrame([(1, "a")], "id bigint, g string"))
    run = p.start()
    with pytest.raises(gs.EngineError) as failed:
        run.processAllAvailable()
    assert isinstance(failed.value, gs.OperatorFailed), failed.value
    assert failed.value.views == ("v",)
    return str(failed.value)


def test_a_module_that_the_workers_lack_is_named(
    session: SparkSession, tmp_path: Path, half: Callable[..., Any]
) -> None:
    def inside(x: int) -> float:
        import only_on_the_driver as there  # type: ignore[import-not-found]

        return float(there.half(x))

    for number, query in enumerate(
        (
            lambda rows: rows.select(F.udf(half, "double")("id")),
            lambda rows: rows.select(F.udf(inside, "double")("id")),
        )
    ):
        text = failure(session, tmp_path / str(number), query)
        interpreter = f"cannot be run by {sys.executable}: ModuleNotFoundError: No module named"
        for part in ("source rows", f"{interpreter} 'only_on_the_driver'", "--py-files"):
            assert part in text
        assert len(text.splitlines()) == 1
        assert "meets the same row again" not in text


def test_a_function_that_ends_its_worker_is_named(session: SparkSession, tmp_path: Path) -> None:
    @F.pandas_udf("double")  # type: ignore[call-overload, untyped-decorator]
    def ends(x: pd.Series) -> pd.Series:
        os._exit(3)

    text = failure(session, tmp_path / "c", lambda rows: rows.select(ends("id")))
    assert "source rows" in text and "ends(id" in text
    assert "Python worker exited unexpectedly" in text


def test_functions_run_in_the_interpreter_that_configured_the_session() -> None:
    program = """
import os, sys
import groundswell as gs
from pyspark.sql import SparkSession
spark = gs.configure(SparkSession.builder.master("local[1]")).getOrCreate()
assert spark.sparkContext.pythonExec == sys.executable, spark.sparkContext.pythonExec
print("the same")
"""
    environment = {k: v for k, v in os.environ.items() if k != "PYSPARK_PYTHON"}
    run = subprocess.run(
        [sys.executable, "-c", program], env=environment, capture_output=True, text=True
    )
    assert "the same" in run.stdout, run.stderr[-2000:]
