"""Statements of ClickHouse over HTTP. User and password go in headers, never in an address."""

from __future__ import annotations

import http.client
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import cached_property
from urllib.parse import urlencode, urlsplit
from uuid import uuid4

from groundswell.errors import ConfigurationError, SinkError, SinkUnavailable
from groundswell.sinks.clickhouse_floats import EXACT

SECONDS = 30
_CODE = re.compile(r"Code: (\d+)")
# Errors that pass: timeouts, too many queries or parts, memory, disk, networks, a lost keeper.
AGAIN = {159, 164, 202, 209, 210, 225, 241, 242, 243, 252, 279, 319, 425, 999}
REFUSED = {192, 193, 194, 516}


class Client:
    """One connection, made when it is needed."""

    def __init__(self, url: str, user: str | None, password: str | None) -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ConfigurationError(f"url must be like http://host:8123, got {url!r}")
        if parts.username or parts.password:
            raise ConfigurationError(
                "url holds a user or a password: give them with options user and password"
            )
        self._secure = parts.scheme == "https"
        self._host = parts.hostname
        self._port = parts.port or (8443 if self._secure else 8123)
        self._headers = {}
        if user is not None:
            self._headers["X-ClickHouse-User"] = user
        if password is not None:
            self._headers["X-ClickHouse-Key"] = password
        self._connection: http.client.HTTPConnection | None = None
        self._session: dict[str, str] = {}

    @property
    def where(self) -> str:
        """For messages."""
        return f"ClickHouse at {self._host}:{self._port}"

    @cached_property
    def version(self) -> tuple[int, ...]:
        """Of the server: (18, 16, 1)."""
        text = self.rows("SELECT version()")[0][0]
        return tuple(int(part) for part in text.split(".")[:3] if part.isdecimal())

    @cached_property
    def timezone(self) -> str:
        """Of the server."""
        return self.rows("SELECT timezone()")[0][0]

    def run(self, statement: str) -> None:
        """Runs a statement."""
        self._post(statement.encode(), {})

    def rows(self, query: str) -> list[list[str]]:
        """The rows of a query, as texts."""
        answer = self._post(f"{query} FORMAT TabSeparated".encode(), {}).decode()
        return [line.split("\t") for line in answer.split("\n")[:-1]]

    @contextmanager
    def session(self) -> Iterator[None]:
        """Statements within it share temporary tables, which the server forgets after it."""
        self._session = {"session_id": str(uuid4()), "session_timeout": "600"}
        try:
            yield
        finally:
            self._session = {}

    def insert(self, statement: str, lines: Iterable[bytes], token: str | None) -> None:
        """Inserts rows as one block.

        Args:
            statement: ``INSERT INTO ... FORMAT ...``, or ``INSERT INTO ... SELECT ...``.
            lines: the rows; empty of a SELECT.
            token: by which the server knows an insert that it has seen.
        """
        settings = {"query": statement, "max_insert_block_size": "100000000"}
        settings["min_insert_block_size_rows"] = "100000000"
        settings["min_insert_block_size_bytes"] = "10000000000"
        settings["max_threads"] = "1"
        if self.version >= (20, 3):
            settings["input_format_parallel_parsing"] = "0"
            settings["input_format_null_as_default"] = "0"
        if self.version >= (22, 3):
            settings["async_insert"] = "0"
        if self.version >= EXACT:
            settings["precise_float_parsing"] = "1"
        if token is not None:
            settings["insert_deduplication_token"] = token
        self._post(_chunks(lines), settings)

    def _post(self, body: bytes | Iterable[bytes], settings: dict[str, str]) -> bytes:
        try:
            if self._connection is None:
                kind = http.client.HTTPSConnection if self._secure else http.client.HTTPConnection
                self._connection = kind(self._host, self._port, timeout=SECONDS)
            path = f"/?{urlencode(settings | self._session)}"
            streamed = not isinstance(body, bytes)
            self._connection.request(
                "POST", path, body=body, headers=self._headers, encode_chunked=streamed
            )
            response = self._connection.getresponse()
            answer = response.read()
        except (OSError, http.client.HTTPException) as e:
            self.close()
            raise SinkUnavailable(
                f"{self.where} cannot be reached: {type(e).__name__}: {e}"
            ) from None
        if response.status != 200:
            self.close()
            raise self._named(response.status, answer.decode("utf-8", "replace").strip())
        return answer

    def _named(self, status: int, said: str) -> SinkError:
        found = _CODE.search(said)
        code = int(found[1]) if found else 0
        text = f"{self.where}: {said[:2000] or f'status {status}'}"
        if code in REFUSED or status in (401, 403):
            return SinkError(f"{self.where} does not let us in: {said[:500]}")
        return (
            SinkUnavailable(text)
            if code in AGAIN or (not code and status >= 500)
            else SinkError(text)
        )

    def close(self) -> None:
        """Closes the connection."""
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()


def _chunks(lines: Iterable[bytes], size: int = 1 << 18) -> Iterator[bytes]:
    kept: list[bytes] = []
    length = 0
    for line in lines:
        kept.append(line)
        length += len(line)
        if length >= size:
            yield b"".join(kept)
            kept, length = [], 0
    if kept:
        yield b"".join(kept)
