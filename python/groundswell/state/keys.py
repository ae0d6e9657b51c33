"""Undoes the key encodings of the JVM adapter: user key -> bytes of Spark's key row.

================================  ==================================================================
Spark's encoder                   user key
================================  ==================================================================
NoPrefixKeyStateEncoderSpec       the row
PrefixKeyScanStateEncoderSpec     head row | tail | trailer (4): twice the head's length, + 1 if the
                                  tail begins with null bits
RangeKeyScanStateEncoderSpec,     ordering columns (marker and value each) | the row
TimestampAsPrefix...
TimestampAsPostfix...             row of the other columns | time (8, big-endian, sign flipped)
================================  ==================================================================
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from groundswell.errors import Corruption, InvalidArgument
from groundswell.state.types import is_fixed, width_of

Decoder = Callable[[bytes], bytes]
TRAILER = 4
WORD = 8
SIGN = 1 << 63


def decoder(schema: Any, encoder: Any | None, prefix_columns: int) -> Decoder:
    """How to get the key row back.

    Args:
        schema: the key's struct.
        encoder: what Spark's v3 schema file says; None for operators without column families.
        prefix_columns: of such an operator, by its metadata; 0 for plain keys.

    Raises:
        InvalidArgument: the encoder is not known.
    """
    kind = (encoder or {}).get("keyStateEncoderType")
    if kind == "PrefixKeyScanStateEncoderSpec" and encoder:
        prefix_columns = int(encoder["numColsPrefixKey"])
    if kind in (None, "NoPrefixKeyStateEncoderSpec", "PrefixKeyScanStateEncoderSpec"):
        if not prefix_columns:
            return lambda key: key
        splitter = _Splitter(schema, prefix_columns)
        return splitter.from_prefix_key
    if kind == "RangeKeyScanStateEncoderSpec" and encoder:
        ordinals = [int(i) for i in encoder["orderingOrdinals"]]
    elif kind == "TimestampAsPrefixKeyStateEncoderSpec":
        ordinals = [len(schema["fields"]) - 1]
    elif kind == "TimestampAsPostfixKeyStateEncoderSpec":
        return _Splitter(schema, len(schema["fields"]) - 1).from_time_key
    else:
        raise InvalidArgument(
            f"keys of encoder {kind} cannot be decoded here; raw=True gives their bytes"
        )
    ordered = sum(1 + width_of(schema["fields"][i]["type"]) for i in ordinals)
    return lambda key: key[ordered:]


class _Splitter:
    """Joins a row of the first columns and the rest to one row."""

    def __init__(self, schema: Any, head: int) -> None:
        self.variable = [not is_fixed(f["type"]) for f in schema["fields"][:head]]
        self.head, self.fields = head, len(schema["fields"])
        self.tail = self.fields - head
        self.head_fixed = _bits(head) + WORD * head
        self.fixed = _bits(self.fields) + WORD * self.fields

    def from_prefix_key(self, key: bytes) -> bytes:
        trailer = int.from_bytes(key[-TRAILER:], "big")
        length = trailer >> 1
        if len(key) < self.head_fixed + TRAILER or length > len(key) - TRAILER:
            raise Corruption(f"a key of {len(key)} bytes does not have a head of {length}")
        return self.join(key[:length], key[length:-TRAILER], bool(trailer & 1))

    def from_time_key(self, key: bytes) -> bytes:
        if len(key) < self.head_fixed + WORD:
            raise Corruption(f"a key of {len(key)} bytes is too short for its time")
        time = int.from_bytes(key[-WORD:], "big") ^ SIGN
        return self.join(key[:-WORD], time.to_bytes(WORD, "little"), False)

    def join(self, head: bytes, tail: bytes, has_nulls: bool) -> bytes:
        nulls = int.from_bytes(head[: _bits(self.head)], "little")
        words = 0
        if has_nulls:
            words = _bits(self.tail)
            nulls |= int.from_bytes(tail[:words], "little") << self.head
        out = bytearray(nulls.to_bytes(_bits(self.fields), "little"))
        for i, variable in enumerate(self.variable):
            at = _bits(self.head) + WORD * i
            word = int.from_bytes(head[at : at + WORD], "little")
            if variable and word:
                word += (self.fixed - self.head_fixed) << 32
            out += word.to_bytes(WORD, "little")
        end = words + WORD * self.tail
        return bytes(out + tail[words:end] + head[self.head_fixed :] + tail[end:])


def _bits(fields: int) -> int:
    return (fields + 63) // 64 * WORD
