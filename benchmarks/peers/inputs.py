"""Where a run's events are: folders of files, or topics of a broker.

A worker gets it as one word on its command line, ``/a/folder`` or
``kafka://host:port/prefix?bid=46000``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import parse_qsl, urlencode, urlsplit

from peers import data

if TYPE_CHECKING:
    from systems.servers import Kafka  # the engines' environments do not have what it needs

AT_ONCE = 50_000
"""Messages that a producer may hold."""


class Files(NamedTuple):
    """``<folder>/<stream>/``, a file a barrier."""

    folder: str

    def __str__(self) -> str:
        return self.folder

    def of(self, stream: str) -> str:
        """A stream's folder."""
        return f"{self.folder}/{stream}"


class Topics(NamedTuple):
    """``<prefix>-<stream>``, each row of JSON a message; ``barrier`` has their number by stream."""

    servers: str
    prefix: str
    barrier: dict[str, int]

    def __str__(self) -> str:
        return f"kafka://{self.servers}/{self.prefix}?{urlencode(self.barrier)}"

    def of(self, stream: str) -> str:
        """A stream's topic."""
        return f"{self.prefix}-{stream}"


Input = Files | Topics


def parsed(word: str) -> Input:
    """What ``str`` of an input gives, read."""
    parts = urlsplit(word)
    if parts.scheme != "kafka":
        return Files(word)
    barrier = {stream: int(many) for stream, many in parse_qsl(parts.query)}
    return Topics(parts.netloc, parts.path.strip("/"), barrier)


@contextmanager
def topics(folders: Mapping[str, Path]) -> Iterator[dict[str, Input]]:
    """Files' lines as messages of a broker of its own, which ends with the block.

    Args:
        folders: by the prefix that the topics shall have.

    Raises:
        MissingError: no broker can be had.
    """
    from systems.servers import Kafka

    server = Kafka()
    try:
        yield {prefix: sent(server, prefix, folder) for prefix, folder in folders.items()}
    finally:
        server.close()


def sent(server: Kafka, prefix: str, folder: Path) -> Topics:
    """Sends what the files have, in their order, half of each to each of two partitions."""
    from systems.topics import Input as Topic

    barrier = {}
    for stream in data.COLUMNS:
        topic, most = Topic(server, 2, f"{prefix}-{stream}"), 1
        for path in sorted((folder / stream).iterdir()):
            lines = path.read_text().splitlines()
            most = max(most, len(lines))
            for partition in range(2):
                half = [(None, line) for line in lines[partition::2]]
                for start in range(0, len(half), AT_ONCE):
                    topic.send(*half[start : start + AT_ONCE], partition=partition)
        barrier[stream] = most
    return Topics(server.servers, prefix, barrier)
