"""A folder of which each thing is asked once."""

from __future__ import annotations

from collections import Counter

import pytest

from groundswell.runtime.record.seen import Held, Seen
from unit.runtime.folders import MemoryFolder


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
        assert seen.read("d1") is None
        assert seen.names() == ["a1", "b1"]
        assert seen.names("b") == ["b1"]
        assert seen.read("a1") == b"x"
        assert seen.read("c1") is None
        assert seen.child("inner").names("a") == ["a1"]
    assert asked == {"names": 2, "read a1": 1, "read d1": 1, "child": 1}, "the list has no c1"


def test_nothing_is_written_through_it() -> None:
    asked: Counter[str] = Counter()
    seen = Seen(Counting(asked))
    for change in (lambda: seen.put("a1", b""), lambda: seen.put_new("a1", b"")):
        with pytest.raises(TypeError, match="memory/a1"):
            change()
    with pytest.raises(TypeError):
        seen.delete("a1")
    assert not asked


def test_what_goes_between_listing_and_reading_is_listed_anew() -> None:
    folder = MemoryFolder()
    folder.put("definition-1", b"old")
    seen = Seen(folder)
    assert seen.names() == ["definition-1"]
    folder.delete("definition-1")
    folder.put("definition-2", b"new")
    assert seen.read("definition-1") is None
    assert seen.names() == ["definition-2"]
    assert seen.read("definition-2") == b"new"


def test_a_holder_sees_its_own_changes_without_asking() -> None:
    asked: list[str] = []
    folder = MemoryFolder(before=lambda what, name: asked.append(f"{what} {name}"))
    folder.put("a", b"1")
    asked.clear()
    held = Held(folder)
    assert held.names() == ["a"]
    held.put("b", b"2")
    assert held.put_new("c", b"3")
    assert held.delete("a")
    assert held.names() == ["b", "c"]
    assert [held.read(name) for name in ("a", "b", "c", "d")] == [None, b"2", b"3", None]
    assert asked == ["list ", "put b", "put c", "delete a"]
    assert folder.objects == {"b": b"2", "c": b"3"}


def test_a_holder_that_comes_second_sees_who_was_first() -> None:
    folder = MemoryFolder()
    held = Held(folder)
    assert held.names() == [] and held.read("a") is None
    folder.put("a", b"theirs")
    folder.put("b", b"theirs, too")
    assert not held.put_new("a", b"ours")
    assert held.read("a") == b"theirs"
    assert held.names() == ["a", "b"]
