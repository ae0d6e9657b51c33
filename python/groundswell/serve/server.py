"""The server: listens, gives each client a thread, and knows whom a cancel request means."""

from __future__ import annotations

import hmac
import logging
import secrets
import socket
import threading
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from groundswell.errors import ConfigurationError
from groundswell.serve.connection import Connection
from groundswell.serve.engine import Engine
from groundswell.serve.errors import ServeError
from groundswell.serve.events import Events
from groundswell.serve.functions import macros
from groundswell.serve.scram import Verifier
from groundswell.serve.session import Limits, Session
from groundswell.serve.snapshots import Snapshots
from groundswell.ui.server import is_loopback

PORT = 5433
DATABASE = "groundswell"
CONNECTIONS = 200
WAITING = 100
"""So many sockets more than connections may be open: clients that log in, or are refused."""
_SETTINGS = {"user", "database", "replication", "options"}
_log = logging.getLogger("groundswell")


@dataclass(frozen=True)
class Options:
    """How a location is served.

    Attributes:
        host: the address to bind to.
        port: 0 takes a free one.
        password: that clients must know; None: none is asked for, on a loopback address only.
        connections: most clients at a time.
        seconds: that a statement may take; None: as long as it likes.
        memory: most memory that queries use together, as ``2GB``; None: DuckDB's default.
        threads: that queries use together; None: all cores.
        http_port: of changes as server-sent events; 0 takes a free one, None: there is none.
        cache: a folder in which decoded rows stay for the next server; None: they go with this one.
    """

    host: str = "127.0.0.1"
    port: int = PORT
    password: str | None = None
    connections: int = CONNECTIONS
    seconds: float | None = None
    memory: str | None = None
    threads: int | None = None
    http_port: int | None = None
    cache: Path | None = None


class Server:
    """Serves the views of a location to PostgreSQL's clients, read-only.

    Args:
        location: the pipeline's checkpointLocation, a path or URI.
        options: how.

    Raises:
        ConfigurationError: no pipeline was started there, or another host than this machine's would
            be served without a password.
        OSError: the port is taken.
    """

    def __init__(self, location: str, options: Options | None = None) -> None:
        self._options = options or Options()
        host = self._options.host
        if not is_loopback(host) and not self._options.password:
            raise ConfigurationError(
                f"{host} is reachable from other machines: give --password-file, or serve on "
                "127.0.0.1"
            )
        password = self._options.password
        self.verifier = Verifier.of(password) if password else None
        self.snapshots = Snapshots(location, DATABASE, cache=self._options.cache)
        with self.snapshots.reading():
            pass  # refuses a location without a pipeline at once
        self.engine = Engine(self._options.memory, self._options.threads, macros(DATABASE))
        self._lock = threading.Lock()
        self._connections: dict[int, Connection] = {}
        self._number = self._sockets = 0
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        self._socket = socket.create_server(
            (host, self._options.port), family=family, backlog=self._options.connections
        )
        self.port = int(self._socket.getsockname()[1])
        self._stopped = threading.Event()
        self.events: Events | None = None
        if self._options.http_port is not None:
            most = self._options.connections
            self.events = Events(
                self.snapshots, host, self._options.http_port, password, most
            ).start()

    def serve(self) -> None:
        """Serves until :meth:`stop`, or an interrupt."""
        while not self._stopped.is_set():
            try:
                sock, _ = self._socket.accept()
            except OSError:
                break
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
            with self._lock:
                if self._sockets >= self._options.connections + WAITING:
                    sock.close()  # of clients that do not log in
                    continue
                self._sockets += 1
                self._number = self._number % 0x7FFFFFFF + 1
                connection = Connection(sock, self, self._number, secrets.token_bytes(32))
            threading.Thread(
                target=self._run, args=(connection,), name=f"serve {self._number}", daemon=True
            ).start()

    def start(self) -> Server:
        """Serves in a thread of its own."""
        threading.Thread(target=self.serve, name="serve", daemon=True).start()
        return self

    def stop(self) -> None:
        """Ends all connections, and lets go of the location."""
        self._stopped.set()
        with suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()
        with self._lock:
            open_now = list(self._connections.values())
        for connection in open_now:
            connection.stop()
        if self.events is not None:
            self.events.stop()
        self.snapshots.close()

    def admit(self, connection: Connection, given: Mapping[str, str]) -> Session:
        """A session for a client that has logged in.

        Raises:
            ServeError: all places are taken (53300), or it asks for another database (3D000).
        """
        user = given.get("user", "")
        database = given.get("database") or user
        if given.get("replication", "false").lower() not in ("false", "off", "0", "no"):
            raise ServeError("0A000", "replication is not available here", fatal=True)
        with self._lock:
            if len(self._connections) >= self._options.connections:
                raise ServeError(
                    "53300",
                    f"all {self._options.connections} connections are in use",
                    "Close one, or serve with another --connections.",
                    fatal=True,
                )
            self._connections[connection.process] = connection
        settings = {k: v for k, v in given.items() if k.lower() not in _SETTINGS}
        settings |= _of_options(given.get("options", ""))
        settings = {k: v for k, v in settings.items() if not k.startswith("_pq_.")}
        _log.debug("%s reads %s", user, database)
        return Session(
            self.engine,
            self.snapshots,
            DATABASE,
            user,
            Limits(self._options.seconds),
            settings,
            connection.process,
        )

    def cancel(self, process: int, secret: bytes) -> None:
        """Stops the statement of a connection, if the secret is its own."""
        with self._lock:
            connection = self._connections.get(process)
        if connection is not None and hmac.compare_digest(connection.secret, secret):
            session = connection.session
            if session is not None:
                session.cancel()

    def _run(self, connection: Connection) -> None:
        try:
            connection.run()
        finally:
            with self._lock:
                self._sockets -= 1
                self._connections.pop(connection.process, None)


def _of_options(text: str) -> dict[str, str]:
    """Settings in the startup parameter ``options``: ``-c name=value``, or ``--name=value``."""
    found: dict[str, str] = {}
    words = text.split()
    for at, word in enumerate(words):
        setting = ""
        if word == "-c" and at + 1 < len(words):
            setting = words[at + 1]
        elif word.startswith(("-c", "--")):
            setting = word[2:]
        name, equals, value = setting.partition("=")
        if equals:
            found[name.replace("-", "_")] = value
    return found
