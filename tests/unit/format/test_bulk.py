"""Entries of many blocks at once are those that are read one by one."""

import json
import random
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from groundswell import errors
from groundswell.format import Store, blocks, bulk, reader

FIXTURE = Path(__file__).resolve().parents[2] / "fixtures" / "format-v1"
VERSIONS = [v["version"] for v in json.loads((FIXTURE / "expected.json").read_text())["versions"]]
INTERVAL = 16


def varint(value: int) -> bytes:
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*out, value])


def block(entries: Sequence[blocks.Entry]) -> bytes:
    """A data block as docs/format.md has it."""
    base = entries[0].epoch
    out = bytearray(base.to_bytes(8, "big") + b"\0")
    restarts, last = [], b""
    for i, (stem, epoch, value) in enumerate(entries):
        shared = 0
        if i % INTERVAL == 0:
            restarts.append(len(out))
        else:
            while shared < min(len(stem), len(last)) and stem[shared] == last[shared]:
                shared += 1
        zigzag = (epoch - base) << 1 if epoch >= base else ((base - epoch) << 1) - 1
        tag = 1 if value is None else len(value) << 1
        out += varint(shared) + varint(len(stem) - shared) + varint(tag) + varint(zigzag)
        out += stem[shared:] + (value or b"")
        last = stem
    for at in (*restarts, len(restarts)):
        out += at.to_bytes(4, "big")
    return bytes(out)


def some_entries(chance: random.Random, longest: int) -> list[blocks.Entry]:
    stems = {bytes(chance.choices(b"\0ab\xff", k=chance.randrange(1, longest))) for _ in range(200)}
    found = []
    for stem in sorted(stems):
        for epoch in sorted({chance.randrange(1 << chance.choice([4, 40])) for _ in range(2)})[
            ::-1
        ]:
            size = chance.choice([0, 1, 40, 63, 64, 300, 20_000])
            value = None if chance.random() < 0.2 else chance.randbytes(size)
            found.append(blocks.Entry(stem, epoch, value))
    return found


def parted(chance: random.Random, entries: list[blocks.Entry]) -> list[bytes]:
    found = []
    while entries:
        size = chance.choice([1, 15, 16, 17, 32, 100])
        found.append(block(entries[:size]))
        entries = entries[size:]
    return found


@pytest.mark.parametrize("longest", [2, 12, 130, 900])
def test_blocks_at_once_have_the_entries_of_each(longest: int) -> None:
    seed = random.randrange(1 << 32)
    print("seed", seed)
    chance = random.Random(seed)
    wanted = some_entries(chance, longest)
    contents = parted(chance, wanted)
    names = [str(i) for i in range(len(contents))]
    found = bulk.entries(names, contents)
    assert found.stems.to_pylist() == [entry.stem for entry in wanted]
    assert found.values() == [entry.value for entry in wanted]
    newest: dict[bytes, bytes | None] = {}
    for entry in wanted:
        newest.setdefault(entry.stem, entry.value)
    rows = found.newest()
    shown = {stem: value for stem, value in newest.items() if value is not None}
    assert dict(zip(rows.stems.to_pylist(), rows.values(), strict=True)) == shown
    assert len(rows) == len(shown)


def attempt(read: Callable[[], Any]) -> tuple[Any, str]:
    """What was read, or None and the message of the corruption."""
    try:
        return read(), ""
    except errors.Corruption as error:
        return None, str(error)


def one_by_one(names: Sequence[str], contents: Sequence[bytes]) -> list[blocks.Entry]:
    return [entry for each in map(blocks.entries, names, contents) for entry in each]


def test_damaged_blocks_are_what_they_are_one_by_one() -> None:
    seed = random.randrange(1 << 32)
    print("seed", seed)
    chance = random.Random(seed)
    refused = 0
    for _ in range(300):
        contents = parted(chance, some_entries(chance, 12)[:60])
        at = chance.randrange(len(contents))
        damaged = bytearray(contents[at])
        damaged[chance.randrange(len(damaged))] ^= 1 << chance.randrange(8)
        contents[at] = bytes(damaged[: chance.choice([len(damaged), len(damaged) - 1])])
        names = [f"block {i}" for i in range(len(contents))]
        wanted, told = attempt(partial(one_by_one, names, contents))
        found, same = attempt(partial(bulk.entries, names, contents))
        assert same == told
        if wanted is None:
            refused += 1
        else:
            assert found.stems.to_pylist() == [entry.stem for entry in wanted]
            assert found.values() == [entry.value for entry in wanted]
    assert refused


@pytest.mark.parametrize("together", [1, 1000, reader.GROUP_BYTES])
def test_groups_of_a_version_have_its_rows(monkeypatch: pytest.MonkeyPatch, together: int) -> None:
    monkeypatch.setattr(reader, "GROUP_BYTES", together)
    groups = 0
    for number in VERSIONS:
        version = Store(FIXTURE).version(number)
        for table in version.manifest.tables:
            found = list(version.groups(table.name))
            groups += len(found)
            stems = [stem for each in found for stem in each.stems.to_pylist()]
            values = [value for each in found for value in each.values()]
            assert list(zip(stems, values, strict=True)) == list(version.stems(table.name))
    assert groups > len(VERSIONS)
