"""Pipelines whose states get another number of partitions: at a restart, and while they run."""

import random
import shutil
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

import groundswell as gs
from groundswell.format.packs import is_elsewhere, path_of
from groundswell.runtime.backfill.generations import MOST_PARTITIONS
from incremental.checking import Delivered, batch_bags, put, spark_plans
from incremental.harness import Bags, Tables, assert_same, bags, newest_stores, published
from incremental.random_plans import Changes, Maker
from incremental.searching import search
from incremental.test_random import tables_in

pytestmark = pytest.mark.rest

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

    @property
    def home(self) -> Path:
        return Path(self.location) / "groundswell"

    def generations(self) -> list[str]:
        found = [*self.home.glob("generation-*"), *self.home.glob("state")]
        return sorted(path.name for path in found)

    def referred(self) -> set[str]:
        """The folders of other generations that the newest epoch refers to."""
        stores = newest_stores(Path(self.location))
        manifests = [store.version(c.version, c.id).manifest for _, store, c in stores]
        files = {info.file for m in manifests for run in m.runs for info in run}
        return {path_of(file)[0] for file in files if is_elsewhere(file)}

    def feed(self, step: Any) -> int:
        """Gives the newest epoch; nobody may read what came."""
        self.fed += 1
        put(self.tables, step, self.run)
        self.tables.snapshot()
        self.run.processAllAvailable()
        return published(Path(self.location))[-1]

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


def test_states_get_other_partitions_while_they_run_and_at_a_restart(
    session: SparkSession, tmp_path: Path
) -> None:
    kinds = ("bundled", "distinct", "outer_join", "first_row", "global")
    life = Life(session, tmp_path, {name: KINDS[name] for name in kinds}, 2)
    steps = list(Changes(random.Random(3)).steps(3))
    try:
        first = life.feed(steps[0])
        for wrong in (0, -1, MOST_PARTITIONS + 1, True):
            with pytest.raises(gs.ConfigurationError, match="1 to 4096 partitions"):
                life.run.rescale(wrong)
        assert life.run.isActive and not list(life.home.glob("generation-*"))
        seen = life.shown()
        life.run.rescale(3)
        life.feed(steps[1])
        life.compare("2 -> 3")
        life.run.stop()
        with pytest.raises(gs.ConfigurationError, match="1 to 4096 partitions"):
            life.start(partitions=MOST_PARTITIONS + 1)
        life.start(partitions=2)
        assert life.shown(first) == seen, "an epoch before both"
        life.feed(steps[2])
        life.compare("3 -> 2")
    finally:
        life.end()


@pytest.mark.soak
def test_states_before_a_rescale_go_when_nothing_refers_to_them(
    session: SparkSession, tmp_path: Path
) -> None:
    options = {"retainEpochs": 2, "retireEvery": 1}
    life = Life(session, tmp_path, {"distinct": KINDS["distinct"]}, 2, **options)
    (life.home / "generation-1").mkdir(parents=True)  # as a rescale that was broken off leaves it
    chance = random.Random(3)
    steps = list(Changes(chance).steps(3))
    try:
        life.feed(steps[0])
        life.feed(steps[1])
        life.run.rescale(3)
        assert life.generations() == ["generation-2", "state"]
        assert life.referred() == {"state"}, "nothing of it was rewritten"
        life.feed(steps[2])
        life.compare("2 -> 3")
        for turn in range(60):  # merges write anew what is there, commits take it in
            if life.generations() == ["generation-2"]:
                break
            made = [
                {"id": i, "k": i % 7, "g": turn, "v": float(chance.randrange(9))} for i in range(12)
            ]
            life.feed({"u": made})
        assert life.generations() == ["generation-2"] and not life.referred()
        life.compare("without the states before")
        with pytest.raises(gs.EpochUnavailable):
            life.shown(0)
    finally:
        life.end()


@pytest.mark.soak
def test_random_views_get_random_partitions(session: SparkSession, tmp_path: Path) -> None:
    def check(rng: random.Random, views: int) -> None:
        shutil.rmtree(tmp_path, ignore_errors=True)
        tmp_path.mkdir()
        made = {f"v{i}": Maker(rng, rng.randint(0, 3)).query() for i in range(views)}
        alone = sorted(KINDS.keys() - {"of_a_view"})
        made |= {name: KINDS[name] for name in ("constant", *rng.sample(alone, 2))}
        life = Life(session, tmp_path, planned(session, tmp_path, made), rng.choice(PARTITIONS))
        seen: dict[int, Bags] = {}
        try:
            for step in Changes(rng).steps(5):
                epoch = life.feed(step)
                seen[epoch] = life.shown()
                wanted = rng.choice(PARTITIONS)
                if rng.random() < 0.5:
                    life.run.rescale(wanted)
                else:
                    life.run.stop()
                    life.start(partitions=wanted)
                life.compare(f"{wanted} partitions")
                epoch = rng.choice(sorted(seen))
                assert life.shown(epoch) == seen[epoch], epoch
        finally:
            life.end()

    search(check)


def planned(session: SparkSession, folder: Path, queries: dict[str, str]) -> dict[str, str]:
    """Those that Spark can plan."""
    tables = tables_in(session, folder / "planning")
    return {name: text for name, text in queries.items() if spark_plans(tables, {name: text})}


@pytest.mark.soak
def test_every_kind_of_state_gets_other_partitions(session: SparkSession, tmp_path: Path) -> None:
    life = Life(session, tmp_path, KINDS, 2)
    steps = list(Changes(random.Random(7)).steps(6))
    try:
        first = life.feed(steps[0])
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
        assert life.shown(first) == seen
    finally:
        life.end()
