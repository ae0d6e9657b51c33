"""What is measured: providers, file managers, figures, and in which order."""

from collections.abc import Iterator
from typing import NamedTuple

from groundswell import confs

SPARK = "org.apache.spark.sql.execution.streaming.state."


class Provider(NamedTuple):
    """A state store provider with the confs its user would set."""

    name: str
    label: str
    confs: dict[str, str]
    figures: frozenset[str] | None = None
    """The figures on which this variant differs from another one; None for all."""
    compacting: dict[str, str] | None = None
    """Confs that make a batch leave nothing hidden in its files; None if there are none."""


class Mode(NamedTuple):
    """Where the providers write, and through which checkpoint file manager."""

    name: str
    label: str
    for_others: dict[str, str]
    """Confs of the providers that are not ours."""
    for_all: dict[str, str] = {}  # noqa: RUF012 - a constant
    scheme: str = ""
    """The file system, as ``slow:``; empty for the local one."""


class Figure(NamedTuple):
    """One cell's measurement, one or more lines of the table. A round is one call of the worker."""

    name: str
    label: str
    unit: str
    rounds: int
    warm_up: int
    store: str = "plain"
    processes: int = 1
    copied: bool = False
    """It writes, and so gets a copy of the store."""
    worker: str = ""
    """What the worker calls it, if not by its name."""
    divisor: int = 1
    """The store has so many times fewer rows than the run."""


class Suite(NamedTuple):
    """One run and its report, ``results/<report>.md``."""

    report: str
    title: str
    rows: int
    heap: str
    providers: list[Provider]
    tables: list[tuple[Mode, list[Figure]]]


class Case(NamedTuple):
    """One cell."""

    mode: Mode
    figure: Figure
    provider: Provider

    @property
    def id(self) -> str:
        """What pytest shows, and what results are found by."""
        return f"{self.mode.name}-{self.figure.name}-{self.provider.name}"


OURS = Provider(
    "groundswell",
    "Groundswell",
    {confs.PROVIDER_KEY: confs.PROVIDER, confs.FILE_MANAGER_KEY: confs.FILE_MANAGER},
    compacting={},
)
ROCKSDB = Provider(
    "rocksdb",
    "RocksDB",
    {confs.PROVIDER_KEY: SPARK + "RocksDBStateStoreProvider"},
    compacting={"spark.sql.streaming.stateStore.rocksdb.compactOnCommit": "true"},
)
CHANGELOG = Provider(
    "rocksdb-changelog",
    "RocksDB, changelog",
    {
        **ROCKSDB.confs,
        "spark.sql.streaming.stateStore.rocksdb.changelogCheckpointing.enabled": "true",
    },
    frozenset({"load", "update", "first-batch", "reopen", "reopen-cold"}),
)
FROM_ROCKSDB = Provider(
    "groundswell-from-rocksdb",
    "Groundswell, RocksDB's changelog option set",
    {
        **OURS.confs,
        "spark.sql.streaming.stateStore.rocksdb.changelogCheckpointing.enabled": "true",
    },
)
LOGGED = Provider(
    "groundswell-logged",
    "Groundswell, every write logged",
    {**OURS.confs, "spark.sql.streaming.stateStore.groundswell.logEveryWrite": "true"},
)
HDFS = Provider("hdfs", "HDFS-backed", {confs.PROVIDER_KEY: SPARK + "HDFSBackedStateStoreProvider"})

SHIPPED = Mode("shipped", "as a user gets them: Spark's file manager for Spark's providers", {})
SAME_FILES = Mode(
    "same-files",
    "the same java.nio checkpoint file manager for all",
    {confs.FILE_MANAGER_KEY: confs.FILE_MANAGER},
)
SLOW = Mode(
    "slow",
    "on slow storage: 20 ms a PUT, 10 ms a GET, 50 ms a LIST; as a user gets them",
    {},
    {
        "fs.slow.impl": "io.groundswell.testing.FaultyFileSystem",
        "fs.slow.latency": "PUT=20,GET=10,LIST=50",
    },
    "slow:",
)

LOAD = Figure("load", "first load, 20 k rows a commit", "rows/s", rounds=1, warm_up=0)
GET_PRESENT = Figure("get-present", "get, key present", "rows/s", rounds=10, warm_up=20)
GET_ABSENT = Figure("get-absent", "get, key absent", "rows/s", rounds=10, warm_up=20)
UPDATE = Figure(
    "update",
    "read-modify-write, 20 k a batch, with commit",
    "rows/s",
    rounds=50,
    warm_up=15,
    copied=True,
)
CHURN = UPDATE._replace(name="churn", rounds=200, copied=False)
REOPEN = Figure("reopen", "reopen in a new process", "ms", rounds=1, warm_up=0, processes=3)
FIRST_BATCH = Figure(
    "first-batch",
    "open and first batch of a new process",
    "ms",
    rounds=1,
    warm_up=0,
    processes=3,
    copied=True,
)
FIGURES = [
    LOAD,
    GET_PRESENT,
    GET_ABSENT,
    UPDATE,
    Figure("scan", "full scan", "rows/s", rounds=5, warm_up=4),
    Figure(
        "scan-prefix", "prefix scans of 10 rows", "scans/s", rounds=10, warm_up=15, store="prefix"
    ),
    REOPEN,
    REOPEN._replace(name="reopen-cold", label="the same as the process's first act"),
]
TENTH = REOPEN._replace(
    name="reopen-tenth",
    label="reopen in a new process, a tenth of the rows",
    worker="reopen",
    divisor=10,
)

SUITES = {
    "all": Suite(
        "store",
        "state stores side by side",
        200_000,
        "3g",
        [OURS, ROCKSDB, CHANGELOG, HDFS],
        [(SHIPPED, FIGURES), (SAME_FILES, FIGURES), (SLOW, [LOAD, UPDATE, FIRST_BATCH, REOPEN])],
    ),
    # What options cost that log writes. RocksDB's must cost nothing.
    "options": Suite(
        "store-options",
        "options that log writes",
        1_000_000,
        "3g",
        [OURS, FROM_ROCKSDB, LOGGED],
        [(SAME_FILES, [LOAD, UPDATE])],
    ),
    # Few cells, in an order that spares copies: what writes comes last. Only one file manager,
    # the one with which RocksDB is faster.
    "large": Suite(
        "store-large",
        "large state stores side by side",
        10_000_000,
        "2g",
        [OURS, ROCKSDB],
        [(SAME_FILES, [LOAD, TENTH, REOPEN, GET_PRESENT, GET_ABSENT, CHURN])],
    ),
}


def cases(suite: Suite) -> Iterator[Case]:
    """Every cell; whoever goes first in one figure goes last in the next."""
    for mode, figures in suite.tables:
        for index, figure in enumerate(figures):
            shift = index % len(suite.providers)
            for provider in suite.providers[shift:] + suite.providers[:shift]:
                if provider.figures is None or figure.name in provider.figures:
                    yield Case(mode, figure, provider)
