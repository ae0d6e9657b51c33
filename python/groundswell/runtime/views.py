"""Reading views back, in the process that keeps them or in any other."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from groundswell import jvm
from groundswell.errors import ConfigurationError
from groundswell.runtime import definition
from groundswell.runtime.epochs import EpochLog
from groundswell.runtime.location import EPOCHS, STATE, Folder

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

FOLDER = "groundswell"


def view_state(view: str) -> str:
    """Name of the state that holds a view."""
    return f"view-{view}"


def schema_json(layout: dict[str, Any]) -> str:
    """Spark's schema of a view, from the definition's layout."""
    return json.dumps(
        {
            "type": "struct",
            "fields": [
                {"name": c["name"], "type": c["type"], "nullable": c["nullable"], "metadata": {}}
                for c in layout["columns"]
            ],
        }
    )


def read_view(spark: SparkSession, location: str, name: str, epoch: int | None = None) -> DataFrame:
    """A view as it was after an epoch.

    Args:
        spark: the session to read with.
        location: the pipeline's checkpointLocation.
        name: the view's name.
        epoch: a published epoch that is still retained; default: the newest.

    Returns:
        A DataFrame; all that is read from it is of that one epoch.

    Raises:
        EpochUnavailable: if the epoch is not published (yet), or retired.
        ConfigurationError: if nothing was ever started there, or the view has another name.
    """
    folder: Folder = jvm.JvmFolder.open(spark, jvm.qualify(spark, location)).child(FOLDER)
    owner = definition.load(folder)
    if owner is None:
        raise ConfigurationError(f"{location} is not the checkpointLocation of any view")
    if name not in owner.layouts:
        raise ConfigurationError(
            f"{location} has no view {name!r}; its views are {', '.join(owner.layouts)}"
        )
    log = EpochLog(folder.child(EPOCHS))
    manifest = log.newest() if epoch is None else log.get(epoch)
    state = view_state(name)
    return jvm.view_rows(
        spark,
        f"{folder.location}/{STATE}/{state}",
        manifest.commits[state],
        schema_json(owner.layouts[name]),
    )
