"""Changes over HTTP as server-sent events: ``GET /subscribe/<view>``.

Each event is an epoch: its id, and its changes as JSON. ``Last-Event-ID`` goes on behind an epoch,
as browsers do by themselves when a connection breaks. An epoch of many changes comes in several
events, of which the last one has the id: who loses the others gets all of them again.
"""

from __future__ import annotations

import base64
import binascii
import hmac
import json
import logging
import socket
import threading
from collections.abc import Iterator
from contextlib import suppress
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

import pyarrow as pa

from groundswell.errors import GroundswellError
from groundswell.format.python_values import python_values
from groundswell.serve.changes import EPOCH, TYPE, Changes
from groundswell.serve.errors import ServeError, translated
from groundswell.serve.snapshots import Snapshots
from groundswell.serve.values import json_text
from groundswell.ui.server import host_of, is_loopback

EVENT_ROWS = 1000
LOOK_SECONDS = 0.1
QUIET_SECONDS = 10.0
"""After so long without changes the id of the newest epoch is sent alone."""
SEND_SECONDS = 60.0
_STATUS = {"42P01": HTTPStatus.NOT_FOUND, "22023": HTTPStatus.BAD_REQUEST}
_log = logging.getLogger("groundswell")


class Events:
    """An HTTP server of changes.

    Args:
        snapshots: of the location.
        host: the address to bind to.
        port: 0 takes a free one.
        password: that clients must send, as ``Authorization: Bearer`` or the password of Basic;
            None: none is asked for.
        most: connections at a time.
    """

    def __init__(
        self, snapshots: Snapshots, host: str, port: int, password: str | None, most: int
    ) -> None:
        self.snapshots = snapshots
        self.places = threading.BoundedSemaphore(most)
        self.stopped = threading.Event()
        own, secret = self, None if password is None else password.encode("utf-8")

        class Handler(_Handler):
            events = own
            password = secret

        kind = type("_Server", (ThreadingHTTPServer,), {"address_family": _family(host)})
        self._server: ThreadingHTTPServer = kind((host, port), Handler)
        self._server.daemon_threads = True
        self.port = int(self._server.server_address[1])

    def start(self) -> Events:
        """Serves in a thread of its own."""
        threading.Thread(
            target=self._server.serve_forever, args=(0.2,), name="serve events", daemon=True
        ).start()
        return self

    def stop(self) -> None:
        """Ends it."""
        self.stopped.set()
        self._server.shutdown()
        self._server.server_close()


def _family(host: str) -> socket.AddressFamily:
    return socket.AF_INET6 if ":" in host else socket.AF_INET


class _Handler(BaseHTTPRequestHandler):
    events: Events
    password: bytes | None
    server_version = "groundswell"
    sys_version = ""
    timeout = SEND_SECONDS

    def do_GET(self) -> None:
        url = urlsplit(self.path)
        if self.password is None and not is_loopback(host_of(self.headers.get("Host"))):
            self._refuse(HTTPStatus.MISDIRECTED_REQUEST, "ask for 127.0.0.1 or localhost")
        elif self.password is not None and not self._knows(self.password):
            self._refuse(HTTPStatus.UNAUTHORIZED, "send the password as Authorization: Bearer")
        elif not url.path.startswith("/subscribe/"):
            self._refuse(HTTPStatus.NOT_FOUND, "there is /subscribe/<view>")
        elif not self.events.places.acquire(blocking=False):
            self._refuse(HTTPStatus.SERVICE_UNAVAILABLE, "all connections are in use")
        else:
            try:
                self._subscribe(unquote(url.path.removeprefix("/subscribe/")), url.query)
            finally:
                self.events.places.release()

    def _subscribe(self, view: str, query: str) -> None:
        self.close_connection = True
        try:
            first = self._first(query)
            changes = Changes(self.events.snapshots, view, first)
        except (ServeError, GroundswellError) as error:
            known = translated(error)
            self._refuse(_STATUS.get(known.code, HTTPStatus.GONE), known.message)
            return
        try:
            self.send_response(HTTPStatus.OK)
            self.send_header("Content-Type", "text/event-stream; charset=utf-8")
            self.send_header("Cache-Control", "no-store")
            self.send_header("X-Accel-Buffering", "no")
            self.end_headers()
            for text in _told(changes, self.events.stopped):
                self.wfile.write(text.encode("utf-8"))
        except (ServeError, GroundswellError) as error:
            known = translated(error)
            content = json.dumps({"code": known.code, "message": known.message})
            with suppress(OSError):
                self.wfile.write(f"event: error\ndata: {content}\n\n".encode())
        except OSError:
            pass  # the client has gone, or took nothing for too long
        finally:
            changes.close()

    def _first(self, query: str) -> int | None:
        """The first epoch to tell; None: all rows first.

        Raises:
            ServeError: what was sent is no epoch.
        """
        given = {name: values[-1] for name, values in parse_qs(query).items()}
        last = self.headers.get("Last-Event-ID") or given.get("last_event_id")
        if last is None:
            return None
        if not last.isascii() or not last.isdecimal():
            raise ServeError("22023", f"Last-Event-ID is an epoch, not {last!r}")
        return int(last) + 1

    def _knows(self, password: bytes) -> bool:
        kind, _, given = self.headers.get("Authorization", "").partition(" ")
        data = given.strip().encode("utf-8", "replace")
        if kind.lower() == "basic":
            try:
                data = base64.b64decode(data, validate=True).partition(b":")[2]
            except binascii.Error:
                return False
        return hmac.compare_digest(data, password)

    def _refuse(self, status: HTTPStatus, why: str) -> None:
        data = f"{status.value} {status.phrase}: {why}\n".encode()
        self.send_response(status)
        self.send_header("Content-Type", "text/plain; charset=utf-8")
        self.send_header("Content-Length", str(len(data)))
        self.send_header("Cache-Control", "no-store")
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
        """Says nothing."""


def _told(changes: Changes, stopped: threading.Event) -> Iterator[str]:
    """The events, as they come."""
    whole = changes.whole()
    if whole is not None:
        relation = whole.find(changes.view)
        assert relation is not None
        rows = relation.table(None, lambda: None)
        epoch = whole.epoch
        changes.release(whole)
        yield from _events(epoch, rows, None)
    quiet = 0.0
    told = changes.epoch
    while not stopped.is_set():
        step = changes.next()
        if step is None:
            stopped.wait(LOOK_SECONDS)
            quiet += LOOK_SECONDS
            if quiet >= QUIET_SECONDS:
                quiet = 0.0
                yield ": quiet\n\n" if told == changes.epoch else f"id: {changes.epoch}\n\n"
                told = changes.epoch
        elif step.rows.num_rows:
            quiet, told = 0.0, step.epoch
            yield from _events(step.epoch, step.rows.drop_columns([EPOCH, TYPE]), step.rows[TYPE])


def _events(epoch: int, rows: pa.Table, types: pa.ChunkedArray | None) -> Iterator[str]:
    """The changes of an epoch, as one event or several."""
    total = rows.num_rows
    for start in range(0, max(total, 1), EVENT_ROWS):
        part = rows.slice(start, EVENT_ROWS)
        named = (
            ["insert"] * part.num_rows
            if types is None
            else types.slice(start, EVENT_ROWS).to_pylist()
        )
        last = start + EVENT_ROWS >= total
        of = pa.struct(list(rows.schema))
        shown = ",".join(
            f'{{"type":"{kind}","row":{json_text(row, of)}}}'
            for kind, row in zip(named, python_values(part.to_struct_array()), strict=True)
        )
        ends = "true" if last else "false"
        head = f"id: {epoch}\n" if last else ""
        data = f'{{"epoch":{epoch},"last":{ends},"changes":[{shown}]}}'
        yield f"{head}event: changes\ndata: {data}\n\n"
