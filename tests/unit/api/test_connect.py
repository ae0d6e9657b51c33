"""Every call that needs the session's JVM refuses Spark Connect, and says what to write instead."""

import inspect
from typing import Any

import pytest
from pyspark.sql import DataFrame

import groundswell as gs

WITHOUT_A_SESSION = {
    "backup",
    "clone",
    "configure",
    "jar_path",
    "read_state",
    "register_sink",
    "rows_aside",
    "view_to_arrow",
}
FUNCTIONS = [
    name
    for name in gs.__all__
    if inspect.isfunction(getattr(gs, name)) and name not in WITHOUT_A_SESSION
]
ENTRIES: list[Any] = [
    *(getattr(gs, name) for name in FUNCTIONS),
    gs.pipeline,
    gs.snapshot,
    DataFrame.incremental,  # type: ignore[operator]
]


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.__name__)
def test_a_session_of_connect_is_refused(entry: Any) -> None:
    remote = type("Remote", (), {"__module__": "pyspark.sql.connect.session"})()
    parameters = inspect.signature(entry).parameters.values()
    needed = [p for p in parameters if p.default is p.empty and p.kind is p.POSITIONAL_OR_KEYWORD]
    with pytest.raises(gs.ConfigurationError, match=r"Use SQL: .*three settings.*spark\.plugins"):
        entry(remote, *[None] * (len(needed) - 1))


def test_no_entry_is_left_out() -> None:
    assert {"table", "read_view", "upserts", "why", "lookup", "temporal_join"} <= set(FUNCTIONS)


def test_an_argument_that_there_is_not_is_answered_with_the_one_that_was_meant() -> None:
    with pytest.raises(gs.ConfigurationError, match="startingOffset; did you mean 'starting'"):
        gs.kafka(None, "h:9092", "t", startingOffset="latest")  # type: ignore[arg-type, call-arg]


def test_what_takes_a_query_refuses_its_text() -> None:
    for of in (gs.why, gs.explain_rewrite):
        with pytest.raises(gs.InvalidArgument, match=r"takes a query, as spark.sql"):
            of("SELECT 1")  # type: ignore[arg-type]
