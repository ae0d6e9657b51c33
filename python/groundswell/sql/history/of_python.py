"""Pipelines that a Python program defines, as SQL reads them: views, and no statements."""

from __future__ import annotations

from groundswell.runtime.record.epochs import EpochLog
from groundswell.runtime.record.location import EPOCHS, Folder
from groundswell.sql.history import log as logs
from groundswell.sql.parsing import statements as s

TEXT = "-- defined in Python"


def contents(home: Folder) -> logs.Contents:
    """The views of the newest epoch.

    Args:
        home: the pipeline's folder in its location.
    """
    log = EpochLog(home.child(EPOCHS))
    epochs = log.epochs()
    views = log.get(epochs[-1]).views if epochs else ()
    entry = logs.Entry(0, TEXT, "a Python program", "", "", ())
    return logs.Contents(
        None,
        {v.lower(): logs.Object(s.VIEW, v, entry, v, entry.number) for v in views},
        frozenset(),
    )
