"""Names below a checkpoint location, and the documents in it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Protocol, TypeVar

from groundswell.errors import ConfigurationError
from groundswell.format.envelope import FORMAT_VERSION, is_sealed, seal, unseal
from groundswell.format.packs import GENERATION

DEFINITION = "definition"
EPOCHS = "epochs"
FOLDER = "groundswell"
OWNERS = "owners"
STATE = "state"
TABLES = "tables"
_OWNED = re.compile(r"-\d{20}\.json")


def no_pipeline(location: str) -> ConfigurationError:
    """The error for a folder in which no pipeline was ever started.

    Args:
        location: of the folder, as it was given.
    """
    return ConfigurationError(
        f"{location} is not the checkpointLocation of any view. Give the folder of a pipeline, as "
        "gs.pipeline(spark, folder) or CREATE PIPELINE ... LOCATION has it"
    )


class Folder(Protocol):
    """Immutable objects by name; a put becomes visible as a whole or not at all."""

    @property
    def location(self) -> str:
        """Path or URI, for messages."""

    def read(self, name: str) -> bytes | None:
        """The object's bytes, or None if there is none."""

    def put(self, name: str, data: bytes) -> None:
        """Writes an object."""

    def put_new(self, name: str, data: bytes) -> bool:
        """Writes an object unless there is one of that name; False if there is another."""

    def names(self, prefix: str = "") -> list[str]:
        """Names of the objects directly in this folder, ascending."""

    def delete(self, name: str) -> bool:
        """Removes an object; False if there was none."""

    def child(self, name: str) -> Folder:
        """The folder of that name in this one."""


class _Nested(Protocol):
    def child(self, name: str) -> Any: ...


_F = TypeVar("_F", bound=_Nested)


def state_path(generation: int) -> tuple[str, ...]:
    """The names of the folders, from the pipeline's own, that lead to the states of a generation.

    Args:
        generation: 0 for the states that the pipeline began with, one more or so after each
            rescale.
    """
    return (f"{GENERATION}{generation}", STATE) if generation else (STATE,)


def states_in(home: _F, generation: int) -> _F:
    """The folder of all states of a generation; ``home``: the pipeline's folder."""
    for name in state_path(generation):
        home = home.child(name)
    return home


def state_root(home: str, generation: int) -> str:
    """Location of what a generation's folder ``state`` is in; ``home``: the pipeline's folder."""
    return "/".join((home, *state_path(generation)[:-1]))


def numbered_name(number: int) -> str:
    """``7`` -> ``00000000000000000007.json``."""
    return f"{number:020d}.json"


def number_of(name: str) -> int | None:
    """The number of such a name, or None for a foreign file."""
    stem, dot, suffix = name.partition(".")
    return int(stem) if dot and suffix == "json" and len(stem) == 20 and stem.isdecimal() else None


def read_document(folder: Folder, name: str, kind: str) -> dict[str, Any] | None:
    """A document of ours, checked byte for byte; None if there is none.

    Raises:
        Corruption: if it is damaged, or of another kind.
        FormatTooNew: if a later release wrote it.
    """
    data = folder.read(name)
    return None if data is None else unseal(f"{folder.location}/{name}", data, kind)


def write_document(
    folder: Folder,
    name: str,
    kind: str,
    content: Mapping[str, Any],
    version: int = FORMAT_VERSION,
) -> None:
    """Publishes a document; in the place of one of that name, if there is one."""
    folder.put(name, seal(kind, content, version))


def tokens(home: Folder) -> list[int]:
    """Of the runs that have claimed a location; ``home``: the pipeline's folder."""
    stems = [name.removesuffix(".json") for name in home.child(OWNERS).names()]
    return [int(stem) for stem in stems if stem.isdecimal()]


class Owner(Protocol):
    """The claim of a run on a location; see :mod:`groundswell.runtime.ownership.takeover`."""

    @property
    def token(self) -> int:
        """Greater than those of all runs before."""

    def check(self) -> None:
        """Raises Fenced if another run has claimed the location since."""


def owned_name(stem: str, token: int) -> str:
    """Of a document that each owner writes for itself: ``("definition", 2)`` -> its name."""
    return f"{stem}-{token:020d}.json" if token else f"{stem}.json"


def owned_names(folder: Folder, stem: str) -> list[str]:
    """The documents of that stem, the last owner's last; that of release 0.1 has no token."""
    plain = f"{stem}.json"
    names = folder.names(stem)
    own = [n for n in names if _OWNED.fullmatch(n.removeprefix(stem))]
    return [plain, *own] if plain in names else own


def read_owned(folder: Folder, stem: str, kind: str) -> dict[str, Any] | None:
    """The last owner's document of that stem; None if there is none."""
    while names := owned_names(folder, stem):
        document = read_document(folder, names[-1], kind)
        if document is not None:
            return document  # else a later owner has written its own since, and removed this one
    return None


def upgrade(folder: Folder, name: str, kind: str) -> None:
    """Gives a document that an older release wrote the envelope of this one."""
    data = folder.read(name)
    if data is not None and not is_sealed(data):
        content = unseal(f"{folder.location}/{name}", data, kind)
        content.pop("formatVersion")
        write_document(folder, name, kind, content)
