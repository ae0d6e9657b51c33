"""Tables that get and lose columns at random, between barriers, restarts and barriers that fail.

Every view, new and old, and the table itself equal a model after every step; so do the epochs that
are still there.
"""

from __future__ import annotations

import random
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import groundswell as gs
from groundswell.runtime import launch
from groundswell.runtime.barriers import runner
from groundswell.runtime.planning import unfilled
from incremental.harness import Bag, bag

STEPS = 12
POINTS = ("before_publish", "after_publish", "after_delivery")
STAGES = (
    (launch, "take_over"),
    (launch.definition, "store"),
    (launch.table, "store"),
    (launch.Launch, "_draw"),
)
"""What a start calls, after which it fails."""


class Failed(Exception):  # noqa: N818 (on purpose)
    """What ends a barrier, or a start, at a point."""


class Life:
    """One table ``t`` with some views, over all its runs, and what they should hold."""

    def __init__(self, session: SparkSession, folder: Path, rng: random.Random, keyed: bool):
        self.session, self.location, self.rng, self.keyed = session, str(folder), rng, keyed
        self.columns: dict[str, Any] = {"k": None, "v": None}
        """By name, what rows of before the column was there have in it."""
        self.rows: list[dict[str, Any]] = []
        self.views: dict[str, list[str]] = {"everything": ["k", "v"]}
        """By name of a view of some columns, these: ``SELECT *`` of the time when it was made."""
        self.number = 0
        self.log: list[str] = []
        self.open()

    def frame(self, columns: list[str]) -> DataFrame:
        """A view of columns of the table, or of all that there are."""
        wide = list(self.columns) == columns
        return self.table.df if wide else self.table.df.select(*columns)

    def open(self) -> None:
        """Starts it as a program would that knows all columns."""
        p = gs.pipeline(self.session, self.location)
        ddl = ", ".join(f"{name} int" for name in self.columns)
        defaults = {n: str(d) for n, d in self.columns.items() if d is not None}
        key = "k" if self.keyed else None
        self.table = p.table("t", ddl, key=key, defaults=defaults)
        for name, columns in self.views.items():
            p.view(name, self.frame(columns))
        p.view("sums", self.table.df.groupBy("v").agg(F.sum("k").alias("s")))
        self.run = p.start()

    def write(self) -> None:
        made = []
        for _ in range(self.rng.randint(1, 4)):
            key = self.rng.randint(0, 6) if self.keyed else len(self.rows) + len(made)
            given = {n: self.rng.choice([None, 1, 2, 3]) for n in self.columns}
            made.append({**given, "k": key})
        made = list({row["k"]: row for row in made}.values())
        self.table.insert([tuple(row.values()) for row in made])
        gone = {row["k"] for row in made}
        self.rows = [row for row in self.rows if row["k"] not in gone] + made
        if self.keyed and self.rng.random() < 0.3:
            key = self.rng.randint(0, 6)
            self.table.delete([(key,)])
            self.rows = [row for row in self.rows if row["k"] != key]

    def add_column(self) -> None:
        self.number += 1
        name, default = f"c{self.number}", self.rng.choice([None, 7, 8])
        self.log.append(f"add {name} default {default}")
        self.table.addColumns(f"{name} int", {} if default is None else {name: str(default)})
        self.added(name, default)

    def added(self, name: str, default: Any) -> None:
        self.columns[name] = default
        for row in self.rows:
            row[name] = default

    def drop_column(self) -> None:
        """One that no view reads goes; else it is refused."""
        name = self.rng.choice([n for n in self.columns if n not in ("k", "v")] or ["v"])
        readers = [view for view, columns in self.views.items() if name in columns]
        self.log.append(f"drop {name}, read by {readers}")
        if readers or name == "v":
            with pytest.raises(gs.ConfigurationError, match=f"column {name} of table t"):
                self.table.dropColumns(name)
            return
        self.table.dropColumns(name)
        del self.columns[name]
        for row in self.rows:
            del row[name]

    def add_view(self) -> None:
        name = f"view{len(self.views)}"
        columns = list(self.columns)
        if self.rng.random() < 0.5:
            columns = sorted({"k", *self.rng.sample(columns, len(columns) // 2)})
        self.log.append(f"view {name} of {columns}")
        self.run.addView(name, self.frame(columns))
        self.views[name] = columns

    def rescale(self) -> None:
        partitions = self.rng.randint(1, 3)
        self.log.append(f"rescale to {partitions}")
        self.run.rescale(partitions)

    def rename_column(self) -> None:
        """Views of it go on under the name that they have, so none may be defined again."""
        name = self.rng.choice([n for n in self.columns if n not in ("k", "v")] or ["v"])
        if name == "v" or any(name in columns for columns in self.views.values()):
            return
        self.number += 1
        new = f"c{self.number}"
        self.log.append(f"rename {name} to {new}")
        self.table.renameColumn(name, new)
        self.columns = {new if n == name else n: d for n, d in self.columns.items()}
        self.rows = [{new if n == name else n: v for n, v in r.items()} for r in self.rows]

    def restart(self) -> None:
        """Another process, which may know of one more column."""
        self.run.stop()
        if self.rng.random() < 0.5:
            self.number += 1
            self.added(f"c{self.number}", self.rng.choice([None, 9]))
        self.log.append(f"restart with {list(self.columns)}")
        self.open()

    def fail(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """A barrier, or the start that brings a column, ends at some point."""
        point = self.rng.choice(POINTS)
        self.log.append(f"fail {point}")

        def hit(_: Any, name: str) -> None:
            if name == point:
                raise Failed(name)

        with monkeypatch.context() as patch:
            patch.setattr(runner.JvmRunner, "fail_point", hit)
            self.write()
            with suppress(Failed, gs.PipelineFailed):
                self.run.processAllAvailable()
            self.run.stop()
        self.open()

    def fail_to_add(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """The table gets no column, and goes on as it was."""
        owner, name = self.rng.choice(STAGES)
        self.log.append(f"fail {name} of adding a column")
        real, calls = getattr(owner, name), 0

        def failing(*given: Any, **named: Any) -> Any:
            nonlocal calls
            made, calls = real(*given, **named), calls + 1
            if calls == 1:
                raise Failed(name)
            return made

        with monkeypatch.context() as patch:
            patch.setattr(owner, name, failing)
            with pytest.raises(Failed):
                self.table.addColumns("lost int")
        assert self.run.isActive, self.log

    def compare(self) -> None:
        self.run.processAllAvailable()
        told = f"{self.log}"
        if not self.rows and self.run.lastProgress is None:
            return
        for name, columns in self.views.items():
            assert self.run.view(name).columns == columns, told
            wanted = Bag(tuple(row[c] for c in columns) for row in self.rows)
            assert bag(self.run.view(name)) == wanted, f"{name}: {told}"
        sums: dict[Any, int] = {}
        for row in self.rows:
            sums[row["v"]] = sums.get(row["v"], 0) + row["k"]
        assert bag(self.run.view("sums")) == Bag(sums.items()), told


@pytest.mark.rest
@pytest.mark.parametrize(
    ("seed", "keyed"),
    [
        pytest.param(seed, keyed, marks=() if seed < 1 else pytest.mark.soak)
        for seed in range(4)
        for keyed in (True, False)
    ],
)
def test_random_lives_of_a_table(
    session: SparkSession,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    seed: int,
    keyed: bool,
) -> None:
    rng = random.Random(f"{seed} {keyed}")
    monkeypatch.setattr(unfilled, "PART_ROWS", rng.choice([2, 200_000]))  # many parts, or one
    life = Life(session, tmp_path / "p", rng, keyed)
    try:
        for _ in range(STEPS):
            life.write()
            act = rng.choice(
                [
                    life.add_column,
                    life.drop_column,
                    life.rename_column,
                    life.rescale,
                    life.add_view,
                    life.restart,
                    lambda: life.fail(monkeypatch),
                    lambda: life.fail_to_add(monkeypatch),
                    lambda: None,
                ]
            )
            if rng.random() < 0.5:  # what was written waits for it
                life.compare()
            act()
            life.compare()
    except BaseException:
        print(f"seed {seed}, keyed {keyed}: {life.log}")
        raise
    finally:
        life.run.stop()
