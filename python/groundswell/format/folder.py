"""Where a store's objects are: whatever can list names and read ranges."""

from pathlib import Path
from typing import Protocol

from groundswell.errors import Corruption, VersionUnavailable


class Folder(Protocol):
    """A folder of immutable objects, local or remote."""

    location: str

    def names(self) -> list[str]:
        """Names of all objects directly in it."""
        ...

    def length(self, name: str) -> int:
        """An object's length in bytes."""
        ...

    def read(self, name: str, offset: int, length: int) -> bytes:
        """Exactly ``length`` bytes from ``offset`` on."""
        ...


class LocalFolder:
    """A folder of a local file system."""

    def __init__(self, path: str | Path) -> None:
        self._path = Path(path)
        self.location = str(path)

    def names(self) -> list[str]:
        """Names of all files in it; none if it does not exist."""
        if not self._path.is_dir():
            return []
        return sorted(entry.name for entry in self._path.iterdir() if entry.is_file())

    def length(self, name: str) -> int:
        """A file's length; `VersionUnavailable` if it is missing."""
        try:
            return (self._path / name).stat().st_size
        except FileNotFoundError as error:
            raise self._missing(name) from error

    def read(self, name: str, offset: int, length: int) -> bytes:
        """Some bytes; `VersionUnavailable` if the file is missing, `Corruption` if too short."""
        try:
            with (self._path / name).open("rb") as file:
                file.seek(offset)
                data = file.read(length)
        except FileNotFoundError as error:
            raise self._missing(name) from error
        if len(data) != length:
            raise Corruption(f"{self.location}/{name} is cut short: no {length} bytes at {offset}")
        return data

    def _missing(self, name: str) -> VersionUnavailable:
        return VersionUnavailable(f"{self.location}/{name} is missing: it was retired or deleted")
