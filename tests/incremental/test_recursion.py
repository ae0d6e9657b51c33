"""Queries that read their own rows, under inserts and deletes."""

import random
from collections.abc import Callable
from pathlib import Path

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import groundswell as gs
from groundswell.errors import NotIncremental, SourceError
from groundswell.runtime.pipeline import Pipeline
from groundswell.runtime.query import IncrementalQuery

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
        return gs.fixpoint(
            self.roots, lambda r: r.join(links, r.node == links.src).select("dst")
        )

    def distances(self) -> DataFrame:
        links = self.links
        return gs.fixpoint(
            self.roots.select("node", F.lit(0).cast("long").alias("far")),
            lambda r: r.join(links, r.node == links.src).select("dst", r.far + links.length),
            least="far",
        )


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
    graph.cut((1, 2))  # 2 and 3 still lead to each other
    query.processAllAvailable()
    assert rows(query, "reached") == [(1,)]
    graph.put((1, 3, 1))
    query.processAllAvailable()
    assert rows(query, "reached") == [(1,), (2,), (3,), (4,)]
    query.stop()


def test_random_graphs_are_walked_as_they_change(graph: Graph, tmp_path: Path) -> None:
    seed = random.randrange(2**32)
    print(f"seed {seed}")
    rng = random.Random(seed)
    p = graph.begin()
    told: list[tuple[str, int]] = []

    def sink(changes: DataFrame, epoch: int) -> None:
        for row in changes.collect():
            told.append((row["_change_type"], row["node"]))

    p.view("reached", graph.reached(), sink)
    p.view("far", graph.distances())
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
                for a, b in ((rng.randrange(12), rng.randrange(12)) for _ in range(5))
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
        total = sum(far.values()) if far else None
        assert rows(query, "count") == [(len(far), total)], f"seed {seed}"
    there = {node: 0 for _, node in told}
    for kind, node in told:
        there[node] += {"insert": 1, "delete": -1}[kind]
    assert sorted(node for node, count in there.items() if count) == sorted(shortest(graph))
    assert set(there.values()) <= {0, 1}
    query.stop()
