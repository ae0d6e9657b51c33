"""Between a client and a server of S3: counts requests, and lets some of them go wrong."""

from __future__ import annotations

import http.client
import random
import socket
import threading
import time
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

BUSY = (
    b'<?xml version="1.0" encoding="UTF-8"?><Error><Code>SlowDown</Code>'
    b"<Message>Please reduce your request rate.</Message></Error>"
)
_HOP = ("connection", "transfer-encoding", "content-length", "keep-alive", "date", "server")


@dataclass(frozen=True)
class Faults:
    """How often what goes wrong: shares of all requests, and of PUTs.

    Attributes:
        busy: answered with 503, without being done.
        slow: done after a pause of up to 0.3 s.
        broken: of PUTs: the connection ends in the middle of the body; nothing is done.
        lost: of PUTs: done, but the connection ends before the answer.
    """

    busy: float = 0.0
    slow: float = 0.0
    broken: float = 0.0
    lost: float = 0.0


@dataclass
class Request:
    """What a client has asked for."""

    kind: str
    key: str


@dataclass
class Proxy:
    """A server on 127.0.0.1 that hands requests on to another one.

    Attributes:
        seen: all requests, those that went wrong, too.
        wrong: how many faults of each kind there were.
    """

    target: int
    seed: int = 0
    faults: Faults = field(default_factory=Faults)
    seen: list[Request] = field(default_factory=list)
    wrong: Counter[str] = field(default_factory=Counter)

    def __enter__(self) -> Proxy:
        self._rng = random.Random(self.seed)
        self._lock = threading.Lock()
        self._server = _Server(("127.0.0.1", 0), _handler(self))
        self.port = int(self._server.server_address[1])
        threading.Thread(target=self._server.serve_forever, args=(0.1,), daemon=True).start()
        return self

    def __exit__(self, *error: Any) -> None:
        self._server.shutdown()
        self._server.server_close()

    def note(self, method: str, path: str) -> str:
        """Counts a request, and says what is to go wrong with it."""
        with self._lock:
            self.seen.append(Request(kind_of(method, path), key_of(path)))
            draw, faults = self._rng.random(), self.faults
            limits = [("busy", faults.busy), ("slow", faults.slow)]
            if method == "PUT":
                limits += [("broken", faults.broken), ("lost", faults.lost)]
            for fault, share in limits:
                if draw < share:
                    self.wrong[fault] += 1
                    return fault
                draw -= share
            return ""


def kind_of(method: str, path: str) -> str:
    """LIST, HEAD, GET, PUT, DELETE, or POST."""
    query = parse_qs(urlsplit(path).query, keep_blank_values=True)
    if method == "GET" and ("list-type" in query or "prefix" in query):
        return "LIST"
    return method


def key_of(path: str) -> str:
    """The object's key, or a listing's prefix."""
    parts = urlsplit(path)
    query = parse_qs(parts.query)
    return query["prefix"][0] if "prefix" in query else parts.path.partition("/")[2]


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64


def _handler(proxy: Proxy) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def _serve(self) -> None:
            fault = proxy.note(self.command, self.path)
            length = int(self.headers.get("Content-Length") or 0)
            if fault == "broken":
                self.rfile.read(length // 2)
                return self._cut()
            body = self.rfile.read(length)
            if fault == "busy":
                return self._answer(503, {"Content-Type": "application/xml"}, BUSY)
            if fault == "slow":
                time.sleep(0.3 * random.random())
            connection = http.client.HTTPConnection("127.0.0.1", proxy.target, timeout=60)
            try:
                headers = {k: v for k, v in self.headers.items() if k.lower() != "expect"}
                connection.request(self.command, self.path, body or None, headers)
                response = connection.getresponse()
                content = response.read()
            except OSError:
                return self._cut()
            finally:
                connection.close()
            if fault == "lost":
                return self._cut()
            kept = {k: v for k, v in response.getheaders() if k.lower() not in _HOP}
            size = response.getheader("Content-Length")
            return self._answer(response.status, kept, content, size)

        do_GET = do_PUT = do_POST = do_DELETE = do_HEAD = _serve  # noqa: N815

        def _answer(
            self, status: int, headers: dict[str, str], body: bytes, size: str | None = None
        ) -> None:
            head = self.command == "HEAD"
            self.send_response(status)
            for key, value in headers.items():
                self.send_header(key, value)
            if status != 204:
                self.send_header("Content-Length", size if head and size else str(len(body)))
            self.end_headers()
            if not head:
                self.wfile.write(body)

        def _cut(self) -> None:
            self.close_connection = True
            with suppress(OSError):
                self.connection.shutdown(socket.SHUT_RDWR)

        def log_message(self, *words: Any) -> None:
            pass

    return Handler
