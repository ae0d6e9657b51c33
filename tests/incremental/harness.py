"""Tables fed by small files, and what they hold after each epoch: the oracle's input."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from decimal import Decimal
from functools import reduce
from pathlib import Path
from typing import Any, Self

import pyarrow as pa
import pyarrow.parquet as pq
from py4j.protocol import Py4JJavaError
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.pandas.types import to_arrow_schema
from pyspark.sql.types import StructType

import groundswell as gs
from groundswell.contract.commits import CommitRef, Commits
from groundswell.format import States, Store, open_folder
from groundswell.runtime.record.epochs import EpochLog
from groundswell.runtime.record.location import states_in
from groundswell.state.documents import Documents

Row = dict[str, Any]


class Table:
    """A source folder; ``snapshots[n]`` is the table as of the n-th call of ``Tables.epoch``.

    Its files are lines of JSON, or of another ``kind`` if a test says so: parquet, for any type.
    """

    kind = "json"

    def __init__(self, spark: SparkSession, folder: Path, name: str, schema: str) -> None:
        self.spark, self.name, self.schema = spark, name, schema
        self.folder, self._beside = folder / name, folder
        self.folder.mkdir()
        self.files = 0
        self.rows: list[Row] = []
        self.snapshots: list[list[Row]] = []

    def stream(self) -> DataFrame:
        return self.spark.readStream.schema(self.schema).format(self.kind).load(str(self.folder))

    def source(self) -> DataFrame:
        return gs.appends(self.stream(), name=self.name)

    def put(self, rows: Iterable[Row]) -> None:
        rows = list(rows)
        if rows:
            self.files += 1
            path = self.folder / f"{self.files:06d}.{self.kind}"
            staged = self.folder / f".{path.name}"
            self._write(rows, self.schema, staged)
            staged.rename(path)
        self.apply(rows)

    def _write(self, rows: list[Row], schema: str, path: Path) -> None:
        if self.kind == "parquet":
            arrow = to_arrow_schema(StructType.fromDDL(schema), timezone="UTC")
            # Spark 4.3 fails on arrays of floats in dictionaries without values
            flat = [f.name for f in arrow if not pa.types.is_nested(f.type)]
            pq.write_table(pa.Table.from_pylist(rows, arrow), path, use_dictionary=flat)
        else:
            path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")

    def as_parquet(self) -> Self:
        """The same in columns."""
        self.kind = "parquet"
        return self

    def apply(self, rows: list[Row]) -> None:
        self.rows += rows

    def columns(self) -> str:
        return self.schema

    def batch(self, epoch: int = -1) -> DataFrame:
        """The table as batch Spark reads it: the same parser, the same types."""
        number = range(len(self.snapshots))[epoch]
        path = self._beside / f"{self.name}-{number}.{self.kind}"
        if not path.exists():
            self._write(self.snapshots[number], self.columns(), path)
        return self.spark.read.schema(self.columns()).format(self.kind).load(str(path))


class Upserts(Table):
    """Rows replace those of their key; ``gone`` removes it."""

    def __init__(self, spark: SparkSession, folder: Path, name: str, schema: str, key: str) -> None:
        super().__init__(spark, folder, name, f"{schema}, gone boolean")
        self.key, self.visible = key, schema

    def source(self) -> DataFrame:
        return gs.upserts(self.stream(), key=self.key, delete="gone", name=self.name).drop("gone")

    def apply(self, rows: list[Row]) -> None:
        table = {self.key_of(row): row for row in self.rows}
        for row in rows:
            table.pop(self.key_of(row), None)
            if not row.get("gone"):
                table[self.key_of(row)] = row
        self.rows = list(table.values())

    def key_of(self, row: Row) -> Any:
        """What a row replaces others by."""
        return _value(row[self.key])

    def columns(self) -> str:
        return self.visible


class Changelog(Table):
    """Rows say themselves what they do."""

    def __init__(
        self, spark: SparkSession, folder: Path, name: str, schema: str, key: str | None
    ) -> None:
        super().__init__(spark, folder, name, f"{schema}, _change_type string")
        self.key, self.visible = key, schema

    def source(self) -> DataFrame:
        return gs.changelog(self.stream(), key=self.key, name=self.name)

    def apply(self, rows: list[Row]) -> None:
        for change in rows:
            row = {k: v for k, v in change.items() if k != "_change_type"}
            if change["_change_type"] in ("insert", "update_postimage"):
                self.rows = [*self.rows, row]
            else:
                self.rows = list(self.rows)
                self.rows.remove(row)

    def columns(self) -> str:
        return self.visible


class Tables:
    """All tables of a test; their streams or their contents as temp views."""

    def __init__(self, *tables: Table) -> None:
        self.tables = tables

    def snapshot(self) -> None:
        for table in self.tables:
            table.snapshots.append(list(table.rows))

    def as_sources(self) -> None:
        for table in self.tables:
            table.source().createOrReplaceTempView(table.name)

    def as_batch(self, epoch: int = -1) -> None:
        for table in self.tables:
            table.batch(epoch).createOrReplaceTempView(table.name)


@contextmanager
def one_barrier(query: gs.IncrementalQuery) -> Iterator[None]:
    """What arrives within is seen by the same barrier: Spark looks for news under this lock."""
    lock = query._query._jsq.streamingQuery().awaitProgressLock()
    lock.lock()
    try:
        yield
    finally:
        lock.unlock()


TO_JSON = {
    "ignoreNullFields": "false",
    "timestampFormat": "yyyy-MM-dd'T'HH:mm:ss.SSSSSSXXX",
    "timestampNTZFormat": "yyyy-MM-dd'T'HH:mm:ss.SSSSSS",
}
Bag = Counter[tuple[Any, ...]]
Bags = dict[str, Bag]


def started(frame: Any, location: Path, name: str = "v", **trigger: Any) -> Any:
    """Starts a view of a frame; gives its query."""
    return (
        frame.incremental()
        .writeStream.trigger(**trigger)
        .option("checkpointLocation", str(location))
        .toView(name)
    )


def bag(frame: DataFrame) -> Bag:
    """A DataFrame as a multiset of rows."""
    return bags({"": frame})[""]


PLAIN = {
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.shuffle.partitions": "1",
}
"""How to run a query once over a few rows: plan it once, in few tasks, and compile nothing.

Views are compiled, so what they are compared with does not share the faults of what is compiled.
"""


@contextmanager
def confs_of(session: SparkSession, confs: Mapping[str, str]) -> Iterator[None]:
    """These confs within, and what there was before afterwards."""
    before = {key: session.conf.get(key, None) for key in confs}
    for key, value in confs.items():
        session.conf.set(key, value)
    try:
        yield
    finally:
        for key, old in before.items():
            if old is None:
                session.conf.unset(key)
            else:
                session.conf.set(key, old)


def bags(frames: Mapping[str, DataFrame]) -> Bags:
    """Several DataFrames as multisets, by one job of one last task.

    Each task is sent the plan of all frames: a task for each of their partitions costs far more
    than their rows.
    """
    parts = [
        frame.select(F.lit(name), F.to_json(F.struct("*"), TO_JSON))
        for name, frame in frames.items()
    ]
    found: Bags = {name: Counter() for name in frames}
    with confs_of(parts[0].sparkSession, PLAIN):
        try:
            rows = reduce(DataFrame.unionAll, parts).coalesce(1).collect()
        except Py4JJavaError as e:
            # Spark 4.3 cannot plan some queries below a UNION ALL, which stand alone quite well.
            if "key not found" not in str(e):
                raise
            rows = [row for part in parts for row in part.collect()]
    for name, text in rows:
        found[name][row_of(text)] += 1
    return found


def row_of(text: str) -> tuple[Any, ...]:
    """A row that was written ``TO_JSON``."""
    return tuple(_value(v) for v in json.loads(text).values())


def plain(row: Any) -> tuple[Any, ...]:
    """A collected row in the same form as in bags, for columns of simple types."""
    return tuple(_value(float(v) if isinstance(v, Decimal) else v) for v in row)


def _value(value: Any) -> Any:
    """Doubles to 12 digits: sums may be added up in any order."""
    match value:
        case float() if value != value:
            return "NaN"
        case float():
            return float(f"{value:.12g}") + 0.0
        case list():
            return tuple(map(_value, value))
        case dict():
            return tuple(sorted((k, _value(v)) for k, v in value.items()))
        case _:
            return value


def replay(changes: Iterable[tuple[tuple[Any, ...], str]], table: Bag) -> Bag:
    """Applies change rows, each (row, _change_type), to a multiset."""
    for row, kind in changes:
        if kind in ("insert", "update_postimage"):
            table[row] += 1
        else:
            assert table[row] > 0, f"{kind} of {row}, which is not there"
            table[row] -= 1
    return +table


def assert_same(found: Bag, wanted: Bag, where: str) -> None:
    assert found == wanted, (
        f"{where}: only in the view {found - wanted}; only in the batch {wanted - found}"
    )


def assert_view_equals_batch(view: DataFrame, batch: DataFrame, where: str = "") -> None:
    assert view.dtypes == batch.dtypes
    assert_same(bag(view), bag(batch), where)


def home(location: Path) -> Documents:
    """A pipeline's folder in its location, as any process reads it."""
    return Documents(open_folder(location).child("groundswell"))


def newest_commits(location: Path) -> Commits:
    """Of every state at the newest epoch."""
    return EpochLog(home(location).child("epochs")).newest().commits


def newest_stores(location: Path, prefix: str = "") -> Iterator[tuple[str, Store, CommitRef]]:
    """State, store and newest commit of each partition that was ever written."""
    newest = EpochLog(home(location).child("epochs")).newest()
    folder = open_folder(location / "groundswell")
    states = States(states_in(folder, newest.generation), folder)
    for state, commits in newest.commits.items():
        for partition, commit in enumerate(commits):
            if commit.version and state.startswith(prefix):
                yield state, Store(states.store(state, partition)), commit


def published(location: Path) -> list[int]:
    """The epochs that every process can read."""
    return EpochLog(home(location).child("epochs")).epochs()


def five_tables(session: SparkSession, folder: Path, schema: str) -> Tables:
    """Tables ``a`` to ``e`` of one schema with the key ``id``, of every kind, to be joined."""
    return Tables(
        Upserts(session, folder, "a", schema, "id"),
        Upserts(session, folder, "b", schema, "id"),
        Changelog(session, folder, "c", schema, "id"),
        Upserts(session, folder, "d", schema, "id"),
        Table(session, folder, "e", schema),
    )
