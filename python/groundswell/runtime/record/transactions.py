"""Names of what belongs to transactions over several tables, see ``runtime/transactions``."""

from __future__ import annotations

import re

TRANSACTIONS = "transactions"
KIND = "transaction"
COMMIT = "commit-"

_FILE = re.compile(r"\d{20}-t([0-9a-f]{12})-\d{5}\.parquet")
_COMMIT = re.compile(rf"{COMMIT}\d{{20}}-([0-9a-f]{{12}})\.json")


def commit_name(nanos: int, id_: str) -> str:
    """Of the document that makes a transaction count; they sort by their times."""
    return f"{COMMIT}{nanos:020d}-{id_}.json"


def file_name(nanos: int, id_: str, number: int) -> str:
    """Of a transaction's file in its table: the JVM's ``FileOrder`` reads the commit's time."""
    return f"{nanos:020d}-t{id_}-{number:05d}.parquet"


def id_of(name: str) -> str | None:
    """The transaction of a commit's document, or of a file of a table; None: of none."""
    found = _FILE.fullmatch(name) or _COMMIT.fullmatch(name)
    return None if found is None else found[1]
