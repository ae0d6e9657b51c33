"""A pipeline's documents through the reader without a JVM."""

from __future__ import annotations

from pathlib import Path

from groundswell.errors import VersionUnavailable
from groundswell.format import Folder, open_folder
from groundswell.format.target import Target, open_target


class Documents:
    """A read-only folder of documents over a `groundswell.format.Folder`."""

    def __init__(self, folder: Folder) -> None:
        self._folder = folder

    @property
    def location(self) -> str:
        """Path or URI, for messages."""
        return self._folder.location

    def read(self, name: str) -> bytes | None:
        """The object's bytes, or None if there is none."""
        try:
            return self._folder.whole(name)
        except VersionUnavailable:
            return None

    def names(self, prefix: str = "") -> list[str]:
        """Names of the objects directly in this folder, ascending."""
        return [name for name in self._folder.names() if name.startswith(prefix)]

    def child(self, name: str) -> Documents:
        """The folder of that name in this one."""
        return Documents(self._folder.child(name))

    def put(self, name: str, data: bytes) -> None:
        """Refuses: state is read here, not written."""
        raise PermissionError(f"{self.location}/{name}: {len(data)} bytes; this is a reader")

    def put_new(self, name: str, data: bytes) -> bool:
        """Refuses: state is read here, not written."""
        raise PermissionError(f"{self.location}/{name}: {len(data)} bytes; this is a reader")

    def delete(self, name: str) -> bool:
        """Refuses: state is read here, not written."""
        raise PermissionError(f"{self.location}/{name}: this is a reader")


class WritableDocuments(Documents):
    """Documents that can be written, too: a reader's leases."""

    def __init__(self, folder: Folder, target: Target) -> None:
        super().__init__(folder)
        self._target = target

    def child(self, name: str) -> WritableDocuments:
        """The folder of that name in this one."""
        return WritableDocuments(self._folder.child(name), self._target.child(name))

    def put(self, name: str, data: bytes) -> None:
        """Writes an object."""
        self._target.put(name, data)

    def put_new(self, name: str, data: bytes) -> bool:
        """Writes an object unless there is one of that name; False if there is another."""
        return self._target.put_new(name, data)

    def delete(self, name: str) -> bool:
        """Removes an object; False if there was none."""
        return self._target.delete(name)


def open_documents(location: str | Path) -> WritableDocuments:
    """The documents at a path, or of a URI."""
    return WritableDocuments(open_folder(location), open_target(location))
