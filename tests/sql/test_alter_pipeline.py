"""``ALTER PIPELINE``: what runs goes on with other options, and a restart has them."""

import pytest
from pyspark.sql import SparkSession

import groundswell as gs
from groundswell.sql.executor import REGISTRY
from sql.conftest import reopened

MADE = (
    "CREATE TABLE t (id int PRIMARY KEY)",
    "CREATE MATERIALIZED VIEW v AS SELECT count(*) n FROM t",
)


def kept(session: SparkSession) -> dict[str, object]:
    pipeline = REGISTRY.find(session, "p")
    assert pipeline is not None
    assert pipeline.query is not None
    return dict(pipeline.query._program.catalog.options)


def said(
    session: SparkSession, statement: str = "SHOW PIPELINE p"
) -> dict[str, tuple[object, ...]]:
    return {row[0]: tuple(row[1:3]) for row in session.sql(statement).collect()}


def wrote(session: SparkSession, number: int) -> list[tuple[object, ...]]:
    session.sql(f"INSERT INTO t VALUES ({number})")
    session.sql("FLUSH")
    return [tuple(row) for row in session.sql("SELECT n FROM v").collect()]


def test_options_change_while_it_runs_and_stay(session: SparkSession, place: str) -> None:
    assert wrote(session, 1) == [(1,)]
    before = REGISTRY.find(session, "p")
    assert before is not None
    session.sql(
        "ALTER PIPELINE p SET (retainEpochs = 7, retain = '2 days', trigger = '200 milliseconds')"
    )
    assert before.running
    assert wrote(session, 2) == [(2,)]
    assert (kept(session)["retainEpochs"], kept(session)["retain"]) == (7, "2 days")
    session.sql("ALTER PIPELINE p RESET (retain)")
    session.sql("ALTER PIPELINE p SET (retireEvery = 3)")
    assert wrote(session, 3) == [(3,)]
    reopened(session, place)
    assert wrote(session, 4) == [(4,)]
    assert (kept(session)["retain"], kept(session)["retireEvery"]) == (None, 3)
    told = said(session, "DESCRIBE PIPELINE p")
    assert told["retainEpochs"] == ("7", "ALTER PIPELINE")
    assert told["trigger"] == ("200 milliseconds", "ALTER PIPELINE")
    assert told["retain"] == (None, "default")
    with pytest.raises(gs.ConfigurationError, match="can have one of the two"):
        session.sql("ALTER PIPELINE p SET (checkpointEvery = 2, checkpointOverlap = 2)")
    assert said(session)["checkpointEvery"] == ("1", "default")
    assert wrote(session, 5) == [(5,)]


@pytest.mark.rest
@pytest.mark.parametrize("option", ["checkpointEvery", "checkpointOverlap"])
def test_checkpoints_may_become_seldom_and_often_again(
    session: SparkSession, place: str, option: str
) -> None:
    """The files of writes stay for a restart then; what was written before is not lost."""
    assert wrote(session, 1) == [(1,)]
    session.sql("INSERT INTO t VALUES (100)")
    ((told,),) = session.sql(f"EXPLAIN ALTER PIPELINE p SET ({option} = 2)").collect()
    assert "keep" in told
    assert kept(session)[option] != 2
    for number, wanted in (2, 4), (4, 6):
        session.sql(f"ALTER PIPELINE p SET ({option} = 2)")
        session.sql(f"INSERT INTO t VALUES ({100 + number})")
        session.sql("FLUSH")
        assert kept(session)[option] == 2
        session.sql("FLUSH")
        reopened(session, place)
        session.sql(f"ALTER PIPELINE p RESET ({option})")
        assert wrote(session, number) == [(wanted,)]
        reopened(session, place)


@pytest.mark.rest
def test_what_a_start_would_refuse_is_refused_while_it_is_stopped(
    session: SparkSession, place: str
) -> None:
    pipeline = REGISTRY.find(session, "p")
    assert pipeline is not None
    pipeline.stop()
    session.sql("ALTER PIPELINE p SET (retireEvery = 2)")
    with pytest.raises(gs.ConfigurationError, match="checkpointEvery is 200, but Spark keeps"):
        session.sql("ALTER PIPELINE p SET (checkpointEvery = 200)")
    with pytest.raises(gs.ConfigurationError, match="did you mean 'retainEpochs'"):
        session.sql("ALTER PIPELINE p SET (retainEpoch = 5)")
    with pytest.raises(gs.ConfigurationError, match="no pipeline 'q'"):
        session.sql("ALTER PIPELINE q SET (retainEpochs = 5)")
    assert not pipeline.running
    assert wrote(session, 1) == [(1,)]
    assert (kept(session)["retireEvery"], kept(session)["checkpointEvery"]) == (2, 1)
