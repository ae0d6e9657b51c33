"""Where a store's objects are: whatever can list names and read ranges."""

from __future__ import annotations

from pathlib import Path
from typing import Protocol
from urllib.parse import unquote, urlsplit

from groundswell.errors import Corruption, VersionUnavailable
from groundswell.uris import check_no_password


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

    def whole(self, name: str) -> bytes:
        """All bytes of an object; for small ones."""
        ...

    def folders(self) -> list[str]:
        """Names of the folders directly in it."""
        ...

    def child(self, name: str) -> Folder:
        """The folder of that name in it, whether it is there or not."""
        ...


def where(folder: Folder, name: str) -> str:
    """Where an object is, for messages: in some folders not where its name has it."""
    found = getattr(folder, "where", None)
    return str(found(name)) if found else f"{folder.location}/{name}"


def open_folder(location: str | Path) -> Folder:
    """The folder at a path, or of a URI.

    ``file:`` is read directly, ``s3://`` (``s3a://`` means the same) through boto3, and ``hdfs://``,
    ``gs://``, ``abfss://`` and others through pyarrow, or else through fsspec.

    Raises:
        ConfigurationError: the URI has a password in it.
        InvalidArgument: nobody knows the scheme, or a package is missing.
        StorageFailed: the file system cannot be reached.
    """
    check_no_password(str(location))
    parts = urlsplit(str(location))
    if isinstance(location, Path) or not parts.scheme or len(parts.scheme) == 1:
        return LocalFolder(location)
    if parts.scheme == "file":
        return LocalFolder(unquote(parts.path))
    if parts.scheme in ("s3", "s3a", "s3n"):
        from groundswell.format.s3 import S3Folder  # boto3 is slow to import

        return S3Folder(parts.netloc, parts.path.strip("/"))
    from groundswell.format.arrow import open_uri  # pyarrow, too

    return open_uri(str(location))


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

    def whole(self, name: str) -> bytes:
        """A file's bytes; `VersionUnavailable` if it is missing."""
        return self.read(name, 0, self.length(name))

    def folders(self) -> list[str]:
        """Names of all folders in it; none if it does not exist."""
        if not self._path.is_dir():
            return []
        return sorted(entry.name for entry in self._path.iterdir() if entry.is_dir())

    def child(self, name: str) -> LocalFolder:
        """The folder of that name in it."""
        return LocalFolder(self._path / name)

    def _missing(self, name: str) -> VersionUnavailable:
        return VersionUnavailable(f"{self.location}/{name} is missing: it was retired or deleted")
