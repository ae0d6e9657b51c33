"""Removes what processes that died have left in a location: after a day, or 30 days.

A day: objects that were being written, of documents and of Spark's logs; writes to tables that did
not come to their end, alone or in transactions, and those that barriers have taken in. 30 days:
closed slots of epochs, for a run that was stopped may go on as long (claims go with the next
claim). State that no epoch names is the business of :mod:`retention` and of the engine.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Mapping

from pyspark.sql import SparkSession

from groundswell import jvm
from groundswell.runtime.ownership.leases import LEASES
from groundswell.runtime.record.epochs import EpochLog
from groundswell.runtime.record.fills import FILLS
from groundswell.runtime.record.location import EPOCHS, FOLDER, OWNERS, TABLES, Folder
from groundswell.runtime.record.slots import Slot, slot_name, slot_of
from groundswell.runtime.record.table import ROWS, STAGING
from groundswell.runtime.record.transactions import COMMIT, TRANSACTIONS, id_of

DAY_MILLIS = 24 * 60 * 60 * 1000
CLOSED_MILLIS = 30 * DAY_MILLIS
EVERY_SECONDS = 3600.0
LOGS = ("offsets", "commits", "sources")


class Leftovers:
    """Looks at a location when it is called, at most once an hour.

    Args:
        spark: the session to look with.
        location: qualified.
        millis: tells the time, as the storage does.
        fills: removes the fills whose time is over.
    """

    def __init__(
        self,
        spark: SparkSession,
        location: str,
        millis: Callable[[], int] = lambda: time.time_ns() // 1_000_000,
        fills: Callable[[], None] = lambda: None,
    ) -> None:
        self._spark = spark
        self._location = location
        self._millis = millis
        self._fills = fills
        self._looked: float | None = None

    def __call__(self) -> None:
        """Looks if it is time."""
        if self._looked is None or time.monotonic() - self._looked > EVERY_SECONDS:
            self._looked = time.monotonic()
            self.look()

    def look(self) -> None:
        """Removes what is old enough."""
        root = jvm.JvmFolder.open(self._spark, self._location)
        home = root.child(FOLDER)
        before = self._millis() - DAY_MILLIS
        there = jvm.folders(self._spark, home.location)  # each other one is a request or three
        names = jvm.folders(self._spark, f"{home.location}/{TABLES}") if TABLES in there else []
        tables = [home.child(TABLES).child(name) for name in names]
        folders = (home, *map(home.child, (EPOCHS, OWNERS, LEASES)), *tables)
        for folder in folders:
            folder.sweep(before)
        for log in LOGS:
            tree = jvm.FileTree(self._spark, f"{root.location}/{log}")
            tree.delete(tree.files(r"\..+\.tmp", before))
        for table in tables:
            for name in jvm.folders(self._spark, f"{table.location}/{STAGING}"):
                tree = jvm.FileTree(self._spark, f"{table.location}/{STAGING}/{name}")
                if tree.last_change() < before:
                    tree.clear()
            rows = jvm.FileTree(self._spark, f"{table.location}/{ROWS}")
            if old := rows.files(r".+\.parquet", before):
                name = table.location.rsplit("/", 1)[1]
                gone = taken(root.child("sources").child(name))
                rows.delete([uri for uri in old if uri.rsplit("/", 1)[1] in gone])
        if TRANSACTIONS in there:
            self._transactions(home.child(TRANSACTIONS), before)
        self._closed(home)
        if FILLS in there:
            self._fills()

    def _transactions(self, folder: jvm.JvmFolder, before: int) -> None:
        """What was staged for transactions that nobody will commit; the last look is at commits."""
        old = {}
        for name in jvm.folders(self._spark, folder.location):
            tree = jvm.FileTree(self._spark, f"{folder.location}/{name}")
            if tree.last_change() < before:
                old[name] = tree
        if old:
            committed = {id_of(name) for name in folder.names(COMMIT)}
            for name in old.keys() - committed:
                old[name].clear()

    def _closed(self, home: jvm.JvmFolder) -> None:
        folder = home.child(EPOCHS)
        old = {slot_of(n) for n in folder.names_before(self._millis() - CLOSED_MILLIS)}
        if not old:
            return
        log = EpochLog(folder)
        for epoch, token in sorted(filter(None, old & forgotten(log.slots(), log.counted()))):
            folder.delete(slot_name(epoch, token))


def taken(log: Folder) -> set[str]:
    """Names of the files that a barrier of the past has read, by Spark's log of a source.

    Spark deletes them when the next barrier begins, in a thread that a crash ends. The last two
    entries may be of barriers that are still to come.
    """
    entries = [entry for name in log.names() if (entry := name.split(".")[0]).isdecimal()]
    last = max(map(int, entries), default=0)
    found: set[str] = set()
    for name in log.names():
        lines = (log.read(name) or b"").splitlines()[1:] if name[:1].isdecimal() else []
        for document in map(json.loads, lines):
            if document["batchId"] < last - 1:
                found.add(document["path"].rsplit("/", 1)[1])
    return found


def forgotten(slots: Iterable[Slot], tokens: Mapping[int, int]) -> set[Slot]:
    """Slots that count for no epoch; whichever of them go, the others count as before.

    They were closed, or hold an epoch that a later owner has published again as its own.

    Args:
        slots: all that there are.
        tokens: by epoch the token that counts; empty before the first epoch.
    """
    return {slot for slot in slots if slot not in tokens.items()}
