"""Names below a checkpoint location, and JSON documents in it."""

from __future__ import annotations

import json
from typing import Any, Protocol

from groundswell.errors import Corruption, FormatTooNew

FORMAT_VERSION = 1

DEFINITION = "definition.json"
EPOCHS = "epochs"
STATE = "state"


class Folder(Protocol):
    """Immutable objects by name; a put becomes visible as a whole or not at all."""

    @property
    def location(self) -> str:
        """Path or URI, for messages."""

    def read(self, name: str) -> bytes | None:
        """The object's bytes, or None if there is none."""

    def put(self, name: str, data: bytes) -> None:
        """Writes an object."""

    def names(self, prefix: str = "") -> list[str]:
        """Names of the objects directly in this folder, ascending."""

    def delete(self, name: str) -> bool:
        """Removes an object; False if there was none."""

    def child(self, name: str) -> Folder:
        """The folder of that name in this one."""


def epoch_name(epoch: int) -> str:
    """``7`` -> ``00000000000000000007.json``."""
    return f"{epoch:020d}.json"


def epoch_of(name: str) -> int | None:
    """The epoch of a manifest's name, or None for a foreign file."""
    stem, dot, suffix = name.partition(".")
    return int(stem) if dot and suffix == "json" and len(stem) == 20 and stem.isdecimal() else None


def read_json(folder: Folder, name: str) -> dict[str, Any] | None:
    """A document of ours, checked for its format version; None if there is none."""
    data = folder.read(name)
    if data is None:
        return None
    where = f"{folder.location}/{name}"
    try:
        document = json.loads(data)
        version = document["formatVersion"]
    except (ValueError, TypeError, KeyError) as e:
        raise Corruption(
            f"{where} is not a document of this library: {e!r} in {data[:80]!r}; "
            "restore the file, or start with another checkpointLocation"
        ) from e
    if not isinstance(version, int) or version > FORMAT_VERSION:
        raise FormatTooNew(
            f"{where} has format {version}, this release reads up to "
            f"{FORMAT_VERSION}; use the release that wrote it, or a later one"
        )
    assert isinstance(document, dict)
    return document


def write_json(folder: Folder, name: str, document: dict[str, Any]) -> None:
    """Publishes a document under the current format version."""
    body = {"formatVersion": FORMAT_VERSION, **document}
    folder.put(name, json.dumps(body, indent=1, ensure_ascii=False).encode())
