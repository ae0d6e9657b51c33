"""Users of a pipeline: what they ask of it, how long they waited, and what they found wrong.

Run as a script: users in a process of their own. Arguments: the pipeline's location, the number of
the first user, the file whose appearance ends them, and the file that takes what they tell.
"""

from __future__ import annotations

import json
import sys
import threading
import time
import traceback
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession


@dataclass
class Told:
    """What users tell.

    Attributes:
        waits: by what was asked, the longest time it took, in seconds.
        asked: by what was asked, how often.
        inserted: ids of rows whose INSERT has returned.
        wrong: what was not as it must be.
    """

    waits: dict[str, float] = field(default_factory=dict)
    asked: dict[str, int] = field(default_factory=dict)
    inserted: list[int] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)


class User(threading.Thread):
    """Asks one thing after another, in a session of its own, until it is to end."""

    def __init__(self, spark: SparkSession, number: int, ends: Callable[[], bool]) -> None:
        super().__init__(name=f"user {number}", daemon=True)
        self.told = Told()
        self.at = ""
        self._spark = spark.newSession()
        self._first, self._ends = number * 1_000_000, ends

    def run(self) -> None:
        try:
            self._spark.sql("USE groundswell.p")
            self.turn()
            self.told.waits.clear()  # a process' first statements load its classes
            while not self._ends():
                self.turn()
        except BaseException:  # noqa: BLE001 - whatever it is, it is told
            self.told.wrong.append(f"{self.name}: {self.at}: {traceback.format_exc()[-2000:]}")

    def ask(self, what: str, call: Callable[[], Any]) -> Any:
        """Does something, and notes how long that took."""
        self.at, begun = what, time.monotonic()
        found = call()
        took = time.monotonic() - begun
        self.told.waits[what] = max(self.told.waits.get(what, 0.0), took)
        self.told.asked[what] = self.told.asked.get(what, 0) + 1
        return found

    def sql(self, what: str, text: str) -> list[Any]:
        found: list[Any] = self.ask(what, lambda: self._spark.sql(text).collect())
        return found

    def turn(self) -> None:
        """Writes, waits for the barrier, and reads what it wrote."""
        mine = self.told.inserted
        number = self._first + len(mine)
        self.sql("INSERT", f"INSERT INTO t VALUES ({number}, {number % 7})")
        mine.append(number)
        self.sql("FLUSH", "FLUSH")
        where = f"id >= {self._first} AND id < {self._first + 1_000_000}"
        ((count,),) = self.sql("SELECT", f"SELECT count(*) FROM all_rows WHERE {where}")
        ((groups,),) = self.sql("SELECT", "SELECT coalesce(sum(n), 0) FROM by_k")
        if count != len(mine) or groups < count:
            self.told.wrong.append(
                f"{self.name}: {len(mine)} rows were inserted and flushed, and all_rows has "
                f"{count}, by_k {groups}"
            )


def together(all_told: list[Told]) -> Told:
    """What all of them tell."""
    made = Told()
    for told in all_told:
        for what, took in told.waits.items():
            made.waits[what] = max(made.waits.get(what, 0.0), took)
            made.asked[what] = made.asked.get(what, 0) + told.asked[what]
        made.inserted += told.inserted
        made.wrong += told.wrong
    return made


def main(location: str, first: int, ends: Path, out: Path) -> None:
    from crash.rivals import session

    spark = session({})
    spark.sql(f"CREATE PIPELINE IF NOT EXISTS p LOCATION '{location}'")
    users = [User(spark, first + i, ends.exists) for i in range(2)]
    for user in users:
        user.start()
    out.with_suffix(".begun").touch()
    for user in users:
        user.join()
    out.write_text(json.dumps(asdict(together([user.told for user in users]))))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), Path(sys.argv[3]), Path(sys.argv[4]))
