"""The parts of an SST: frames, data blocks, index, properties, footer."""

from collections.abc import Iterator
from typing import NamedTuple

from groundswell.errors import Corruption, FormatTooNew
from groundswell.format import lz4, zstd
from groundswell.format.encoding import ByteReader, expect_checksum, varint_at

FRAME_TRAILER = 5
PLAIN, LZ4, ZSTD = 0, 1, 2
UNPACKERS = {LZ4: lz4.unpack, ZSTD: zstd.unpack}
MAX_RATIO = 255

FOOTER_BYTES = 64
MAJOR = 1
MAGIC = 0x4753574C_53535489
RESTART_BYTES = 4
EPOCH_MASK = (1 << 64) - 1
EPOCH_BYTES = 8
ONE_BYTE = 0x80
"""Varints below it are a byte each."""


class Entry(NamedTuple):
    """One version of one row; ``stem`` is its internal key without the epoch."""

    stem: bytes
    epoch: int
    value: bytes | None
    """None: the row was deleted at that epoch."""


class Footer(NamedTuple):
    """Where the parts behind the data blocks are, counted from the section's first byte."""

    index_offset: int
    index_length: int
    filter_offset: int
    filter_length: int
    properties_offset: int
    properties_length: int
    section_length: int


def unframe(what: str, frame: bytes) -> bytes:
    """Checks a stored part and unpacks it."""
    if len(frame) < FRAME_TRAILER:
        raise Corruption(f"{what}: has {len(frame)} bytes; {FRAME_TRAILER} at least are wanted")
    expect_checksum(what, frame[:-4], int.from_bytes(frame[-4:], "big"))
    payload, compression = frame[:-FRAME_TRAILER], frame[-FRAME_TRAILER]
    if compression == PLAIN:
        return payload
    if compression not in UNPACKERS:
        raise Corruption(f"{what}: unknown compression {compression}")
    length = int.from_bytes(payload[:4], "big")
    if len(payload) < 4 or length > (len(payload) - 4) * MAX_RATIO:
        raise Corruption(f"{what}: claims {length} bytes compressed into {len(payload) - 4}")
    return UNPACKERS[compression](what, payload[4:], length)


def footer(what: str, data: bytes) -> Footer:
    """Reads an SST section's last 64 bytes."""
    reader = ByteReader(f"{what}, footer", data)
    offsets = Footer(*(reader.unsigned(width) for width in (8, 4, 8, 4, 8, 4, 8)))
    reader.raw(4)
    major, minor, stored = reader.unsigned(2), reader.unsigned(2), reader.unsigned(4)
    if reader.unsigned(8) != MAGIC:
        raise reader.corrupt("this is not an SST file: the magic number is missing")
    expect_checksum(reader.what, data[: FOOTER_BYTES - 12], stored)
    if major > MAJOR:
        raise FormatTooNew(
            f"{what} has format {major}.{minor}; this release reads up to {MAJOR}.x: upgrade it"
        )
    end = offsets.index_offset
    for start, length in (offsets[0:2], offsets[2:4], offsets[4:6]):
        if start != end:
            raise reader.corrupt(f"its parts do not lie one after the other: {offsets}")
        end = start + length
    if end + FOOTER_BYTES != offsets.section_length:
        raise reader.corrupt(f"its parts do not end where it does: {offsets}")
    return offsets


def properties(what: str, content: bytes) -> dict[str, bytes]:
    """What an SST says of itself, unknown names included; numbers are varints."""
    reader = ByteReader(f"{what}, properties", content)
    found = {}
    for _ in range(reader.count(reader.remaining())):
        name = reader.string()
        found[name] = reader.blob()
    reader.expect_end()
    return found


class IndexEntry(NamedTuple):
    """A data block: no entry of it is smaller than (stem, epoch), none before is not."""

    offset: int
    length: int
    stem: bytes
    epoch: int | None


def index(what: str, content: bytes) -> list[IndexEntry]:
    """The data blocks, in order."""
    reader = ByteReader(f"{what}, index", content)
    found = []
    at = offset = 0
    while at < len(content):
        try:
            tag, at = varint_at(content, at)
            stem = content[at : at + (tag >> 1)]
            at += tag >> 1
            epoch = None
            if tag & 1:
                epoch = int.from_bytes(content[at : at + EPOCH_BYTES], "big")
                at += EPOCH_BYTES
            length, at = varint_at(content, at)
        except (IndexError, OverflowError):
            reader.position = min(at, len(content))
            raise reader.corrupt("cut short, or a varint of too many bits") from None
        found.append(IndexEntry(offset, length, stem, epoch))
        offset += length
    return found


def entries(what: str, content: bytes) -> Iterator[Entry]:
    """The entries of a data block, in internal-key order."""
    reader = ByteReader(what, content)
    base_epoch = reader.unsigned(8)
    reader.raw(1)  # layout of the table: what it is good for, the catalogue knows as well
    restarts = int.from_bytes(content[-RESTART_BYTES:], "big")
    end = len(content) - RESTART_BYTES * (restarts + 1)
    at = reader.position
    if restarts < 1 or end < at:
        raise reader.corrupt(f"claims {restarts} restart points in {len(content)} bytes")
    stem = b""
    while at < end:
        try:
            shared = content[at]
            unshared = content[at + 1]
            tag = content[at + 2]
            if shared < ONE_BYTE and unshared < ONE_BYTE:
                at += 3
                if tag >= ONE_BYTE:
                    tag, at = varint_at(content, at - 1)
            else:
                shared, at = varint_at(content, at)
                unshared, at = varint_at(content, at)
                tag, at = varint_at(content, at)
            zigzag = content[at]
            at += 1
            if zigzag >= ONE_BYTE:
                zigzag, at = varint_at(content, at - 1)
        except (IndexError, OverflowError):
            reader.position = at
            raise reader.corrupt(
                "an entry is cut short, or has a varint of too many bits"
            ) from None
        length = tag >> 1
        middle = at + unshared
        after = middle + length
        if shared > len(stem) or after > end:
            reader.position = at
            raise reader.corrupt(
                "an entry shares more than there is"
                if shared > len(stem)
                else "an entry reaches beyond the block"
            )
        stem = stem[:shared] + content[at:middle]
        epoch = (base_epoch + ((zigzag >> 1) ^ -(zigzag & 1))) & EPOCH_MASK
        yield Entry(stem, epoch, None if tag & 1 else content[middle:after])
        at = after
