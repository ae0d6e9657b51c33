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


class Mode(NamedTuple):
    """Which checkpoint file manager the providers write through."""

    name: str
    label: str
    for_others: dict[str, str]


class Figure(NamedTuple):
    """One line of the table. A round is one call of the JVM's worker."""

    name: str
    label: str
    unit: str
    rounds: int
    warm_up: int
    store: str = "plain"
    processes: int = 1
    writes: bool = False


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
)
ROCKSDB = Provider("rocksdb", "RocksDB", {confs.PROVIDER_KEY: SPARK + "RocksDBStateStoreProvider"})
CHANGELOG = Provider(
    "rocksdb-changelog",
    "RocksDB, changelog",
    {
        **ROCKSDB.confs,
        "spark.sql.streaming.stateStore.rocksdb.changelogCheckpointing.enabled": "true",
    },
    frozenset({"load", "update", "reopen", "reopen-cold"}),
)
HDFS = Provider("hdfs", "HDFS-backed", {confs.PROVIDER_KEY: SPARK + "HDFSBackedStateStoreProvider"})
PROVIDERS = [OURS, ROCKSDB, CHANGELOG, HDFS]

MODES = [
    Mode("shipped", "as a user gets them: Spark's file manager for Spark's providers", {}),
    Mode(
        "same-files",
        "the same java.nio checkpoint file manager for all",
        {confs.FILE_MANAGER_KEY: confs.FILE_MANAGER},
    ),
]

FIGURES = [
    Figure("load", "first load, 20 k rows a commit", "rows/s", rounds=1, warm_up=0, writes=True),
    Figure("get-present", "get, key present", "rows/s", rounds=10, warm_up=20),
    Figure("get-absent", "get, key absent", "rows/s", rounds=10, warm_up=20),
    Figure(
        "update",
        "read-modify-write, 20 k a batch, with commit",
        "rows/s",
        rounds=50,
        warm_up=15,
        writes=True,
    ),
    Figure("scan", "full scan", "rows/s", rounds=5, warm_up=4),
    Figure(
        "scan-prefix", "prefix scans of 10 rows", "scans/s", rounds=10, warm_up=15, store="prefix"
    ),
    Figure("reopen", "reopen in a new process", "ms", rounds=1, warm_up=0, processes=3),
    Figure(
        "reopen-cold",
        "the same as the process's first act",
        "ms",
        rounds=1,
        warm_up=0,
        processes=3,
    ),
]


def cases() -> Iterator[Case]:
    """Every cell; whoever goes first in one figure goes last in the next."""
    for mode in MODES:
        for index, figure in enumerate(FIGURES):
            shift = index % len(PROVIDERS)
            for provider in PROVIDERS[shift:] + PROVIDERS[:shift]:
                if provider.figures is None or figure.name in provider.figures:
                    yield Case(mode, figure, provider)
