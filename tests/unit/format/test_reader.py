"""The reader without a JVM against files of format v1 and what is known to be in them."""

import json
import random
import shutil
import zlib
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pyarrow
import pytest

from groundswell import errors
from groundswell.format import Store, zstd
from groundswell.format.encoding import ByteReader
from groundswell.format.lz4 import unpack, unpack_in_python
from groundswell.format.reader import _row

FIXTURE = Path(__file__).resolve().parents[2] / "fixtures" / "format-v1"
EXPECTED = json.loads((FIXTURE / "expected.json").read_text())


def attempt(read: Callable[[], object]) -> tuple[object, str]:
    """What was read, or None and the message of the corruption."""
    try:
        return read(), ""
    except errors.Corruption as error:
        return None, str(error)


def read_for_ever(reader: ByteReader, chance: random.Random) -> None:
    while True:
        chance.choice([reader.varint, reader.blob, reader.zigzag, reader.string])()


def rows(store: Store, version: dict, table: dict) -> list[str]:
    scanned = store.version(version["version"], version["id"]).scan(table["name"])
    return [f"{row.hash} {row.key.hex()} {row.value.hex()} {row.epoch}" for row in scanned]


@pytest.mark.parametrize("version", EXPECTED["versions"], ids=lambda v: f"v{v['version']}")
def test_every_version_has_the_rows_that_were_written(version: dict) -> None:
    store = Store(FIXTURE)
    picture = store.version(version["version"]).manifest
    assert picture.id == version["id"]
    assert {t.name for t in picture.tables} == {t["name"] for t in version["tables"]}
    for table in version["tables"]:
        found = rows(store, version, table)
        assert sorted(found) == sorted(table["rows"])
        known = store.version(version["version"]).table(table["name"])
        assert known.ordered == (table["layout"] == "ORDERED")
        assert known.watermark.hex() == table["watermark"]
        assert known.live_keys == table["count"]  # dead rows included
        if known.ordered:
            keys = [row.split(" ")[1] for row in found]
            assert keys == sorted(keys)


def test_fixture_has_what_it_is_there_for() -> None:
    newest = Store(FIXTURE).version()
    files = [info for run in newest.manifest.runs for info in run]
    assert any(info.file.endswith(".sst") for info in files)
    assert any(
        info.tombstones
        for v in (2, 4)
        for run in Store(FIXTURE).version(v).manifest.runs
        for info in run
    )
    packings = {
        newest.properties(info)["compression"]
        for run in Store(FIXTURE).version(2).manifest.runs + newest.manifest.runs
        for info in run
    }
    assert packings == {b"\x00", b"\x01", b"\x02"}
    assert max(info.blocks for info in files) > 3
    assert Store(FIXTURE).version(4).manifest.safe_epoch == 2
    assert {table.ordered for table in newest.manifest.tables if table.watermark} == {True, False}
    assert newest.manifest.sub_levels
    assert sum(1 for level in newest.manifest.levels if level) > 1


@pytest.mark.parametrize(("number", "name"), [(5, "events"), (8, "marks")])
def test_rows_below_a_watermark_are_in_the_files_and_not_shown(number: int, name: str) -> None:
    version = Store(FIXTURE).version(number)
    table = version.table(name)
    assert table.watermark
    files = [info for run in version.manifest.runs for info in run]
    entries = [e for i in files for e in version._entries(i, table.id.to_bytes(2, "big"))]
    keys = {_row(table, entry.stem, b"", 0).key for entry in entries}
    shown = {row.key for row in version.scan(name)}
    assert shown == {key for key in keys if key >= table.watermark}
    assert shown < keys


def test_every_flipped_byte_of_a_commit_is_noticed_or_harmless(tmp_path: Path) -> None:
    for source in FIXTURE.iterdir():
        shutil.copy(source, tmp_path)
    version = EXPECTED["versions"][1]
    target = tmp_path / f"{version['version']:020d}-{version['id']}.commit"
    good = target.read_bytes()
    store = Store(tmp_path)

    def read() -> list[list[str]]:
        return [rows(store, version, table) for table in version["tables"]]

    right = read()
    noticed = 0
    for i in range(0, len(good), 3):
        target.write_bytes(good[:i] + bytes([good[i] ^ 1 << i % 8]) + good[i + 1 :])
        found, error = attempt(read)
        assert found == right or target.name in error
        noticed += found is None
    # filter and properties are not read by a scan
    assert noticed > len(good) / 3 / 2


def test_truncated_missing_and_newer_files_are_named(tmp_path: Path) -> None:
    for source in FIXTURE.glob("*1-*.commit"):
        shutil.copy(source, tmp_path)
    (target,) = tmp_path.iterdir()
    good = target.read_bytes()
    for length in (0, 10, 40, len(good) - 1):
        target.write_bytes(good[:length])
        with pytest.raises(errors.Corruption, match=target.name):
            Store(tmp_path).version()
    newer = bytearray(good)
    newer[-16:-12] = (7).to_bytes(4, "big")
    newer[-12:-8] = zlib.crc32(newer[-32:-12]).to_bytes(4, "big")
    target.write_bytes(newer)
    with pytest.raises(errors.FormatTooNew, match="format 7"):
        Store(tmp_path).version()
    target.unlink()
    with pytest.raises(errors.VersionUnavailable, match="it has none"):
        Store(tmp_path).version()
    with pytest.raises(errors.VersionUnavailable, match="no version 99"):
        Store(FIXTURE).version(99)
    with pytest.raises(errors.InvalidArgument, match="no table 'nope'"):
        next(Store(FIXTURE).version().scan("nope"))


def test_any_bytes_give_values_or_corruption() -> None:
    seed = random.randrange(1 << 32)
    print("seed", seed)
    chance = random.Random(seed)
    for _ in range(2000):
        data = chance.randbytes(chance.randrange(30))
        with pytest.raises(errors.Corruption, match="file x"):
            read_for_ever(ByteReader("file x", data), chance)
        for codec in (unpack, unpack_in_python, zstd.unpack):
            found, error = attempt(partial(codec, "file x", data, 50))
            assert "file x" in error if found is None else len(found) == 50


@pytest.mark.parametrize("codec", [unpack, unpack_in_python])
def test_lz4_repeats_overlapping_matches(codec: Callable[[str, bytes, int], bytes]) -> None:
    # one literal "a", then a match of 19 at distance 1; then the literal "b"
    last = b"bcdef"
    packed = bytes([0x1F, ord("a"), 1, 0, 0, len(last) << 4]) + last
    assert codec("x", packed, 25) == b"a" * 20 + last


@pytest.mark.parametrize("codec", [unpack, unpack_in_python])
def test_lz4_needs_exactly_the_length_that_was_packed(
    codec: Callable[[str, bytes, int], bytes],
) -> None:
    packed = pyarrow.Codec("lz4_raw").compress(b"abc" * 100, asbytes=True)
    assert codec("x", packed, 300) == b"abc" * 100
    for length in (0, 299, 301, 1000):
        with pytest.raises(errors.Corruption, match="x: "):
            codec("x", packed, length)


def test_zstd_needs_exactly_the_length_that_was_packed() -> None:
    packed = pyarrow.compress(b"a" * 1000, "zstd", asbytes=True)
    assert zstd.unpack("x", packed, 1000) == b"a" * 1000
    for length in (0, 999, 1001):
        with pytest.raises(errors.Corruption, match="x: "):
            zstd.unpack("x", packed, length)
