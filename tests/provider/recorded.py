"""What queries gave under RocksDB's store: digests, so that it need not run beside ours each time.

They are of one release of Spark. `make soak` compares them with RocksDB's store itself; with
``GROUNDSWELL_RECORD=1`` it writes them (in one process).
"""

from __future__ import annotations

import hashlib
import json

import pyspark

from conftest import ROOT
from provider.replay import Replay

FILE = ROOT / "tests" / "fixtures" / "rocksdb" / f"spark-{pyspark.__version__}.json"


def digest(run: Replay, *more: object) -> str:
    """Of the rows of each batch, and of what else is said of the run."""
    shown = repr((sorted(run.rows.items()), *more))
    return hashlib.sha256(shown.encode()).hexdigest()


def recorded() -> dict[str, str]:
    """Digests by the name of the case; none of a release that nobody recorded."""
    found: dict[str, str] = json.loads(FILE.read_text("utf-8")) if FILE.is_file() else {}
    return found


def record(name: str, found: str) -> None:
    """Writes the digest of one case."""
    FILE.parent.mkdir(exist_ok=True)
    told = {**recorded(), name: found}
    FILE.write_text(json.dumps(dict(sorted(told.items())), indent=1) + "\n", "utf-8")
