"""Unpacks LZ4 blocks (the raw block format, without LZ4's frames).

By pyarrow's codec where pyarrow is installed, which takes a hundredth of the time.
"""

from functools import cache
from typing import Any

from groundswell.errors import Corruption

MIN_MATCH = 4


def unpack(what: str, packed: bytes, length: int) -> bytes:
    """The ``length`` bytes that ``packed`` stands for; `Corruption` if it stands for none."""
    codec = _codec()
    if codec is None:
        return unpack_in_python(what, packed, length)
    found = _unpacked(codec, packed, length)
    if found is None:
        raise Corruption(f"{what}: cannot be decompressed into {length} bytes")
    # what fits into less is shorter: the codec fills up what it was not given
    if length and _unpacked(codec, packed, length - 1) is not None:
        raise Corruption(f"{what}: decompresses to fewer than {length} bytes")
    return found


@cache
def _codec() -> Any:
    """The codec; None: pyarrow is not installed."""
    try:
        import pyarrow
    except ImportError:
        return None
    return pyarrow.Codec("lz4_raw")


def _unpacked(codec: Any, packed: bytes, room: int) -> bytes | None:
    """The bytes of a block, filled up to some room; None: it is damaged, or has more."""
    try:
        found: bytes = codec.decompress(packed, room, asbytes=True)
    except OSError:
        return None
    return found


def unpack_in_python(what: str, packed: bytes, length: int) -> bytes:
    """As :func:`unpack`, without pyarrow."""
    out = bytearray()
    try:
        _unpack_into(out, packed, length)
    except (IndexError, ValueError) as error:
        raise Corruption(f"{what}: cannot be decompressed: {error}") from error
    if len(out) != length:
        raise Corruption(f"{what}: decompresses to {len(out)} bytes instead of {length}")
    return bytes(out)


def _unpack_into(out: bytearray, packed: bytes, limit: int) -> None:
    at = 0
    while at < len(packed):
        token = packed[at]
        literals, at = _length(packed, at + 1, token >> 4)
        if at + literals > len(packed) or len(out) + literals > limit:
            raise ValueError("literals reach beyond the end")
        out += packed[at : at + literals]
        at += literals
        if at == len(packed):
            return  # the last sequence has no match
        distance = packed[at] | packed[at + 1] << 8
        match, at = _length(packed, at + 2, token & 15)
        match += MIN_MATCH
        if not 0 < distance <= len(out) or len(out) + match > limit:
            raise ValueError("a match reaches beyond the ends")
        start = len(out) - distance
        if distance >= match:
            out += out[start : start + match]
        else:  # it overlaps what it makes: the pattern repeats
            pattern = bytes(out[start:])
            out += (pattern * (match // distance + 1))[:match]


def _length(packed: bytes, at: int, nibble: int) -> tuple[int, int]:
    length = nibble
    if nibble == 15:
        while True:
            more = packed[at]
            at += 1
            length += more
            if more != 255:
                break
    return length, at
