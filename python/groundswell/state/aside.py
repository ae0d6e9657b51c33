"""The rows that targets of sinks refused, read without Spark."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from groundswell.errors import ConfigurationError
from groundswell.runtime.record.location import FOLDER
from groundswell.runtime.record.rows_aside import RowsAside
from groundswell.runtime.record.sinks import known_sinks
from groundswell.state.documents import open_documents
from groundswell.suggestions import meant


def rows_aside(path: str | Path, sink: str) -> list[dict[str, Any]]:
    """The rows that the target of a sink refused, with ``on_failure="set_aside"``.

    Args:
        path: the pipeline's checkpointLocation, as in :func:`read_state`.
        sink: name of the sink.

    Returns:
        One dictionary a row, oldest epoch first: ``epoch``, ``row`` (its columns as JSON has them)
        and ``error`` (what the target said). A row that was corrected since is still among them.

    Raises:
        ConfigurationError: no sink of that name was ever started there.

    Examples:
        >>> gs.rows_aside(location, "to_postgres")[0]["row"]["id"]  # doctest: +SKIP
        7
    """
    home = open_documents(path).child(FOLDER)
    ids = known_sinks(home).ids or {}
    if sink not in ids:
        raise ConfigurationError(
            f"{path}: there is no sink {sink!r}{meant(sink, ids)}"
            f"Its sinks are {', '.join(ids) or 'none'}"
        )
    return RowsAside(home, ids[sink], sink).rows()
