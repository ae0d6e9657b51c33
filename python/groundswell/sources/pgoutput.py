"""Decodes ``pgoutput``, version 1 of its protocol, without streaming. Pure.

https://www.postgresql.org/docs/current/protocol-logicalrep-message-formats.html
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, NamedTuple


class Unchanged:
    """The value of a column that was stored out of line (TOAST) and did not change."""

    def __repr__(self) -> str:
        return "UNCHANGED"


UNCHANGED: Final = Unchanged()
Cell = str | None | Unchanged
Cells = tuple[Cell, ...]


class PgColumn(NamedTuple):
    """A column of a relation: whether the key has it, its name, its type and type modifier."""

    key: bool
    name: str
    type: int
    modifier: int


@dataclass(frozen=True)
class Begin:
    """A transaction begins: where its commit record is, when it was, and its number."""

    commit: int
    micros: int
    xid: int


@dataclass(frozen=True)
class Commit:
    """A transaction ends; ``end`` is the first position behind its commit record."""

    commit: int
    end: int
    micros: int


@dataclass(frozen=True)
class Relation:
    """A table, sent before the first change of it and after its definition changed."""

    id: int
    schema: str
    table: str
    identity: str
    columns: tuple[PgColumn, ...]


@dataclass(frozen=True)
class Insert:
    """A new row."""

    relation: int
    new: Cells


@dataclass(frozen=True)
class Update:
    """A changed row. ``key``: the old key if it changed; ``old``: the old row if it is sent."""

    relation: int
    new: Cells
    key: Cells | None = None
    old: Cells | None = None


@dataclass(frozen=True)
class Delete:
    """A deleted row, by its key or as a whole."""

    relation: int
    key: Cells | None = None
    old: Cells | None = None


@dataclass(frozen=True)
class Truncate:
    """All rows of some tables are gone."""

    relations: tuple[int, ...]


@dataclass(frozen=True)
class Other:
    """A message that changes no row: Origin, Type, Message."""

    kind: str


Message = Begin | Commit | Relation | Insert | Update | Delete | Truncate | Other


class ProtocolError(ValueError):
    """Bytes that are no message of this protocol."""


def decode(data: bytes) -> Message:
    """One message.

    Args:
        data: the bytes of the message, with its first byte, the kind.

    Raises:
        ProtocolError: the kind is unknown, or the message ends too early.
    """
    kind = data[:1]
    try:
        decoder = _DECODERS.get(kind)
        if decoder is None:
            raise ProtocolError(f"pgoutput sent a message of kind {kind!r}, which is not known")
        return decoder(data)
    except (struct.error, IndexError, ValueError) as e:
        if isinstance(e, ProtocolError):
            raise
        raise ProtocolError(
            f"a message of kind {kind!r} with {len(data)} bytes is damaged: {e}"
        ) from e


_BEGIN = struct.Struct(">QqI")
_COMMIT = struct.Struct(">BQQq")
_INT16 = struct.Struct(">H")
_INT32 = struct.Struct(">I")
_COLUMN = struct.Struct(">Ii")
_TRUNCATE = struct.Struct(">IB")


def _begin(data: bytes) -> Begin:
    return Begin(*_BEGIN.unpack_from(data, 1))


def _commit(data: bytes) -> Commit:
    _, commit, end, micros = _COMMIT.unpack_from(data, 1)
    return Commit(commit, end, micros)


def _relation(data: bytes) -> Relation:
    (id_,) = _INT32.unpack_from(data, 1)
    schema, at = _text(data, 5)
    table, at = _text(data, at)
    identity = chr(data[at])
    (count,) = _INT16.unpack_from(data, at + 1)
    at += 3
    columns: list[PgColumn] = []
    for _ in range(count):
        key = bool(data[at] & 1)
        name, at = _text(data, at + 1)
        type_, modifier = _COLUMN.unpack_from(data, at)
        at += _COLUMN.size
        columns.append(PgColumn(key, name, type_, modifier))
    return Relation(id_, schema or "pg_catalog", table, identity, tuple(columns))


def _insert(data: bytes) -> Insert:
    _need(data, 5, b"N")
    return Insert(_relation_id(data), _cells(data, 6)[0])


def _update(data: bytes) -> Update:
    key = old = None
    at = 5
    if data[5:6] == b"K":
        key, at = _cells(data, 6)
    elif data[5:6] == b"O":
        old, at = _cells(data, 6)
    _need(data, at, b"N")
    return Update(_relation_id(data), _cells(data, at + 1)[0], key, old)


def _delete(data: bytes) -> Delete:
    cells, _ = _cells(data, 6)
    if data[5:6] == b"K":
        return Delete(_relation_id(data), key=cells)
    _need(data, 5, b"O")
    return Delete(_relation_id(data), old=cells)


def _truncate(data: bytes) -> Truncate:
    count, _ = _TRUNCATE.unpack_from(data, 1)
    return Truncate(struct.unpack_from(f">{count}I", data, 6))


def _other(data: bytes) -> Other:
    return Other(data[:1].decode("ascii"))


def _relation_id(data: bytes) -> int:
    (id_,) = _INT32.unpack_from(data, 1)
    return int(id_)


def _need(data: bytes, at: int, what: bytes) -> None:
    if data[at : at + 1] != what:
        raise ProtocolError(f"expected {what!r} at byte {at}, found {data[at : at + 1]!r}")


def _cells(data: bytes, at: int) -> tuple[Cells, int]:
    (count,) = _INT16.unpack_from(data, at)
    at += 2
    cells: list[Cell] = []
    for _ in range(count):
        kind = data[at]
        at += 1
        if kind == 0x74:  # t: text
            end = at + 4 + _INT32.unpack_from(data, at)[0]
            if end > len(data):
                raise ProtocolError(f"a value ends at byte {end} of {len(data)}")
            cells.append(data[at + 4 : end].decode("utf-8"))
            at = end
        elif kind == 0x6E:  # n: null
            cells.append(None)
        elif kind == 0x75:  # u: unchanged
            cells.append(UNCHANGED)
        else:
            raise ProtocolError(f"a value of kind {chr(kind)!r}: only text is asked for")
    return tuple(cells), at


def _text(data: bytes, at: int) -> tuple[str, int]:
    end = data.index(b"\0", at)
    return data[at:end].decode("utf-8"), end + 1


_DECODERS: dict[bytes, Callable[[bytes], Message]] = {
    b"B": _begin,
    b"C": _commit,
    b"R": _relation,
    b"I": _insert,
    b"U": _update,
    b"D": _delete,
    b"T": _truncate,
    b"O": _other,
    b"Y": _other,
    b"M": _other,
}
