"""Serves the page of a location: read only, on 127.0.0.1 unless told otherwise.

Who may read: on a loopback address of a host with one user, whoever asks for it by a loopback name,
so a foreign page whose name was pointed at 127.0.0.1 (DNS rebinding) gets nothing. On any other
address, and where a host has several users, whoever has the token: in the link that is printed,
then in a cookie, or as ``Authorization: Bearer``.
"""

from __future__ import annotations

import hmac
import ipaddress
import os
import secrets
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from http import HTTPStatus
from http.cookies import CookieError, SimpleCookie
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

from groundswell.errors import GroundswellError
from groundswell.ui import metrics, render
from groundswell.ui.documents import PipelineReader, try_picture
from groundswell.ui.lsm import StorePicture
from groundswell.ui.model import Picture

COOKIE = "groundswell"
HERE = "127.0.0.1"
MEMORY_SECONDS = 1.0
TITLE = "Groundswell"
HTML = "text/html; charset=utf-8"
STATIC = {"style.css": "text/css; charset=utf-8", "page.js": "text/javascript; charset=utf-8"}
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)


@dataclass(frozen=True)
class Answer:
    """What a path gives."""

    type: str
    text: str


@cache
def static(name: str) -> str:
    """One of the files of the page."""
    return (Path(__file__).parent / "static" / name).read_text("utf-8")


class Pages:
    """The paths of a location's page; what they show is at most a second old."""

    def __init__(self, reader: PipelineReader) -> None:
        self._reader = reader
        self._lock = threading.Lock()
        self._seen: tuple[float, Picture | str] | None = None

    def answer(self, path: str, query: Mapping[str, str]) -> Answer | None:
        """What a path gives; None: there is no such path."""
        name = path.removeprefix("/")
        if name in STATIC:
            return Answer(STATIC[name], static(name))
        if name == "metrics/prometheus":
            return Answer(metrics.CONTENT_TYPE, metrics.exposition(self._picture()))
        if name in ("", "body"):
            picture = self._picture()
            shown = render.body(picture, self._store(picture, query))
            return Answer(HTML, shown if name else render.page(shown, TITLE))
        return None

    def _picture(self) -> Picture | str:
        with self._lock:  # many who look cost what one costs
            if self._seen is None or time.monotonic() - self._seen[0] > MEMORY_SECONDS:
                self._seen = (time.monotonic(), try_picture(self._reader))
            return self._seen[1]

    def _store(self, picture: Picture | str, query: Mapping[str, str]) -> StorePicture | str | None:
        if isinstance(picture, str) or not picture.states:
            return None
        state = query.get("state", picture.states[0].name)
        partition = query.get("partition", "0")
        if state not in {each.name for each in picture.states} or not partition.isdecimal():
            return f"There is no partition {partition} of a state {state} at the newest epoch."
        try:
            return self._reader.store(state, int(partition[:9]))
        except (GroundswellError, OSError) as error:
            return str(error)


def is_loopback(host: str) -> bool:
    """Whether only this machine reaches an address."""
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host == "localhost"


def has_several_users() -> bool:
    """Whether people other than the one who runs this process can log in to this machine.

    Told from the accounts that the machine lists; not every directory service lists all.
    """
    try:
        import pwd
    except ImportError:  # not a Unix
        return False
    people = {
        account.pw_uid
        for account in pwd.getpwall()
        if 1000 <= account.pw_uid < 60_000 and not account.pw_shell.endswith(("nologin", "false"))
    }
    return len(people | {os.getuid()}) > 1


def host_of(header: str | None) -> str:
    """The name in a Host header, without the port."""
    try:
        return urlsplit(f"//{header or ''}").hostname or ""
    except ValueError:
        return ""


class Server:
    """A server of one location.

    Args:
        location: the pipeline's checkpointLocation.
        host: the address to bind to.
        port: 0 takes a free one.
        token: whoever has it may read; default: a new one if ``host`` is not a loopback address or
            this machine has several users, else none is asked for. Empty: none on a loopback
            address.
    """

    def __init__(
        self, location: str, host: str = HERE, port: int = 0, token: str | None = None
    ) -> None:
        is_open = is_loopback(host) and (token == "" or not has_several_users())
        self._token = token or (None if is_open else secrets.token_urlsafe(24))
        pages, own = Pages(PipelineReader(location)), self._token

        class Handler(_Handler):
            answers = pages
            token = own

        self._server = ThreadingHTTPServer((host, port), Handler)
        self._server.daemon_threads = True
        name = f"[{host}]" if ":" in host else host
        self.port = int(self._server.server_address[1])
        self.address = f"http://{name}:{self.port}/"

    @property
    def link(self) -> str:
        """What to open in a browser."""
        return f"{self.address}?token={self._token}" if self._token else self.address

    def serve(self) -> None:
        """Serves until :meth:`stop`, or an interrupt."""
        self._server.serve_forever(poll_interval=0.2)

    def start(self) -> Server:
        """Serves in a thread of its own."""
        threading.Thread(target=self.serve, daemon=True).start()
        return self

    def stop(self) -> None:
        """Ends it."""
        self._server.shutdown()
        self._server.server_close()


class _Handler(BaseHTTPRequestHandler):
    answers: Pages
    token: str | None
    server_version = "groundswell"
    sys_version = ""
    timeout = 30

    def do_GET(self) -> None:
        url = urlsplit(self.path)
        query = {name: values[-1] for name, values in parse_qs(url.query).items()}
        if self.token is None and not is_loopback(host_of(self.headers.get("Host"))):
            self._refuse(HTTPStatus.MISDIRECTED_REQUEST, "ask for 127.0.0.1 or localhost")
        elif self.token is not None and not self._knows(query.get("token")):
            self._refuse(HTTPStatus.UNAUTHORIZED, "open the link that the server has printed")
        elif self.token is not None and "token" in query and url.path == "/":
            self.send_response(HTTPStatus.SEE_OTHER)
            self.send_header("Location", "/")
            cookie = f"{COOKIE}={self.token}; HttpOnly; SameSite=Strict; Path=/"
            self.send_header("Set-Cookie", cookie)
            self._end(b"")
        else:
            self._answer(self.answers.answer(url.path, query))

    def do_HEAD(self) -> None:
        self.do_GET()

    def _answer(self, answer: Answer | None) -> None:
        if answer is None:
            self._refuse(HTTPStatus.NOT_FOUND, "there is /, and /metrics/prometheus")
            return
        self.send_response(HTTPStatus.OK)
        self.send_header("Content-Type", answer.type)
        self._end(answer.text.encode("utf-8", "replace"))

    def _knows(self, given: str | None) -> bool:
        assert self.token is not None
        found = [given, self.headers.get("Authorization", "").removeprefix("Bearer ")]
        try:
            morsel = SimpleCookie(self.headers.get("Cookie", "")).get(COOKIE)
            found.append(morsel.value if morsel else None)
        except CookieError:
            pass
        own = self.token.encode()
        return any(
            hmac.compare_digest(each.encode("utf-8", "replace"), own) for each in found if each
        )

    def _refuse(self, status: HTTPStatus, why: str) -> None:
        self.send_response(status)
        self.send_header("Content-Type", "text/plain; charset=utf-8")
        self._end(f"{status.value} {status.phrase}: {why}\n".encode())

    def _end(self, data: bytes) -> None:
        self.send_header("Content-Length", str(len(data)))
        self.send_header("Cache-Control", "no-store")
        self.send_header("Content-Security-Policy", POLICY)
        self.send_header("X-Content-Type-Options", "nosniff")
        self.send_header("Referrer-Policy", "no-referrer")
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
        """Says nothing: a page asks every two seconds."""
