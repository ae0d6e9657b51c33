"""Random changes by statements: objects come, go, are renamed and come back as something else.

Tables get, lose, rename and widen columns, views are replaced, suspended and resumed. Names are
words that also stand in queries. Some statements are cut off by a crash, before any of their
durable steps. After each change all views equal batch Spark, or the pipeline is as before it.
"""

from __future__ import annotations

import random
import re
import shutil
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

import groundswell as gs
from crash.images import images
from groundswell.sql.parsing.tokens import statements
from incremental.searching import MINUTES, SEED, seeds
from sql.conftest import end_all, opened, reopened
from sql.lives import Batch, Column, Index, Model, Table, View, check, columns_of

pytestmark = pytest.mark.rest

STEPS = 14 if not MINUTES else 30
NAMES = ("k", "v", "Orders", "select", "group", "v__2", "c", "n")
COLUMNS = ("k", "v", "sel ect", "a.b", "v__2", "n", "Order")
VALUES: dict[str, tuple[Any, ...]] = {
    "int": (0, 1, 2, 3),
    "bigint": (0, 1, 2, 3),
    "string": ("a", "b", "C"),
    "double": (0.5, 1.5),
    "float": (0.5, 1.5),
}
WIDER = {"int": "bigint", "float": "double"}
REFUSED = re.compile(
    r"of the PRIMARY KEY|it is of the key|its columns would be others|has no column"
    r"|so far as their statements tell|reads? it|reads? column|one has to go on|comes with it"
    r"|is read by|cannot run: view"
)
"""What a change may be refused for; anything else is a fault."""
Change = Callable[[Model], None]
Act = tuple[str, Change]


def literal(value: Any) -> str:
    return "NULL" if value is None else f"'{value}'" if isinstance(value, str) else repr(value)


class Life:
    """A pipeline, and what it is to hold."""

    def __init__(self, session: SparkSession, place: Path, rng: random.Random) -> None:
        self.session, self.place, self.rng = session, place, rng
        self.model, self.log = Model(), list[str]()
        self.number = 0
        opened(session, place)

    def new(self) -> int:
        self.number += 1
        return self.number

    def free(self, names: tuple[str, ...], taken: set[str]) -> str | None:
        left = [name for name in names if name.lower() not in taken]
        return self.rng.choice(left) if left else None

    def value(self, type_: str) -> Any:
        return self.rng.choice((None, *VALUES[type_]))

    def table(self) -> Table | None:
        written = self.model.written()
        tables = [t for t in self.model.tables.values() if t.number not in written]
        return self.rng.choice(tables) if tables else None

    def create_table(self) -> Act | None:
        name, keyed = self.free(NAMES, self.model.taken()), self.rng.random() < 0.6
        if name is None:
            return None
        types = ["int", *self.rng.choices(list(VALUES), k=self.rng.randint(1, 3))]
        names = self.rng.sample(COLUMNS, len(types))
        columns = [
            Column(self.new(), n, t, None if i == 0 else self.value(t))
            for i, (n, t) in enumerate(zip(names, types, strict=True))
        ]
        made = Table(self.new(), "TABLE", name, columns, keyed)
        parts = [
            self.ddl(c) + (" PRIMARY KEY" if keyed and not i else "") for i, c in enumerate(columns)
        ]
        text = f"CREATE TABLE `{name}` ({', '.join(parts)})"
        return text, lambda model: model.tables.update({made.number: deepcopy(made)})

    def ddl(self, column: Column) -> str:
        default = "" if column.default is None else f" DEFAULT {literal(column.default)}"
        return f"`{column.name}` {column.type}{default}"

    def insert(self) -> Act | None:
        table = self.table()
        if table is None:
            return None
        key = table.columns[0]
        given = [c for c in table.columns if c is key or self.rng.random() < 0.8]
        rows: list[dict[int, Any]] = []
        for at in self.rng.sample(range(8), self.rng.randint(1, 3)):
            row = {c.number: c.default for c in table.columns}
            row |= {c.number: self.value(c.type) for c in given}
            rows.append(row | ({key.number: at} if table.keyed else {}))
        values = ", ".join(f"({', '.join(literal(row[c.number]) for c in given)})" for row in rows)
        names = ", ".join(f"`{c.name}`" for c in given)

        def change(model: Model) -> None:
            into = model.tables[table.number]
            keys = {row[key.number] for row in rows} if table.keyed else set()
            kept = [row for row in into.rows if row[key.number] not in keys or not table.keyed]
            into.rows = [*kept, *map(dict, rows)]

        return f"INSERT INTO `{table.name}` ({names}) VALUES {values}", change

    def delete(self) -> Act | None:
        table = self.table()
        if table is None:
            return None
        column = self.rng.choice(table.columns)
        value = self.rng.choice(VALUES[column.type])

        def change(model: Model) -> None:
            into = model.tables[table.number]
            into.rows = [row for row in into.rows if row[column.number] != value]

        return f"DELETE FROM `{table.name}` WHERE `{column.name}` = {literal(value)}", change

    def query(self, without: set[int]) -> View | None:
        """A query over what is there, as a view without a name."""
        there = [r for n, r in self.model.relations().items() if n not in without]
        there = [r for r in there if not isinstance(r, View) or r.frozen is None]
        if not there:
            return None
        one, other = self.rng.choice(there), self.rng.choice(there)
        names = [name for _, name, _ in columns_of(one)]
        a, b = (f"`{self.rng.choice(names)}`" for _ in range(2))
        pairs = [(x, y) for _, x, t in columns_of(one) for _, y, u in columns_of(other) if t == u]
        texts = [
            "SELECT * FROM {0}",
            f"SELECT {a} AS k FROM {{0}} AS v WHERE {b} IS NOT NULL",
            f"SELECT {a}, count(*) AS c, max({b}) AS `group` FROM {{0}} GROUP BY {a}",
            f"SELECT count({a}) AS n, min({b}) AS v FROM {{0}}",
            f"SELECT DISTINCT {a} FROM {{0}}",
        ]
        reads = [(one.number, columns_of(one))]
        if pairs and self.rng.random() < 0.5:
            x, y = self.rng.choice(pairs)
            texts = [
                f"SELECT k.{a} AS l, v.`{y}` AS r FROM {{0}} k {how} {{1}} v ON k.`{x}` = v.`{y}`"
                for how in ("JOIN", "LEFT JOIN", "FULL JOIN")
            ]
            texts += [
                f"SELECT `{x}` AS u FROM {{0}} {how} SELECT `{y}` FROM {{1}}"
                for how in ("UNION ALL", "EXCEPT", "INTERSECT")
            ]
            reads.append((other.number, columns_of(other)))
        return View(0, "MATERIALIZED VIEW", "", self.rng.choice(texts), reads)

    def text(self, view: View) -> str:
        """The query of a view with the names that there are now."""
        relations = self.model.relations()
        return view.query.format(*(f"`{relations[number].name}`" for number, _ in view.reads))

    def create_view(self) -> Act | None:
        name, view = self.free(NAMES, self.model.taken()), self.query(set())
        if name is None or view is None:
            return None
        view.number, view.name = self.new(), name
        return f"CREATE MATERIALIZED VIEW `{name}` AS {self.text(view)}", self.put(view)

    def put(self, view: View) -> Change:
        def change(model: Model) -> None:
            made = deepcopy(view)
            made.schema = Batch(self.session, model).frame(made).schema
            model.views[made.number] = made

        return change

    def replace_view(self) -> Act | None:
        going = [v for v in self.model.views.values() if v.frozen is None]
        if not going:
            return None
        old = self.rng.choice(going)
        view = self.query({old.number, *self.model.readers(old.number)})
        if view is None:
            return None
        view.number, view.name = old.number, old.name
        return f"CREATE OR REPLACE MATERIALIZED VIEW `{old.name}` AS {self.text(view)}", (
            self.put(view)
        )

    def create_index(self) -> Act | None:
        name, there = self.free(NAMES, self.model.taken()), list(self.model.relations().values())
        if name is None or not there:
            return None
        on = self.rng.choice(there)
        _, column, _ = self.rng.choice(columns_of(on))
        made = Index(self.new(), "INDEX", name, on.number)
        return f"CREATE INDEX `{name}` ON `{on.name}` (`{column}`)", (
            lambda model: model.indexes.update({made.number: made})
        )

    def create_sink(self) -> Act | None:
        """From a keyed table into another one that begins empty, and has a column of the two."""
        keyed = [t for t in self.model.tables.values() if t.keyed]
        free = [t for t in keyed if not t.rows and t.number not in self.model.written()]
        name = self.free(NAMES, self.model.taken())
        if name is None or not free:
            return None
        into, of = self.rng.choice(free), self.rng.choice(keyed)
        if into is of or into.number in self.model.readers(of.number) or len(into.columns) > 1:
            return None
        key = of.columns[0].name
        query = f"SELECT `{key}` AS `{into.columns[0].name}` FROM {{0}}"
        made = View(self.new(), "SINK", name, query, [(of.number, columns_of(of))])
        made.into = into.number
        return f"CREATE SINK `{name}` INTO `{into.name}` AS {self.text(made)}", (
            lambda model: model.sinks.update({made.number: deepcopy(made)})
        )

    def narrow(self) -> Act | None:
        """A table that a sink may fill: a key, and no more."""
        name = self.free(NAMES, self.model.taken())
        made = Table(self.new(), "TABLE", name or "", [Column(self.new(), "k", "int")], True)
        text = f"CREATE TABLE `{name}` (`k` int PRIMARY KEY)"
        return (
            None
            if name is None
            else (text, lambda model: model.tables.update({made.number: deepcopy(made)}))
        )

    def drop(self) -> Act | None:
        objects = [o for o in self.model.objects() if o.number not in self.model.written()]
        if not objects:
            return None
        gone, cascade = self.rng.choice(objects), self.rng.random() < 0.5
        if isinstance(gone, View) and gone.kind == "SINK":
            return None  # its table keeps rows that the model does not have
        if any(n in self.model.sinks for n in self.model.readers(gone.number)):
            return None

        def change(model: Model) -> None:
            readers = model.readers(gone.number)
            assert cascade or not readers, f"{gone.name} is gone without what reads it"
            for number in (gone.number, *readers):
                model.drop(number)

        return f"DROP {gone.kind} `{gone.name}`{' CASCADE' if cascade else ''}", change

    def rename(self) -> Act | None:
        some = [o for o in self.model.objects() if o.kind != "SINK"]
        name = self.free(NAMES, self.model.taken())
        if not some or name is None:
            return None
        old = self.rng.choice(some)

        def change(model: Model) -> None:
            (one,) = (o for o in model.objects() if o.number == old.number)
            one.name = name

        return f"ALTER {old.kind} `{old.name}` RENAME TO `{name}`", change

    def alter(self) -> Act | None:
        """Other columns of a table; what a view reads is refused by the statement."""
        table = self.table()
        if table is None:
            return None
        column, how = (
            self.rng.choice(table.columns),
            self.rng.choice(["add", "drop", "call", "widen"]),
        )
        name = self.free(COLUMNS, {c.name.lower() for c in table.columns})
        begin = f"ALTER TABLE `{table.name}`"
        if how == "drop":

            def dropped(model: Model) -> None:
                into = model.tables[table.number]
                into.columns = [c for c in into.columns if c.number != column.number]

            return f"{begin} DROP COLUMN `{column.name}`", dropped
        if how == "widen" and column.type in WIDER:
            return f"{begin} ALTER COLUMN `{column.name}` TYPE {WIDER[column.type]}", (
                self.column(table, column, type=WIDER[column.type])
            )
        if name is None:
            return None
        if how == "call":
            return f"{begin} RENAME COLUMN `{column.name}` TO `{name}`", (
                self.column(table, column, name=name)
            )
        type_ = self.rng.choice(list(VALUES))
        made = Column(self.new(), name, type_, self.value(type_))

        def added(model: Model) -> None:
            into = model.tables[table.number]
            into.columns.append(deepcopy(made))
            for row in into.rows:
                row[made.number] = made.default

        return f"{begin} ADD COLUMN {self.ddl(made)}", added

    def column(self, table: Table, column: Column, **new: str) -> Change:
        def change(model: Model) -> None:
            (one,) = (c for c in model.tables[table.number].columns if c.number == column.number)
            for key, value in new.items():
                setattr(one, key, value)

        return change

    def suspend(self) -> Act | None:
        going = [v for v in self.model.views.values() if v.frozen is None]
        if not going:
            return None
        view = self.rng.choice(going)
        for _ in range(2):
            self.session.sql("FLUSH")

        def change(model: Model) -> None:
            batch = Batch(self.session, model)
            stop = [v for v in model.above(view.number) if v.frozen is None]
            rows = {v.number: batch.frame(v).collect() for v in stop}
            for number, frozen in rows.items():
                model.views[number].frozen = frozen
                model.views[number].because = view.number

        return f"ALTER MATERIALIZED VIEW `{view.name}` SUSPEND", change

    def resume(self) -> Act | None:
        still = [v for v in self.model.views.values() if v.frozen is not None]
        if not still:
            return None
        view = self.rng.choice(still)

        def change(model: Model) -> None:
            for each in model.above(view.number):
                if each.because == view.number:
                    each.frozen = None

        return f"ALTER MATERIALIZED VIEW `{view.name}` RESUME", change

    def option(self) -> Act | None:
        text = self.rng.choice(
            [
                f"SET PARALLELISM {self.rng.randint(1, 3)}",
                f"SET (checkpointEvery = {self.rng.randint(1, 3)})",
                "SET (maxBarrierRows = 2)",
                "RESET (maxBarrierRows, checkpointEvery)",
            ]
        )
        return f"ALTER PIPELINE p {text}", lambda _: None

    def restart(self) -> Act | None:
        self.log.append("RESTART")
        reopened(self.session, str(self.place))
        return None

    def do(self, act: Act, crash: bool, scratch: Path) -> None:
        """Carries a statement out; one that is refused leaves all as it was."""
        text, change = act
        self.log.append(f"{'CRASH ' if crash else ''}{text}")
        if not crash:
            if self.accepted(text):
                change(self.model)
            return
        before = deepcopy(self.model)
        with images(self.place, scratch) as taken:
            accepted = self.accepted(text)
        if accepted:
            change(self.model)
        image = self.rng.choice(taken)
        self.log.append(f"-- before {image.before}, {taken.index(image)} of {len(taken)}")
        end_all(self.session)
        shutil.rmtree(self.place)
        shutil.copytree(image.place, self.place)
        shutil.rmtree(scratch)
        opened(self.session, self.place)
        try:
            check(self.session, self.model, "")
        except AssertionError:
            self.model = before

    def made_again(self, place: Path) -> None:
        """The statements that ``SHOW CREATE PIPELINE`` tells make the same in another place."""
        ((text,),) = self.session.sql("SHOW CREATE PIPELINE p").collect()
        end_all(self.session)
        self.log.append(f"-- made again\n{text}")
        for each in statements(text.replace(str(self.place), str(place))):
            self.session.sql(each.text)
        for view in self.model.views.values():
            view.frozen = None
        for table in self.model.tables.values():
            if table.rows and table.number not in self.model.written():
                rows = (
                    f"({', '.join(literal(r[c.number]) for c in table.columns)})"
                    for r in table.rows
                )
                self.session.sql(f"INSERT INTO `{table.name}` VALUES {', '.join(rows)}")
        check(self.session, self.model, "made again")

    def accepted(self, text: str) -> bool:
        try:
            self.session.sql(text)
        except gs.GroundswellError as e:
            self.log.append(f"-- refused: {str(e)[:200]}")
            if not REFUSED.search(str(e)):
                raise
            return False
        return True


def live(session: SparkSession, folder: Path, seed: int) -> None:
    rng = random.Random(seed)
    life = Life(session, folder / "p", rng)
    acts: dict[Callable[[], Act | None], int] = {
        life.insert: 6,
        life.delete: 2,
        life.create_view: 6,
        life.replace_view: 4,
        life.alter: 6,
        life.rename: 3,
        life.drop: 4,
        **dict.fromkeys((life.suspend, life.resume, life.create_table, life.narrow), 2),
        **dict.fromkeys((life.create_sink, life.create_index, life.option, life.restart), 2),
    }
    first = [life.create_table, life.narrow, life.insert, life.create_view]
    try:
        for number in range(STEPS + len(first)):
            begins = number < len(first)
            make = first[number] if begins else rng.choices(list(acts), list(acts.values()))[0]
            act = make()
            if act is not None:
                life.do(act, not begins and rng.random() < 0.2, folder / "images")
            if not begins and rng.random() < 0.6:
                check(session, life.model, "")
        life.restart()
        check(session, life.model, "")
        life.made_again(folder / "again")
    except BaseException:
        print("\n".join([f"seed {seed}", *life.log]))
        raise


@pytest.mark.parametrize("seed", [SEED, pytest.param(SEED + 1000, marks=pytest.mark.soak)])
def test_random_changes(session: SparkSession, tmp_path: Path, seed: int) -> None:
    for number in seeds(seed):
        live(session, tmp_path / str(number), number)
        end_all(session)
