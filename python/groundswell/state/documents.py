"""A pipeline's documents through the reader without a JVM."""

from __future__ import annotations

from groundswell.errors import VersionUnavailable
from groundswell.format import Folder


class Documents:
    """A read-only `groundswell.runtime.location.Folder` over a `groundswell.format.Folder`."""

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
