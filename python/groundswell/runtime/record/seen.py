"""Folders of which each thing is asked once: a start asks for the same in many places.

On object stores each listing and each object is a request.
"""

from __future__ import annotations

from typing import Self

from groundswell.runtime.record.location import Folder


class Seen:
    """A folder as it was when something in it was first asked for; nothing is written through it.

    What was listed and is gone when it is read was removed since: the folder is listed anew then,
    for whoever goes on with what is there instead.
    """

    def __init__(self, folder: Folder) -> None:
        self._folder = folder
        self._names: set[str] | None = None
        self._objects: dict[str, bytes | None] = {}
        self._children: dict[str, Self] = {}

    @property
    def location(self) -> str:
        """Path or URI, for messages."""
        return self._folder.location

    def read(self, name: str) -> bytes | None:
        """The object's bytes, or None if there is none."""
        if name in self._objects:
            return self._objects[name]
        if self._names is not None and name not in self._names:
            return None
        data = self._folder.read(name)
        if data is None and self._names is not None:
            self._names = None
        else:
            self._objects[name] = data
        return data

    def names(self, prefix: str = "") -> list[str]:
        """Names of the objects directly in this folder, ascending."""
        if self._names is None:
            self._names = set(self._folder.names())
        return sorted(name for name in self._names if name.startswith(prefix))

    def child(self, name: str) -> Self:
        """The folder of that name in this one."""
        if name not in self._children:
            self._children[name] = type(self)(self._folder.child(name))
        return self._children[name]

    def put(self, name: str, data: bytes) -> None:  # noqa: ARG002 - as of any folder
        """Raises TypeError: who decides does not write."""
        raise self._refused(name)

    def put_new(self, name: str, data: bytes) -> bool:  # noqa: ARG002
        """Raises TypeError, too."""
        raise self._refused(name)

    def delete(self, name: str) -> bool:
        """Raises TypeError, too."""
        raise self._refused(name)

    def _refused(self, name: str) -> TypeError:
        return TypeError(f"{self.location}/{name} is to be changed by who only looks")


class Held(Seen):
    """A folder that only this run changes: its own changes are seen, those of others not.

    Where another one was first, :meth:`put_new` says so, and the folder is looked at anew.
    """

    def put(self, name: str, data: bytes) -> None:
        """Writes an object."""
        self._folder.put(name, data)
        self._note(name, data)

    def put_new(self, name: str, data: bytes) -> bool:
        """Writes an object unless there is one of that name; False if there is another."""
        created = self._folder.put_new(name, data)
        if created:
            self._note(name, data)
        else:
            self._names = None
            self._objects.pop(name, None)
        return created

    def delete(self, name: str) -> bool:
        """Removes an object; False if there was none."""
        self._objects[name] = None
        if self._names is not None:
            self._names.discard(name)
        return self._folder.delete(name)

    def _note(self, name: str, data: bytes) -> None:
        self._objects[name] = data
        if self._names is not None:
            self._names.add(name)
