"""What there is to know of a kind of server whose tables statements read."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeVar

from pyspark.sql import SparkSession

from groundswell.errors import ConfigurationError
from groundswell.sources.tagged_stream import TaggedStream

T = TypeVar("T", int, float)


@dataclass(frozen=True)
class System:
    """A kind of server whose tables are read.

    Attributes:
        name: of it, for messages.
        connectors: what statements call it.
        options: that it takes.
        aliases: other names of them.
        needs: options that must be given.
        shared: what the tables of one stream share.
        stream: the option that names that.
        streams: its default, with {} for the pipeline's name.
        schemas: the default of ``schema.name``; "": the value of ``database.name``.
        password: options that refer to the password.
        open: makes the stream of some tables.
    """

    name: str
    connectors: tuple[str, ...]
    options: tuple[str, ...]
    aliases: Mapping[str, str]
    needs: tuple[str, ...]
    shared: str
    stream: str
    streams: str
    schemas: str
    password: tuple[str, ...]
    open: Callable[[SparkSession, list[Wanted]], TaggedStream]


@dataclass(frozen=True)
class Wanted:
    """What a statement asks for.

    Attributes:
        system: the kind of server.
        what: the relation, for messages.
        table: its name at the server, with its schema.
        stream: its name in the checkpoint; PostgreSQL's replication slot, too.
        server: the other options, which all tables of the stream must agree on.
    """

    system: System
    what: str
    table: str
    stream: str
    server: Mapping[str, str]


def number(made: Wanted, options: Mapping[str, str], name: str, of: type[T]) -> T:
    """The value of an option that is a number.

    Raises:
        ConfigurationError: it is not.
    """
    try:
        return of(options[name])
    except ValueError:
        raise ConfigurationError(
            f"{made.what}: {name} is a number, got {options[name]!r}"
        ) from None
