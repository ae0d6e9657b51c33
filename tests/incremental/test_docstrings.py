"""The examples in the docstrings of what users call."""

import doctest
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import groundswell as gs
from groundswell import confs
from groundswell.errors import GroundswellError

pytestmark = pytest.mark.rest

OBJECTS = {name: getattr(gs, name) for name in sorted(gs.__all__)} | {
    "incremental": DataFrame.incremental,
    "testing.view_test": gs.testing.view_test,
}


def examples() -> Iterator[Any]:
    seen = set()
    finder = doctest.DocTestFinder(exclude_empty=True)
    for name, what in OBJECTS.items():
        if isinstance(what, str) or (isinstance(what, type) and issubclass(what, GroundswellError)):
            continue
        for test in finder.find(what, f"gs.{name}", module=False):
            key = (test.filename, test.docstring)
            if test.examples and key not in seen:
                seen.add(key)
                yield pytest.param(test, id=test.name)


FOUND = list(examples())


@pytest.fixture(scope="module")
def session(_contexts: Any) -> SparkSession:
    """As ``gs.configure`` makes it."""
    spark: SparkSession = _contexts.get({confs.EXTENSIONS_KEY: confs.EXTENSIONS}).newSession()
    spark.conf.set(confs.FILE_MANAGER_KEY, confs.FILE_MANAGER)
    return spark


@pytest.mark.parametrize("test", FOUND)
def test_it_gives_what_it_says(
    test: doctest.DocTest, session: SparkSession, tmp_path: Path
) -> None:
    """As docs/reference/api.md says: a session, a new location and an empty folder."""
    (tmp_path / "folder").mkdir()
    location = str(tmp_path / "location")
    test.globs = {
        "gs": gs,
        "F": F,
        "spark": session,
        "location": location,
        "p": gs.pipeline(session, location),
        "folder": str(tmp_path / "folder"),
    }
    said: list[str] = []
    failed = doctest.DocTestRunner(verbose=False).run(test, out=said.append, clear_globs=False)
    assert failed.failed == 0, "".join(said)


def test_what_users_call_first_has_an_example() -> None:
    have = {param.id.split(".")[1] for param in FOUND}
    have |= {param.id.removeprefix("gs.") for param in FOUND}
    functions = {n for n, o in OBJECTS.items() if callable(o) and not isinstance(o, type)}
    servers = {"delta", "iceberg", "kafka", "mysql", "postgres"}  # examples need one, or a lake
    covered_elsewhere = {"read_state", "read_views", "view_to_arrow", "read_view", "table"}
    assert functions - have <= covered_elsewhere | servers
    assert {"Pipeline", "IncrementalQuery", "Table", "Snapshot", "Changes"} <= have | {"pipeline"}
