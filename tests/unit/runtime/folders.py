"""A folder in memory, as the runtime wants one."""

from __future__ import annotations

from collections.abc import Callable

from groundswell.errors import Fenced


class Claim:
    """A claim on what a MemoryFolder holds."""

    def __init__(self, home: MemoryFolder) -> None:
        self.owners = home.child("owners")
        self.token = 1 + max((int(name[:20]) for name in self.owners.names()), default=0)
        assert self.owners.put_new(f"{self.token:020d}.json", b"")

    def check(self) -> None:
        if f"{self.token + 1:020d}.json" in self.owners.objects:
            raise Fenced(f"not {self.token} any more")


def _nothing(what: str, name: str) -> None:
    pass


class MemoryFolder:
    def __init__(
        self, location: str = "mem:/home", before: Callable[[str, str], None] | None = None
    ) -> None:
        self.location = location
        self.before: Callable[[str, str], None] = before or _nothing
        self.objects: dict[str, bytes] = {}
        self.children: dict[str, MemoryFolder] = {}

    def read(self, name: str) -> bytes | None:
        self.before("read", name)
        return self.objects.get(name)

    def put(self, name: str, data: bytes) -> None:
        self.before("put", name)
        self.objects[name] = data

    def put_new(self, name: str, data: bytes) -> bool:
        self.before("put", name)
        if name in self.objects:
            return False
        self.objects[name] = data
        return True

    def names(self, prefix: str = "") -> list[str]:
        self.before("list", prefix)
        known = list(self.objects)  # at once: epochs are retired on another thread
        return sorted(name for name in known if name.startswith(prefix))

    def delete(self, name: str) -> bool:
        self.before("delete", name)
        return self.objects.pop(name, None) is not None

    def child(self, name: str) -> MemoryFolder:
        made = MemoryFolder(f"{self.location}/{name}", self.before)
        return self.children.setdefault(name, made)
