"""Random INSERT, UPDATE, DELETE and MERGE, beside a dict that takes the same."""

import random
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from incremental.searching import SEED, seeds
from sql.conftest import end_all

pytestmark = pytest.mark.rest

KEYS, STEPS = 8, 10


def step(random_: random.Random, model: dict[int, int | None]) -> str:
    """A statement, done to the model; SQL gives it."""
    key, value, low = random_.randrange(KEYS), random_.randrange(100), random_.randrange(100)
    match random_.randrange(4):
        case 0:
            model |= {key: value, KEYS + key: None}
            return f"INSERT INTO t VALUES ({key}, {value}), ({KEYS + key}, NULL)"
        case 1:
            model |= {k: v + 1 for k, v in model.items() if v is not None and v > low}
            return f"UPDATE t SET v = v + 1 WHERE v > {low}"
        case 2:
            gone = [k for k, v in model.items() if v is not None and v < low and k != key]
            for k in gone:
                del model[k]
            return f"DELETE FROM t AS x WHERE x.v < {low} AND x.id <> {key}"
        case _:
            source = {key: value, KEYS + low % KEYS: low}
            for k, v in list(model.items()):
                if k not in source and v is None:
                    del model[k]
            for k, v in source.items():
                if k not in model:
                    if v > 20:
                        model[k] = v
                elif v % 3 == 0:
                    del model[k]
                else:
                    model[k] = (model[k] or 0) + v
            rows = ", ".join(f"({k}, {v})" for k, v in source.items())
            return (
                f"MERGE INTO t USING (VALUES {rows}) AS s (id, v) ON t.id = s.id "
                "WHEN MATCHED AND s.v % 3 = 0 THEN DELETE "
                "WHEN MATCHED THEN UPDATE SET v = coalesce(t.v, 0) + s.v "
                "WHEN NOT MATCHED AND s.v > 20 THEN INSERT * "
                "WHEN NOT MATCHED BY SOURCE AND t.v IS NULL THEN DELETE"
            )


@pytest.mark.parametrize("seed", [SEED, 7])
def test_a_table_is_what_was_written(session: SparkSession, tmp_path: Path, seed: int) -> None:
    for number in seeds(seed):
        check(session, tmp_path / f"p{number}", number)
        end_all(session)


def check(session: SparkSession, place: Path, seed: int) -> None:
    """Random statements on a table of a new pipeline."""
    random_, model = random.Random(seed), dict[int, int | None]()
    session.sql(f"CREATE PIPELINE p LOCATION '{place}'")
    session.sql("USE groundswell.p")
    session.sql("CREATE TABLE t (id int PRIMARY KEY, v int)")
    session.sql("CREATE MATERIALIZED VIEW total AS SELECT sum(v) s, count(*) n FROM t")
    done = []
    for _ in range(STEPS):
        done.append(step(random_, model))
        session.sql(done[-1])
    session.sql("FLUSH")
    told = f"seed {seed}: {done}"
    assert dict(map(tuple, session.sql("SELECT * FROM t").collect())) == model, told
    values = [v for v in model.values() if v is not None]
    (total,) = session.sql("SELECT s, n FROM total").collect()
    assert tuple(total) == (sum(values) if values else None, len(model)), told
