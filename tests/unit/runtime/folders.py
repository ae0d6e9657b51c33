"""A folder in memory, as the runtime wants one."""

from __future__ import annotations


class MemoryFolder:
    def __init__(self, location: str = "mem:/home") -> None:
        self.location = location
        self.objects: dict[str, bytes] = {}
        self.children: dict[str, MemoryFolder] = {}

    def read(self, name: str) -> bytes | None:
        return self.objects.get(name)

    def put(self, name: str, data: bytes) -> None:
        self.objects[name] = data

    def names(self, prefix: str = "") -> list[str]:
        return sorted(name for name in self.objects if name.startswith(prefix))

    def delete(self, name: str) -> bool:
        return self.objects.pop(name, None) is not None

    def child(self, name: str) -> MemoryFolder:
        return self.children.setdefault(name, MemoryFolder(f"{self.location}/{name}"))
