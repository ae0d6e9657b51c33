"""Packs of epochs as Python reads them, written here by what docs/format.md says."""

from __future__ import annotations

import zlib
from pathlib import Path

import pytest

from groundswell.errors import Corruption, FormatTooNew, GroundswellError, VersionUnavailable
from groundswell.format import LocalFolder, States
from groundswell.format.epoch_packs import EpochPacks, is_packed, pack_of

ID = "001000000005deadbeef"
OLDER = "0010000000030000cafe"
NAME = f"{5:020d}-{ID}.pack"


def string(text: str) -> bytes:
    return bytes([len(text)]) + text.encode()


def pack(regions: dict[tuple[str, int], bytes], form: int = 1) -> bytes:
    """Each region needs this pack, and an older one."""
    data, index = b"", bytes([1]) + string(pack_of(OLDER)) + bytes([len(regions)])
    for (store, version), region in regions.items():
        index += string(store) + bytes([version, len(data), len(region), 2, 0, 3, 1, 9])
        data += region
    head = len(index).to_bytes(4, "big") + form.to_bytes(4, "big")
    head += zlib.crc32(index).to_bytes(4, "big")
    footer = head + zlib.crc32(head).to_bytes(4, "big") + b"GSWPACKS"
    return data + index + footer


@pytest.fixture
def state(tmp_path: Path) -> Path:
    (tmp_path / "_packs").mkdir()
    data = pack({("view-a/0", 7): b"first", ("aggregate-b/3", 2): b"second"})
    (tmp_path / "_packs" / NAME).write_bytes(data)
    return tmp_path


def test_an_id_tells_its_pack() -> None:
    assert is_packed(ID)
    assert pack_of(ID) == NAME
    assert not is_packed("019a1fead686f51d3d09")
    assert not is_packed(None)


def test_a_commit_is_a_part_of_its_pack(state: Path) -> None:
    store = States(LocalFolder(state)).store("aggregate-b", 3)
    name = f"{2:020d}-{ID}.commit"
    assert store.names() == [name]
    assert store.length(name) == 6
    assert store.whole(name) == b"second"
    assert store.read(NAME, 3, 4) == b"stse"
    found = EpochPacks(LocalFolder(state / "_packs")).commit("view-a/0", 7, ID)
    assert found.packs == (NAME, pack_of(OLDER))


def test_what_is_not_there_is_named(state: Path) -> None:
    stores = States(LocalFolder(state))
    with pytest.raises(VersionUnavailable, match=rf"_packs/{NAME} has no version 3 of aggregate-b"):
        stores.store("aggregate-b", 3).length(f"{3:020d}-{ID}.commit")
    with pytest.raises(VersionUnavailable, match=rf"_packs/{pack_of(OLDER)} is missing"):
        stores.store("aggregate-b", 3).length(f"{1:020d}-{OLDER}.commit")


def test_every_damaged_byte_of_the_end_is_told(state: Path) -> None:
    path = state / "_packs" / NAME
    whole = path.read_bytes()
    for at in range(len(b"firstsecond"), len(whole)):
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 0x10]) + whole[at + 1 :])
        with pytest.raises(Corruption, match=NAME):
            EpochPacks(LocalFolder(state / "_packs")).commits(NAME)
    for length in range(len(whole)):
        path.write_bytes(whole[:length])
        with pytest.raises(GroundswellError, match=NAME):
            EpochPacks(LocalFolder(state / "_packs")).commits(NAME)


def test_a_later_format_is_refused(state: Path) -> None:
    (state / "_packs" / NAME).write_bytes(pack({("view-a/0", 7): b"first"}, form=2))
    with pytest.raises(FormatTooNew, match="has format 2, this release reads up to 1"):
        EpochPacks(LocalFolder(state / "_packs")).commits(NAME)
