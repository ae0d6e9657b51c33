"""Random queries beside random views: the same rows, whether views answer them or not."""

import random
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

import groundswell as gs
from groundswell.sql.executor import REGISTRY
from incremental.harness import PLAIN, confs_of
from incremental.searching import SEED, seeds
from sql.conftest import end_all

pytestmark = pytest.mark.rest

USE = "spark.groundswell.useViews"
VIEWS, QUERIES, ROUNDS = 8, 40, 2

MADE = (
    "CREATE TABLE t (id int PRIMARY KEY, a int, b int, c string, v bigint, d decimal(8, 2))",
    "CREATE TABLE u (a int PRIMARY KEY, e string, w bigint)",
)
JOINS = ("t", "t JOIN u ON t.a = u.a", "t LEFT JOIN u ON t.a = u.a")
COLUMNS = ("t.id", "t.a", "b", "c", "v", "t.a + b", "v * 2", "coalesce(v, 0)")
OF_U = ("e", "w", "w + v")
GROUPS = ("t.a", "b", "c", "t.a % 2")
CALLS = (
    *("count(*)", "count(v)", "sum(v)", "min(v)", "max(d)", "sum(d)", "avg(d)"),
    *("count(DISTINCT b)", "sum(v) FILTER (WHERE b > 1)", "bit_xor(b)"),
)


@dataclass(frozen=True)
class Query:
    """A query, or the query of a view."""

    source: str
    where: frozenset[str]
    groups: tuple[str, ...] | None
    columns: tuple[str, ...]
    having: str = ""

    def __str__(self) -> str:
        groups = self.groups or ()
        shown = [f"{each} AS c{i}" for i, each in enumerate((*groups, *self.columns))]
        where = f" WHERE {' AND '.join(sorted(self.where))}" if self.where else ""
        by = f" GROUP BY {', '.join(groups)}" if groups else ""
        return f"SELECT {', '.join(shown)} FROM {self.source}{where}{by}{self.having}"


def some(rng: random.Random, given: tuple[str, ...], least: int = 1) -> tuple[str, ...]:
    return tuple(rng.sample(given, rng.randint(least, max(least, min(4, len(given))))))


def condition(rng: random.Random, source: str) -> str:
    n = rng.randrange(5)
    pool = [
        *(f"t.a > {n}", f"t.a >= {n}", f"t.a <= {n}", f"b = {n}", f"b IN ({n}, {n + 2})"),
        *(f"b < {n + 1}", "c = 'x'", "c <> 'y'", f"v > {n}", "v IS NOT NULL", f"t.a + b > {n}"),
        f"(b = {n} OR v > {n})",
    ]
    if source != "t":
        pool += [f"w > {n}", "e = 'x'", "e IS NULL"]
    return rng.choice(pool)


def anything(rng: random.Random) -> Query:
    source = rng.choice(JOINS)
    columns = COLUMNS if source == "t" else (*COLUMNS, *OF_U)
    where = frozenset(condition(rng, source) for _ in range(rng.choice((0, 0, 1, 2))))
    if rng.random() < 0.4:
        return Query(source, where, None, some(rng, columns))
    groups = some(rng, GROUPS if source == "t" else (*GROUPS, "e"), rng.choice((0, 1, 2)))
    having = rng.choice(("", "", "", " HAVING count(*) > 1"))
    return Query(source, where, groups, some(rng, CALLS), having)


def near(rng: random.Random, view: Query) -> Query:
    """A query that the view may answer."""
    found = view
    for _ in range(rng.randint(0, 2)):
        kind = rng.randrange(4)
        if kind == 0 and len(found.columns) > 1:
            found = replace(found, columns=found.columns[::-1][:-1])
        elif kind == 1:
            known = found.groups or ()
            plain = [each for each in ("t.a", "b", "c") if each in (known or found.columns)]
            more = {f"{rng.choice(plain)} IS NOT NULL"} if plain else set()
            more |= {condition(rng, found.source)} if rng.random() < 0.7 else set()
            found = replace(found, where=found.where | more)
        elif kind == 2 and found.groups:
            found = replace(found, groups=found.groups[: rng.randrange(len(found.groups))])
        elif kind == 3 and found.groups and not found.having:
            found = replace(found, having=f" HAVING count(*) > {rng.randrange(3)}")
    return found


def rows(session: SparkSession, query: str) -> list[str]:
    """Of a query that runs once: both sides interpret it, what views keep was compiled."""
    with confs_of(session, PLAIN):
        return sorted(str(tuple(row)) for row in session.sql(query).collect())


def written(rng: random.Random) -> list[str]:
    def one(*kinds: object) -> str:
        return str(rng.choice((*kinds, "NULL")))

    letters = "'x'", "'y'", "'z'"
    t = [
        f"({rng.randrange(30)}, {one(0, 1, 2, 3)}, {one(0, 1, 2, 3)}, {one(*letters)}, "
        f"{one(*range(9))}, {one('1.25', '-3.5', '7')})"
        for _ in range(20)
    ]
    u = [f"({a}, {one(*letters[:2])}, {one(*range(6))})" for a in rng.sample(range(5), 3)]
    return [
        *(f"INSERT INTO t VALUES {each}" for each in t[:1]),
        f"INSERT INTO t VALUES {', '.join({each.split(',')[0]: each for each in t}.values())}",
        f"INSERT INTO u VALUES {', '.join(u)}",
        f"DELETE FROM t WHERE id = {rng.randrange(30)}",
        "FLUSH",
    ]


@pytest.mark.parametrize("seed", [SEED, 5])
def test_answers_from_views_are_what_spark_computes(
    session: SparkSession, tmp_path: Path, seed: int
) -> None:
    for number in seeds(seed):
        check(session, tmp_path / f"p{number}", random.Random(number))
        end_all(session)


def check(session: SparkSession, place: Path, rng: random.Random) -> None:
    """Random queries beside random views of a new pipeline."""
    session.sql(f"CREATE PIPELINE p LOCATION '{place}'")
    session.sql("USE groundswell.p")
    pipeline = REGISTRY.find(session, "p")
    assert pipeline is not None
    pipeline.eager = False
    for text in MADE:
        session.sql(text)
    views = [anything(rng) for _ in range(VIEWS)]
    for i, view in enumerate(views):
        session.sql(f"CREATE MATERIALIZED VIEW v{i} AS {view}")
    answered = 0
    for _ in range(ROUNDS):
        for text in written(rng):
            session.sql(text)
        for _ in range(QUERIES // ROUNDS):
            query = near(rng, rng.choice(views)) if rng.random() < 0.85 else anything(rng)
            session.conf.set(USE, "false")
            own = rows(session, str(query))
            session.conf.set(USE, "true")
            try:
                told = gs.explain_rewrite(session.sql(str(query)))
                assert rows(session, str(query)) == own, f"{query}\n{told}\n{views}"
            finally:
                session.conf.set(USE, "false")
            answered += any(each.used for each in told)
    print(f"{answered} of {QUERIES} queries were answered from views")
    assert answered > QUERIES // 5
