"""Messages whose schemas a registry has: where it is, and as which columns they are read."""

from __future__ import annotations

from dataclasses import dataclass

from groundswell.contract.codec import SparkType


@dataclass(frozen=True)
class RegistryAccess:
    """A schema registry, and what lets a client in.

    Attributes:
        urls: of its servers, without a slash at the end; they are asked in this order.
        user: of HTTP's basic authentication; None: without.
        password: of that user.
        authorities: certificates in PEM that sign those of the servers; None: Java's own.
        timeout: how long to wait for an answer, in milliseconds.
    """

    urls: tuple[str, ...]
    user: str | None
    password: str | None
    authorities: str | None
    timeout: int


@dataclass(frozen=True)
class MessageSpec:
    """How the messages of a topic, or their keys, become columns.

    Attributes:
        registry: that has their schemas.
        encoding: ``avro`` or ``protobuf``.
        subject: whose schema the columns are read by.
        version: of that schema: a number, or ``latest``.
        message: Protobuf's full name of the message; None: the only one, or the first one.
        shape: ``row``; ``key``: columns that the schema lacks are null; ``envelope``: Debezium's.
        columns: a struct.
    """

    registry: RegistryAccess
    encoding: str
    subject: str
    version: str
    message: str | None
    shape: str
    columns: SparkType


@dataclass(frozen=True)
class RegisteredSchema:
    """A schema of a registry, with all that it refers to.

    Attributes:
        id: its number in the registry.
        type: ``AVRO`` or ``PROTOBUF``.
        text: the schema; of Protobuf, the base64 of its compiled file.
        names: of the schemas that it refers to, each behind those that it needs.
        texts: of these.
    """

    id: int
    type: str
    text: str
    names: tuple[str, ...]
    texts: tuple[str, ...]
