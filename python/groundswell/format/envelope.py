"""The envelope of every document: what it is, of which format, and a checksum of all its bytes.

A document is one JSON object in UTF-8, written in this order::

    {"magic":"groundswell","formatVersion":2,"kind":"epoch","content":{...},"checksum":"0a1b2c3d"}

The checksum is CRC-32 of all bytes before its own digits; nothing follows it but ``"}``. The place
of magic, version and checksum never changes, so every release can tell a damaged document from one
of a later release. Release 0.1 wrote the content alone, with ``formatVersion`` 1 among its keys.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Mapping
from typing import Any

from groundswell.errors import Corruption, FormatTooNew

FORMAT_VERSION = 2
"""Of what releases before can read, too."""
PACKED_VERSION = 3
"""Of epochs of large locations, and of what they are told against."""
SHARED_VERSION = 4
"""Of the same and of epochs, where commits are in packs."""
RESCALED_VERSION = 5
"""Of the same after a rescale, whose states stand elsewhere."""
COLUMNS_VERSION = 6
"""Of a definition with tables that have got other columns."""
LOADING_VERSION = 7
"""Of an epoch that has a part of a first load, which earlier releases would show."""
NEWEST_VERSION = LOADING_VERSION
"""The greatest that is read."""
PLAIN_VERSION = 1
"""Of documents without an envelope."""

_HEAD = b'{"magic":"groundswell","formatVersion":'
_LABEL = b',"checksum":"'
_END = b'"}'
_DIGITS = 8
_TAIL = len(_LABEL) + _DIGITS + len(_END)


def seal(kind: str, content: Mapping[str, Any], version: int = FORMAT_VERSION) -> bytes:
    """A document's bytes.

    Args:
        kind: what it is: ``epoch``, ``definition``, ``table``, ...
        content: what it says; JSON values.
        version: of the format, that releases refuse which cannot read it.
    """
    told = json.dumps(content, ensure_ascii=False, separators=(",", ":"))
    body = _HEAD + f'{version},"kind":"{kind}","content":{told}'.encode() + _LABEL
    return body + _checksum(body) + _END


def unseal(where: str, data: bytes, kind: str) -> dict[str, Any]:
    """What a document says, checked; those of older releases, too.

    Args:
        where: the file, for messages.
        data: all of its bytes.
        kind: what it should be.

    Raises:
        Corruption: if a byte is not as it was written, or it is another kind of document.
        FormatTooNew: if a later release wrote it.
    """
    if not data.startswith(_HEAD):
        return _plain(where, data)
    body = data[: -_DIGITS - len(_END)]
    if not body.endswith(_LABEL) or data[len(body) :] != _checksum(body) + _END:
        raise _damaged(where, f"the checksum of its {len(data)} bytes differs")
    document = json.loads(data)
    version = document["formatVersion"]
    if version > NEWEST_VERSION:
        raise _too_new(where, version)
    if document["kind"] != kind:
        raise _damaged(where, f"it is of kind {document['kind']}, not {kind}")
    content: dict[str, Any] = document["content"]
    return content


def is_sealed(data: bytes) -> bool:
    """Whether it has an envelope; else an older release wrote it, or it is damaged."""
    return data.startswith(_HEAD)


def _plain(where: str, data: bytes) -> dict[str, Any]:
    try:
        document = json.loads(data)
        version = document["formatVersion"]
    except (ValueError, TypeError, KeyError) as e:
        raise _damaged(where, f"{e!r} in {data[:80]!r}") from e
    if version != PLAIN_VERSION:
        raise _damaged(where, f"format {version!r} without an envelope, {data[:80]!r}")
    assert isinstance(document, dict)
    return document


def _checksum(body: bytes) -> bytes:
    return f"{zlib.crc32(body):08x}".encode()


def _damaged(where: str, why: str) -> Corruption:
    return Corruption(
        f"{where} is not what was written: {why}. Restore the file, or start with another "
        "checkpointLocation"
    )


def _too_new(where: str, version: int) -> FormatTooNew:
    return FormatTooNew(
        f"{where} has format {version}, this release reads up to {NEWEST_VERSION}. Use the "
        "release that wrote it, or a later one"
    )
