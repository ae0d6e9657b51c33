"""The schemas that Spark keeps beside the state.

Operators with one table a store: ``<operator>/0[/<store>]/_metadata/schema``, version v1 or v2 as
Java's ``writeUTF`` strings. Operators with column families: ``<operator>/_stateSchema/<store>/
<batch>_<random>``, version v3, all of them one after the other; the newest file counts, those
before it say what older rows were written with.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from groundswell.errors import Corruption, InvalidArgument
from groundswell.format.folder import Folder

DEFAULT = "default"
BY_TIME = ("TimestampAsPrefixKeyStateEncoderSpec", "TimestampAsPostfixKeyStateEncoderSpec")
"""How joins in state format 4 read their tables; each key of these has a list of values."""


@dataclass(frozen=True)
class TableSchema:
    """Types of one table.

    Attributes:
        key: a struct as in Spark's ``DataType.json``, parsed; ``value`` likewise.
        encoder: how Spark said it reads the keys, as in its v3 files; None for older ones.
        value_id: the number of ``value`` among all schemas that values ever had.
        values: these by number, where Spark lets them change.
    """

    key: Any
    value: Any
    encoder: Any | None = None
    value_id: int = 0
    values: Mapping[int, Any] = field(default_factory=dict)


def read(operator: Folder, store: str) -> dict[str, TableSchema]:
    """Schemas of a store's tables by name; empty if Spark left none."""
    families, names = _files(operator, store)
    if names:
        return _newest(
            [_families(f"{families.location}/{name}", families.whole(name)) for name in names]
        )
    first = operator.child("0")
    metadata = (first if store == DEFAULT else first.child(store)).child("_metadata")
    if "schema" not in metadata.names():
        return {}
    return {DEFAULT: _pair(f"{metadata.location}/schema", metadata.whole("schema"))}


def by_time(table: TableSchema) -> bool:
    """Whether it is a table of a join in state format 4."""
    return (table.encoder or {}).get("keyStateEncoderType") in BY_TIME


def schema_files(operator: Folder, store: str = DEFAULT) -> list[str]:
    """Paths of the v3 files of an operator's store, oldest first."""
    families, names = _files(operator, store)
    return [f"{families.location}/{name}" for name in names]


def _files(operator: Folder, store: str) -> tuple[Folder, list[str]]:
    families = operator.child("_stateSchema").child(store)
    return families, sorted((n for n in families.names() if n[0].isdigit()), key=_batch)


def _newest(files: list[dict[str, TableSchema]]) -> dict[str, TableSchema]:
    """The last of the files, each table with the value schemas of all."""
    values: dict[str, dict[int, Any]] = {}
    for tables in files:
        for name, found in tables.items():
            values.setdefault(name, {})[found.value_id] = found.value
    return {name: replace(found, values=values[name]) for name, found in files[-1].items()}


def _batch(name: str) -> int:
    return int(name.split("_")[0])


class _JavaData:
    """What Java's DataOutputStream wrote."""

    def __init__(self, what: str, data: bytes) -> None:
        self.what, self.data = what, data

    def number(self, width: int) -> int:
        return int.from_bytes(self._take(width), "big")

    def text(self) -> str:
        """Java's writeUTF: length (2 bytes), then almost UTF-8."""
        try:
            return self._take(self.number(2)).decode("utf-8")
        except UnicodeDecodeError as error:
            raise Corruption(f"{self.what} is not a state schema: {error}") from error

    def chunks(self) -> Any:
        """JSON, cut into pieces because writeUTF takes no more than 64 KiB."""
        return self.parsed("".join(self.text() for _ in range(self.number(4))))

    def parsed(self, text: str) -> Any:
        try:
            return json.loads(text)
        except ValueError as error:
            raise Corruption(f"{self.what} is not a state schema: {error}") from error

    def _take(self, length: int) -> bytes:
        if length > len(self.data):
            raise Corruption(f"{self.what} is not a state schema: it is cut short")
        taken, self.data = self.data[:length], self.data[length:]
        return taken


def _pair(what: str, data: bytes) -> TableSchema:
    found = _JavaData(what, data)
    if found.text() == "v1":
        return TableSchema(found.parsed(found.text()), found.parsed(found.text()))
    return TableSchema(found.chunks(), found.chunks())


def _families(what: str, data: bytes) -> dict[str, TableSchema]:
    found = _JavaData(what, data)
    version = found.text()
    if version != "v3":
        raise InvalidArgument(f"{what} has state schema {version}; v1, v2 and v3 can be read")
    schemas = {}
    for _ in range(found.number(4)):
        name = found.text()
        found.number(2)  # id of the key's schema, for encodings that store it
        key = found.chunks()
        value_id = found.number(2)
        schemas[name] = TableSchema(key, found.chunks(), found.chunks(), value_id)
        found.chunks()  # the user's key of a map, which is part of the key
    return schemas
