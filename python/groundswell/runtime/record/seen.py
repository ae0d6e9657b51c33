"""Folders of which each thing is asked once: for a decision, which is about one moment."""

from __future__ import annotations

from groundswell.runtime.record.location import Folder


class Seen:
    """A folder as it was when something in it was first asked for; nothing is written through it.

    On object stores each listing and each object is a request, and a start asks for the same ones
    in many places.
    """

    def __init__(self, folder: Folder) -> None:
        self._folder = folder
        self._names: list[str] | None = None
        self._objects: dict[str, bytes | None] = {}
        self._children: dict[str, Seen] = {}

    @property
    def location(self) -> str:
        """Path or URI, for messages."""
        return self._folder.location

    def read(self, name: str) -> bytes | None:
        """The object's bytes, or None if there is none."""
        if name not in self._objects:
            self._objects[name] = self._folder.read(name)
        return self._objects[name]

    def names(self, prefix: str = "") -> list[str]:
        """Names of the objects directly in this folder, ascending."""
        if self._names is None:
            self._names = self._folder.names()
        return [name for name in self._names if name.startswith(prefix)]

    def child(self, name: str) -> Seen:
        """The folder of that name in this one."""
        if name not in self._children:
            self._children[name] = Seen(self._folder.child(name))
        return self._children[name]

    def put(self, name: str, _data: bytes) -> None:
        """Raises TypeError: who decides does not write."""
        raise self._refused(name)

    def put_new(self, name: str, _data: bytes) -> bool:
        """Raises TypeError, too."""
        raise self._refused(name)

    def delete(self, name: str) -> bool:
        """Raises TypeError, too."""
        raise self._refused(name)

    def _refused(self, name: str) -> TypeError:
        return TypeError(f"{self.location}/{name} is to be changed by who only looks")


class Listed:
    """A folder that is listed once: what others write there meanwhile is seen the next time."""

    def __init__(self, folder: Folder) -> None:
        self._folder = folder
        self._names: list[str] | None = None

    @property
    def location(self) -> str:
        """Path or URI, for messages."""
        return self._folder.location

    def read(self, name: str) -> bytes | None:
        """The object's bytes, or None if there is none."""
        return self._folder.read(name)

    def names(self, prefix: str = "") -> list[str]:
        """Names of the objects directly in this folder, ascending."""
        if self._names is None:
            self._names = self._folder.names()
        return [name for name in self._names if name.startswith(prefix)]

    def put(self, name: str, data: bytes) -> None:
        """Writes an object."""
        self._names = None
        self._folder.put(name, data)

    def put_new(self, name: str, data: bytes) -> bool:
        """Writes an object unless there is one of that name; False if there is another."""
        self._names = None
        return self._folder.put_new(name, data)

    def delete(self, name: str) -> bool:
        """Removes an object; False if there was none."""
        if self._names is not None and name in self._names:
            self._names.remove(name)
        return self._folder.delete(name)

    def child(self, name: str) -> Folder:
        """The folder of that name in this one."""
        return self._folder.child(name)
