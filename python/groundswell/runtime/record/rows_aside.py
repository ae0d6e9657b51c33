"""The rows that a sink's target refused, with reasons: one document an epoch.

``<location>/groundswell/rows-aside/<id of the sink>/<epoch>.json``
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from groundswell.runtime.record.location import Folder, read_document, write_document

FOLDER = "rows-aside"
KIND = "rows-aside"


class Row(Protocol):
    """A row, and why it was refused."""

    @property
    def row(self) -> dict[str, Any]:
        """Its columns, as plain values."""

    @property
    def reason(self) -> str:
        """What the target said."""


class RowsAside:
    """The rows of one sink.

    Args:
        home: the pipeline's folder.
        sink_id: id of the sink.
        name: of the sink.
    """

    def __init__(self, home: Folder, sink_id: str, name: str) -> None:
        self._folder = home.child(FOLDER).child(sink_id)
        self._name = name
        self.count = 0
        """Of this run."""

    @property
    def folder(self) -> str:
        """Where they are, for messages."""
        return self._folder.location

    def put(self, epoch: int, refused: Sequence[Row]) -> None:
        """Keeps the rows of an epoch; the same epoch again replaces them."""
        rows = [{"row": each.row, "error": each.reason} for each in refused]
        document = {"sink": self._name, "epoch": epoch, "rows": rows}
        write_document(self._folder, f"{epoch:020d}.json", KIND, document)
        self.count += len(rows)

    def rows(self) -> list[dict[str, Any]]:
        """All rows, oldest first, each with ``epoch``, ``row`` and ``error``."""
        found = []
        for name in self._folder.names():
            document = read_document(self._folder, name, KIND) or {}
            found += [{"epoch": document["epoch"], **each} for each in document.get("rows", ())]
        return found
