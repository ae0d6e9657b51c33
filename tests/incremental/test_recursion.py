"""Queries that read their own rows, under inserts and deletes."""

import random
from collections.abc import Callable
from pathlib import Path

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import groundswell as gs
from cases import first_of
from groundswell.errors import ConfigurationError, NotIncremental, SourceError, ViewError
from groundswell.runtime.pipeline import Pipeline
from groundswell.runtime.query import IncrementalQuery
from incremental.harness import assert_same, bag, newest_commits

Edge = tuple[int, int]


class Graph:
    """A pipeline with the edges of a graph, where walks start, and what the edges are now."""

    def __init__(self, session: SparkSession, folder: Path) -> None:
        self.session = session
        self.location = str(folder / "checkpoint")
        self.edges: dict[Edge, int] = {}
        self.starts: set[int] = set()

    def begin(self, **options: str) -> Pipeline:
        p = gs.pipeline(self.session, self.location, **options)
        self._edges = p.table("edges", "src long, dst long, length long", key=["src", "dst"])
        self._starts = p.table("starts", "node long", key="node")
        return p

    @property
    def links(self) -> DataFrame:
        return self._edges.df

    @property
    def roots(self) -> DataFrame:
        return self._starts.df

    def put(self, *edges: tuple[int, int, int]) -> None:
        self.edges |= {(a, b): c for a, b, c in edges}
        self._edges.upsert(self.session.createDataFrame(edges, "src long, dst long, length long"))

    def cut(self, *edges: Edge) -> None:
        for edge in edges:
            del self.edges[edge]
        self._edges.delete(self.session.createDataFrame(edges, "src long, dst long"))

    def start_at(self, *nodes: int) -> None:
        self.starts |= {*nodes}
        self._starts.upsert(self.session.createDataFrame([(n,) for n in nodes], "node long"))

    def leave(self, *nodes: int) -> None:
        self.starts -= {*nodes}
        self._starts.delete(self.session.createDataFrame([(n,) for n in nodes], "node long"))

    def reached(self) -> DataFrame:
        links = self.links
        return gs.fixpoint(self.roots, lambda r: r.join(links, r.node == links.src).select("dst"))

    def distances(self) -> DataFrame:
        links = self.links
        return gs.fixpoint(
            self.roots.select("node", F.lit(0).cast("long").alias("far")),
            lambda r: r.join(links, r.node == links.src).select("dst", r.far + links.length),
            least="far",
        )

    def pairs(self) -> DataFrame:
        """Who leads to whom, by rows joined with each other."""

        def longer(r: DataFrame) -> DataFrame:
            ends = F.col("a.dst") == F.col("b.src")
            return r.alias("a").join(r.alias("b"), ends).select("a.src", "b.dst")

        return gs.fixpoint(self.links.select("src", "dst"), longer)


def closure(graph: Graph) -> list[Edge]:
    found = set(graph.edges)
    while True:
        more = {(a, d) for a, b in found for c, d in found if b == c} - found
        if not more:
            return sorted(found)
        found |= more


def shortest(graph: Graph) -> dict[int, int]:
    far = dict.fromkeys(graph.starts, 0)
    while True:
        better = {
            (b, far[a] + c)
            for (a, b), c in graph.edges.items()
            if a in far and far[a] + c < far.get(b, 1 << 60)
        }
        if not better:
            return far
        for node, distance in better:
            far[node] = min(distance, far.get(node, distance))


def rows(query: IncrementalQuery, view: str) -> list[tuple]:
    return sorted(tuple(row) for row in query.view(view).collect())


@pytest.fixture
def graph(session: SparkSession, tmp_path: Path) -> Graph:
    return Graph(session, tmp_path)


def test_rows_that_only_derive_each_other_go(graph: Graph) -> None:
    p = graph.begin()
    query = p.view("reached", graph.reached()).start()
    graph.put((1, 2, 1), (2, 3, 1), (3, 2, 1), (3, 4, 1), (7, 8, 1))
    graph.start_at(1)
    query.processAllAvailable()
    assert rows(query, "reached") == [(1,), (2,), (3,), (4,)]
    assert query.lastProgress is not None
    assert query.lastProgress["rounds"] >= 3
    graph.cut((1, 2))  # 2 and 3 still lead to each other
    query.processAllAvailable()
    assert rows(query, "reached") == [(1,)]
    graph.put((1, 3, 1))
    query.processAllAvailable()
    assert rows(query, "reached") == [(1,), (2,), (3,), (4,)]
    query.stop()


@pytest.mark.rest
def test_random_graphs_are_walked_as_they_change(graph: Graph, tmp_path: Path) -> None:
    seed = random.randrange(2**32)
    print(f"seed {seed}")
    rng = random.Random(seed)
    p = graph.begin()
    told: list[tuple[str, int]] = []

    def sink(changes: DataFrame, epoch: int) -> None:
        told.extend((row["_change_type"], row["node"]) for row in changes.collect())

    p.view("reached", graph.reached(), sink)
    p.view("far", graph.distances())
    p.view("pairs", graph.pairs())
    p.view("count", p.read("far").agg(F.count("*"), F.sum("far")))
    query = p.start()
    for step in range(14):
        there = sorted(graph.edges)
        gone = rng.sample(there, min(len(there), rng.randrange(4)))
        if gone:
            graph.cut(*gone)
        graph.put(
            *{
                (a, b): (a, b, rng.randrange(1, 9))
                for a, b in ((rng.randrange(12), rng.randrange(12)) for _ in range(4))
            }.values()
        )
        if step % 4 == 0:
            graph.start_at(rng.randrange(12))
        if step % 6 == 5:
            graph.leave(rng.choice(sorted(graph.starts)))
        query.processAllAvailable()
        far = shortest(graph)
        assert rows(query, "reached") == sorted((node,) for node in far), f"seed {seed}"
        assert rows(query, "far") == sorted(far.items()), f"seed {seed}"
        assert rows(query, "pairs") == closure(graph), f"seed {seed}"
        total = sum(far.values()) if far else None
        assert rows(query, "count") == [(len(far), total)], f"seed {seed}"
    there = {node: 0 for _, node in told}
    for kind, node in told:
        there[node] += {"insert": 1, "delete": -1}[kind]
    assert sorted(node for node, count in there.items() if count) == sorted(shortest(graph))
    assert set(there.values()) <= {0, 1}
    query.stop()


PATHS = """
    WITH RECURSIVE paths(node, length, hops) AS (
        SELECT node, 0L, 0 FROM starts
        UNION ALL
        SELECT dst, paths.length + edges.length, hops + 1
        FROM paths JOIN edges ON node = src WHERE hops < 5)
    SELECT * FROM paths
"""


@pytest.mark.rest
def test_sql_counts_every_path_as_batch_spark_does(graph: Graph) -> None:
    seed = random.randrange(2**32)
    print(f"seed {seed}")
    rng = random.Random(seed)
    p = graph.begin()
    graph.links.createOrReplaceTempView("edges")
    graph.roots.createOrReplaceTempView("starts")
    p.view("paths", graph.session.sql(PATHS))
    query = p.start()
    batch = graph.session.newSession()
    graph.start_at(0, 1)
    for _ in range(4):
        there = sorted(graph.edges)
        gone = rng.sample(there, min(len(there), 2))
        if gone:
            graph.cut(*gone)
        edges = {(rng.randrange(5), rng.randrange(5)) for _ in range(4)}
        graph.put(*((a, b, rng.randrange(3)) for a, b in edges))
        query.processAllAvailable()
        found = [(a, b, c) for (a, b), c in graph.edges.items()]
        batch.createDataFrame(found, "src long, dst long, length long").createOrReplaceTempView(
            "edges"
        )
        batch.createDataFrame([(n,) for n in graph.starts], "node long").createOrReplaceTempView(
            "starts"
        )
        assert_same(bag(query.view("paths")), bag(batch.sql(PATHS)), f"seed {seed}")
    query.stop()


@pytest.mark.rest
def test_recursive_views_come_are_shared_and_stay_over_restarts(graph: Graph) -> None:
    p = graph.begin()
    query = p.view("edges_kept", graph.links).view("starts_kept", graph.roots).start()
    graph.put((1, 2, 5), (2, 3, 1), (1, 3, 9), (3, 1, 1))
    graph.start_at(1)
    query.processAllAvailable()
    query.addView("far", graph.distances())
    assert rows(query, "far") == [(1, 0), (2, 5), (3, 6)]
    fixpoint = {s for s in newest_commits(graph.location) if s.startswith("fixpoint-")}
    query.addView("near", graph.distances().where("far < 6"))
    assert fixpoint == {s for s in newest_commits(graph.location) if s.startswith("fixpoint-")}
    assert rows(query, "near") == [(1, 0), (2, 5)]
    graph.cut((1, 2))
    query.processAllAvailable()
    assert rows(query, "far") == [(1, 0), (3, 9)]
    query.stop()
    p = graph.begin()
    p.view("edges_kept", graph.links).view("starts_kept", graph.roots)
    p.view("far", graph.distances()).view("near", graph.distances().where("far < 6"))
    query = p.start()
    graph.put((1, 2, 1))
    query.processAllAvailable()
    assert rows(query, "far") == [(1, 0), (2, 1), (3, 2)]
    query.rescale(3)
    graph.cut((2, 3))
    query.processAllAvailable()
    assert rows(query, "far") == [(1, 0), (2, 1), (3, 9)]
    assert rows(query, "near") == [(1, 0), (2, 1)]
    query.dropView("far")
    query.dropView("near")
    graph.put((3, 4, 1))
    query.processAllAvailable()
    assert not [s for s in newest_commits(graph.location) if s.startswith("fixpoint-")]
    query.stop()


@pytest.mark.rest
def test_recursions_read_views_and_each_other(graph: Graph) -> None:
    p = graph.begin()
    p.view("short", graph.links.where("length < 5"))
    short = p.read("short")
    reached = gs.fixpoint(graph.roots, lambda r: r.join(short, r.node == short.src).select("dst"))
    back = gs.fixpoint(  # of all that is reached, what leads there by any edge
        reached, lambda r: r.join(graph.links, r.node == graph.links.dst).select("src")
    )
    twice = gs.fixpoint(  # pairs, by joining the rows with themselves
        short.select("src", "dst"),
        lambda r: (
            r.alias("a")
            .join(r.alias("b"), F.col("a.dst") == F.col("b.src"))
            .select("a.src", "b.dst")
            .union(r)
        ),
    )
    p.view("back", back.join(reached, "node", "left_anti")).view("pairs", twice)
    query = p.start()
    graph.put((1, 2, 1), (2, 3, 1), (9, 3, 7), (8, 9, 7), (3, 5, 9))
    graph.start_at(1)
    query.processAllAvailable()
    assert rows(query, "back") == [(8,), (9,)]
    assert rows(query, "pairs") == [(1, 2), (1, 3), (2, 3)]
    graph.cut((2, 3))
    query.processAllAvailable()
    assert rows(query, "back") == []
    assert rows(query, "pairs") == [(1, 2)]
    query.stop()


@pytest.mark.rest
def test_a_recursion_that_never_ends_is_named(graph: Graph) -> None:
    p = graph.begin()
    links = graph.links
    endless = gs.fixpoint(
        graph.roots.select("node", F.lit(0).alias("n")),
        lambda r: r.join(links, r.node == links.src).select("dst", r.n + 1),
        limit=20,
    )
    query = p.view("endless", endless).start()
    graph.put((1, 2, 1), (2, 1, 1))
    graph.start_at(1)
    with pytest.raises(ViewError, match=r"view endless.* its recursion has new rows after 20"):
        query.processAllAvailable()


@pytest.mark.parametrize(
    ("step", "said"),
    first_of(
        [
            (lambda r, _: r.groupBy("node").count().select("node"), "Aggregate cannot stand over"),
            (
                lambda r, links: links.join(r, r.node == links.src, "left").select("src"),
                "left outer join cannot stand over",
            ),
            (lambda r, _: r.orderBy("node").limit(3), "Limit cannot stand over"),
            (lambda _, links: links.select("src"), "does not read the rows of the recursion"),
        ]
    ),
)
def test_steps_that_cannot_be_followed_are_refused(
    graph: Graph, step: Callable[[DataFrame, DataFrame], DataFrame], said: str
) -> None:
    graph.begin()
    with pytest.raises(NotIncremental, match=said):
        gs.fixpoint(graph.roots, lambda r: step(r, graph.links))


def test_wrong_arguments_are_named(graph: Graph) -> None:
    p = graph.begin()
    with pytest.raises(SourceError, match=r"base has the columns \(node bigint\), step gives \(n"):
        gs.fixpoint(graph.roots, lambda r: r.select("node", F.lit(1)))
    with pytest.raises(SourceError, match="'far' has to be one of several columns of base"):
        gs.fixpoint(graph.roots, lambda r: r, least="far")
    with pytest.raises(SourceError, match="step has to return a DataFrame, not NoneType"):
        gs.fixpoint(graph.roots, lambda _: None)  # type: ignore[arg-type,return-value]
    outer = gs.fixpoint(
        graph.roots,
        lambda r: gs.fixpoint(r, lambda s: s.where("node < 3")).union(r),
    )
    with pytest.raises(NotIncremental, match="a recursion within the step of another"):
        p.view("outer", outer).explain()
    maps = graph.roots.select("node", F.create_map(F.lit(1), "node").alias("m"))
    with pytest.raises(NotIncremental, match="column m of a recursion: columns of type map"):
        p.view("maps", gs.fixpoint(maps, lambda r: r.where("node < 3"), least="m"))
    with pytest.raises(NotIncremental, match=r"a recursion: errors=.divert. cannot tell which row"):
        p.view("far", graph.distances(), errors="divert")
    full = Graph(graph.session, Path(graph.location).parent / "full")
    with pytest.raises(
        ConfigurationError, match=r"policy FULL, .* it is recursive \(Rows of the r"
    ):
        full.begin().view("far", full.distances(), policy="FULL").start()
    with pytest.raises(ConfigurationError, match=r"checkpointEvery is 5, .* view far is recursive"):
        graph.begin(checkpointEvery="5").view("far", graph.distances()).start()
