"""A folder of which each thing is asked once."""

from __future__ import annotations

from collections import Counter

import pytest

from groundswell.runtime.record.seen import Seen


class Counting:
    """A folder with two objects that counts what it is asked for."""

    location = "memory"

    def __init__(self, asked: Counter[str]) -> None:
        self.asked = asked

    def read(self, name: str) -> bytes | None:
        self.asked[f"read {name}"] += 1
        return b"x" if name in ("a1", "b1") else None

    def names(self, prefix: str = "") -> list[str]:
        self.asked["names"] += 1
        return [name for name in ("a1", "b1") if name.startswith(prefix)]

    def child(self, name: str) -> Counting:
        self.asked["child"] += 1
        return Counting(self.asked)

    def put(self, name: str, data: bytes) -> None:
        self.asked["put"] += 1

    def put_new(self, name: str, data: bytes) -> bool:
        self.asked["put"] += 1
        return True

    def delete(self, name: str) -> bool:
        self.asked["delete"] += 1
        return True


def test_each_thing_is_asked_once_also_what_is_not_there() -> None:
    asked: Counter[str] = Counter()
    seen = Seen(Counting(asked))
    for _ in range(3):
        assert seen.names() == ["a1", "b1"]
        assert seen.names("b") == ["b1"]
        assert seen.read("a1") == b"x"
        assert seen.read("c1") is None
        assert seen.child("inner").names("a") == ["a1"]
    assert asked == {"names": 2, "read a1": 1, "read c1": 1, "child": 1}


def test_nothing_is_written_through_it() -> None:
    asked: Counter[str] = Counter()
    seen = Seen(Counting(asked))
    for change in (lambda: seen.put("a1", b""), lambda: seen.put_new("a1", b"")):
        with pytest.raises(TypeError, match="memory/a1"):
            change()
    with pytest.raises(TypeError):
        seen.delete("a1")
    assert not asked
