"""Protobuf's files and messages for tests, without its compiler."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from typing import Any

from google.protobuf import (  # noqa: F401 - for the pool
    descriptor_pb2,
    descriptor_pool,
    duration_pb2,
    message_factory,
    timestamp_pb2,
    wrappers_pb2,
)

from sources.registries import framed

TYPES = descriptor_pb2.FieldDescriptorProto
WELL_KNOWN = [f"google/protobuf/{name}.proto" for name in ("duration", "timestamp", "wrappers")]


class File:
    """A file of messages, in the order in which they are added."""

    def __init__(self, name: str, package: str = "shop", imports: Sequence[str] = ()) -> None:
        self.proto = descriptor_pb2.FileDescriptorProto(
            name=name, package=package, syntax="proto3", dependency=[*WELL_KNOWN, *imports]
        )

    def message(self, name: str, *fields: tuple[Any, ...]) -> File:
        """One more; a field is a number, a name, a type, and perhaps what else it is."""
        made = self.proto.message_type.add(name=name)
        for number, field, kind, *rest in fields:
            add(made, number, field, kind, *rest)
        return self

    def enum(self, name: str, *values: str) -> File:
        made = self.proto.enum_type.add(name=name)
        for number, value in enumerate(values):
            made.value.add(name=value, number=number)
        return self

    @property
    def text(self) -> str:
        """As a registry gives it, compiled."""
        return base64.b64encode(self.proto.SerializeToString()).decode()

    def make(self, name: str, *others: File, **values: Any) -> Any:
        """A message; those within it as dicts."""
        pool = descriptor_pool.DescriptorPool()
        for known in WELL_KNOWN:
            whole = descriptor_pb2.FileDescriptorProto()
            descriptor_pool.Default().FindFileByName(known).CopyToProto(whole)
            pool.Add(whole)
        for each in (*others, self):
            pool.Add(each.proto)
        found = pool.FindMessageTypeByName(f"{self.proto.package}.{name}")
        return message_factory.GetMessageClass(found)(**values)


def add(message: Any, number: int, name: str, kind: str, how: str = "") -> None:
    """One more field: of a scalar type, of ``.package.Message`` or of ``enum .package.Enum``.

    Fields that are ``optional`` stand behind those of a oneof.
    """
    field = message.field.add(name=name, number=number, label=TYPES.LABEL_OPTIONAL)
    if kind.startswith("map "):
        key, _, value = kind.removeprefix("map ").partition(",")
        entry = message.nested_type.add(name=f"{name.title().replace('_', '')}Entry")
        entry.options.map_entry = True
        add(entry, 1, "key", key.strip())
        add(entry, 2, "value", value.strip())
        field.type, field.label = TYPES.TYPE_MESSAGE, TYPES.LABEL_REPEATED
        field.type_name = entry.name
        return
    if kind.startswith("enum "):
        field.type, field.type_name = TYPES.TYPE_ENUM, kind.removeprefix("enum ")
    elif kind.startswith("."):
        field.type, field.type_name = TYPES.TYPE_MESSAGE, kind
    else:
        field.type = getattr(TYPES, f"TYPE_{kind.upper()}")
    if how == "repeated":
        field.label = TYPES.LABEL_REPEATED
    elif how == "optional":
        field.proto3_optional = True
        field.oneof_index = len(message.oneof_decl)
        message.oneof_decl.add(name=f"_{name}")
    elif how:
        names = [each.name for each in message.oneof_decl]
        if how not in names:
            message.oneof_decl.add(name=how)
        field.oneof_index = [each.name for each in message.oneof_decl].index(how)


def _zigzag(number: int) -> bytes:
    number, out = number << 1, b""
    while number > 0x7F:
        out += bytes([number & 0x7F | 0x80])
        number >>= 7
    return out + bytes([number])


def protobuf(number: int, message: Any, path: Sequence[int] = ()) -> bytes:
    """A message as Confluent's serializer writes it; no path: the file's first one."""
    indexes = b"".join(map(_zigzag, (len(path), *path)))
    return framed(number, indexes + message.SerializeToString())
