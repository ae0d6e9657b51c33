"""Pipelines whose states get another number of partitions: at a restart, and while they run."""

import random
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession

import groundswell as gs
from incremental.checking import Delivered, batch_bags, feed
from incremental.harness import Bags, Tables, assert_same, bags
from incremental.random_plans import Changes
from incremental.test_random import tables_in

KINDS = {
    "bundled": "select id, v from t where v is not null",
    "bundled_join": "select a.id, b.v from t a join t b on a.k = b.k",
    "distinct": "select k, count(distinct g) n, sum(distinct id) s, min(v) lo, max(v) hi from u "
    "group by k",
    "distinct_twice": "select k, g, count(distinct id, v) n from c group by k, g",
    "recomputed": "select g, sort_array(collect_list(id)) ids from c group by g",
    "outer_join": "select u.id, c.v from u full outer join c on u.k = c.k and u.v < c.v",
    "anti_join": "select id, v from u where not exists (select 1 from c where c.k = u.k)",
    "first_row": "select id, v from (select *, row_number() over (partition by k order by v, id, g)"
    " r from t) where r = 1",
    "first_rows": "select id, v from (select *, row_number() over (partition by k order by v, id, "
    "g) r from t) where r <= 3",
    "ranked": "select id, rank() over (partition by g order by v) r from u",
    "running": "select id, sum(v) over (partition by g order by id) s from u",
    "top": "select id, v from u order by v desc, id limit 4",
    "global": "select count(*) n, sum(id) s, count(distinct k) d from c",
    "of_a_view": "select n, count(*) m from distinct group by n",
    "constant": "select 1 a union all select k from u",
}
"""Each keeps its rows in another way."""
PARTITIONS = (1, 2, 3, 5, 8)


class Life:
    """One pipeline over all its runs."""

    def __init__(
        self,
        session: SparkSession,
        folder: Path,
        queries: dict[str, str],
        partitions: int,
        **options: Any,
    ) -> None:
        self.session, self.location, self.queries = session, str(folder / "c"), queries
        self.tables: Tables = tables_in(session, folder / "tables")
        self.tables.as_sources()
        self.frames = {t.name: session.table(t.name) for t in self.tables.tables}
        self.options = options
        self.sinks = {name: Delivered() for i, name in enumerate(queries) if i % 2}
        self.fed = 0
        self.run = self.start(partitions=partitions)

    def start(self, **more: Any) -> gs.IncrementalQuery:
        for name, frame in self.frames.items():
            frame.createOrReplaceTempView(name)
        p = gs.pipeline(self.session, self.location, **self.options, **more)
        for name, text in self.queries.items():
            p.view(name, self.session.sql(text), self.sinks.get(name)).createTempViews()
        p.index(self.frames["u"], "k", name="by_k")
        self.run = p.start()
        return self.run

    def feed(self, step: Any) -> int:
        self.fed += 1
        return feed(self.tables, step, self.run)

    def shown(self, epoch: int | None = None) -> Bags:
        return bags(
            {
                name: gs.read_view(self.session, self.location, name, epoch=epoch)
                for name in self.queries
            }
        )

    def compare(self, where: str) -> None:
        found = self.shown()
        self.tables.as_batch(self.fed - 1)
        batch = batch_bags(self.session, self.queries)
        for name, text in self.queries.items():
            assert_same(found[name], batch[name], f"{where}, {name}: {text}")

    def end(self) -> None:
        self.run.stop()
        found = self.shown()
        for name, sink in self.sinks.items():
            assert_same(sink.replayed(), found[name], f"sink of {name}")


def test_every_kind_of_state_gets_other_partitions(session: SparkSession, tmp_path: Path) -> None:
    life = Life(session, tmp_path, KINDS, 2)
    steps = list(Changes(random.Random(7)).steps(6))
    try:
        life.feed(steps[0])
        seen = life.shown()
        life.run.rescale(8)
        life.compare("2 -> 8")
        life.feed(steps[1])
        life.compare("after 2 -> 8")
        life.run.stop()
        life.start(partitions=3)
        life.compare("8 -> 3")
        life.feed(steps[2])
        life.compare("after 8 -> 3")
        life.run.stop()
        life.start()  # the number stays
        life.feed(steps[3])
        life.run.rescale(1)
        life.compare("3 -> 1")
        life.feed(steps[4])
        life.run.rescale(2)
        life.feed(steps[5])
        life.compare("after 1 -> 2")
        assert life.shown(0) == seen
    finally:
        life.end()
