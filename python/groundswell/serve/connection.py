"""One client's connection: PostgreSQL's messages, by the codec pygwire, to and from a session."""

from __future__ import annotations

import logging
import socket
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from typing import Any, Protocol

from pygwire import messages as m
from pygwire.codec import FrontendMessageDecoder
from pygwire.connection import BackendConnection
from pygwire.constants import ConnectionPhase, TransactionStatus
from pygwire.exceptions import PygwireError

from groundswell.serve.engine import Column
from groundswell.serve.errors import ServeError, translated
from groundswell.serve.lexer import statements
from groundswell.serve.parameters import literal
from groundswell.serve.pgtypes import TEXT
from groundswell.serve.portals import Portal, line
from groundswell.serve.scram import MECHANISM, Exchange, Verifier
from groundswell.serve.session import Session
from groundswell.serve.settings import REPORTED

_log = logging.getLogger("groundswell")
LOGIN_SECONDS = 30.0
SEND_SECONDS = 300.0
"""How long a client may take no byte of what it asked for."""
BEFORE_LOGIN_BYTES = 16 << 10
MESSAGE_BYTES = 64 << 20
CHUNK = 64 << 10
PLAIN, NEWEST = 0x00030000, 0x00030002
"""Versions of the protocol: 3.0, and 3.2 with longer secret keys."""


class Host(Protocol):
    """What a connection needs of its server."""

    verifier: Verifier | None

    def admit(self, connection: Connection, given: Mapping[str, str]) -> Session:
        """A session for a client that has logged in; `ServeError` if there is no place."""
        ...

    def cancel(self, process: int, secret: bytes) -> None:
        """Stops the statement of another connection."""
        ...


_COPIED = (m.CopyData, m.CopyDone, m.CopyFail)
"""What a client still sends after ``COPY … FROM STDIN`` was refused."""


_AT_WORK = (
    ConnectionPhase.READY,
    ConnectionPhase.SIMPLE_QUERY,
    ConnectionPhase.EXTENDED_QUERY,
)


class _Decoder(FrontendMessageDecoder):
    """Reads such rows in every phase."""

    def _parse(self) -> None:
        phase = self._phase
        if phase in _AT_WORK and bytes(self._buf[self._pos : self._pos + 1]) in (b"d", b"c", b"f"):
            self._phase = ConnectionPhase.COPY_IN
        try:
            super()._parse()
        finally:
            self._phase = phase


class _Wire(BackendConnection):
    """The codec; takes two things that PostgreSQL takes.

    A `Query` behind extended messages that had no `Sync`: asyncpg sends one when it has prepared a
    statement, and then does not bind it, for it was given another number of arguments. And rows of
    a COPY that was refused.
    """

    def __init__(self) -> None:
        super().__init__()
        self._decoder = _Decoder()
        self._decoder.phase = self.phase

    def _receive_to_state_machine(self, message: m.PGMessage) -> None:
        if isinstance(message, _COPIED):
            return
        if isinstance(message, m.Query) and self.phase is ConnectionPhase.EXTENDED_QUERY:
            super()._receive_to_state_machine(m.Sync())
            self._send_to_state_machine(m.ReadyForQuery(status=TransactionStatus.IDLE))
        super()._receive_to_state_machine(message)


class Connection:
    """A client.

    Args:
        sock: its socket.
        host: the server.
        process: its number, for cancel requests.
        secret: what a cancel request must know.
    """

    def __init__(self, sock: socket.socket, host: Host, process: int, secret: bytes) -> None:
        self._socket = sock
        self._host = host
        self.process = process
        self.secret = secret
        self._wire = _Wire()
        self._out = bytearray()
        self._received = 0
        self._reported: dict[str, str] = {}
        self._skips = False
        self.session: Session | None = None

    def run(self) -> None:
        """Serves the client until it leaves."""
        try:
            self._socket.settimeout(LOGIN_SECONDS)
            incoming = self._messages()
            if self._log_in(incoming):
                self._socket.settimeout(None)
                for message in incoming:
                    if isinstance(message, m.Terminate):
                        break
                    self._answer(message)
        except ServeError as error:
            self._last_words(error)
        except PygwireError as error:
            self._last_words(ServeError("08P01", f"protocol violation: {error}", fatal=True))
        except OSError:
            pass  # the client has gone, or took nothing for too long
        except Exception as error:  # noqa: BLE001 - a client's fault ends its connection alone
            _log.exception("a connection failed")
            self._last_words(ServeError("XX000", f"internal error: {error}", fatal=True))
        finally:
            if self.session is not None:
                self.session.close()
            self._socket.close()

    def stop(self) -> None:
        """Ends the connection, from another thread."""
        if self.session is not None:
            self.session.cancel()
        with suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)

    # Messages.

    def _messages(self) -> Iterator[Any]:
        """What the client sends, as it is asked for."""
        while True:
            data = self._socket.recv(CHUNK)
            if not data:
                return
            self._received += len(data)
            most = BEFORE_LOGIN_BYTES if self.session is None else MESSAGE_BYTES
            if self._received > most:
                raise ServeError(
                    "54000", f"a message of more than {most} bytes is not taken", fatal=True
                )
            for message in self._wire.receive(data):
                self._received = 0 if self.session is not None else self._received
                yield message

    def _send(self, message: Any) -> None:
        self._out += self._wire.send(message)
        if len(self._out) > CHUNK:
            self._flush()

    def _flush(self) -> None:
        if self._out:
            data, self._out = self._out, bytearray()
            self._socket.settimeout(SEND_SECONDS)
            try:
                self._socket.sendall(data)
            finally:
                self._socket.settimeout(LOGIN_SECONDS if self.session is None else None)

    def _last_words(self, error: ServeError) -> None:
        error.fatal = True
        with suppress(OSError):
            self._out += m.ErrorResponse(error.fields()).to_wire()
            self._flush()

    # The beginning.

    def _log_in(self, incoming: Iterator[Any]) -> bool:
        """Whether there is a session now; cancel requests and probes end without one."""
        for message in incoming:
            if isinstance(message, m.SSLRequest):
                self._send(m.SSLResponse(accepted=False))
                self._flush()
            elif isinstance(message, m.GSSEncRequest):
                self._send(m.GSSResponse(accepted=False))
                self._flush()
            elif isinstance(message, m.CancelRequest):
                self._host.cancel(message.process_id, message.secret_key)
                return False
            elif isinstance(message, m.StartupMessage):
                if self._host.verifier is not None:
                    self._authenticate(incoming, self._host.verifier)
                self._begin(message)
                return True
            else:
                return False
        return False

    def _authenticate(self, incoming: Iterator[Any], verifier: Verifier) -> None:
        exchange = Exchange(verifier)
        self._send(m.AuthenticationSASL(mechanisms=[MECHANISM]))
        self._flush()
        first = next(incoming, None)
        if not isinstance(first, m.SASLInitialResponse):
            raise ServeError("28000", "this server asks for a password", fatal=True)
        challenge = exchange.challenge(first.mechanism, first.data)
        self._send(m.AuthenticationSASLContinue(data=challenge))
        self._flush()
        last = next(incoming, None)
        if not isinstance(last, m.SASLResponse):
            raise ServeError("28000", "this server asks for a password", fatal=True)
        self._send(m.AuthenticationSASLFinal(data=exchange.proved(last.data)))

    def _begin(self, startup: Any) -> None:
        given = dict(startup.params)
        self.session = self._host.admit(self, given)
        self.session.gone = self._has_gone
        if startup.protocol_version == PLAIN:
            self.secret = self.secret[:4]
        self._send(m.AuthenticationOk())
        self._report()
        self._send(m.BackendKeyData(process_id=self.process, secret_key=self.secret))
        self._ready()

    def _has_gone(self) -> bool:
        """Whether the client has closed its side, while it sends nothing."""
        try:
            self._socket.setblocking(False)
            return not self._socket.recv(1, socket.MSG_PEEK)
        except BlockingIOError:
            return False
        except OSError:
            return True
        finally:
            self._socket.settimeout(None)

    def _report(self) -> None:
        """Tells the client of settings that have changed."""
        assert self.session is not None
        for name, shown in REPORTED.items():
            value = self.session.settings.get(name)
            if self._reported.get(name) != value:
                self._reported[name] = value
                self._send(m.ParameterStatus(name=shown, value=value))

    def _ready(self) -> None:
        assert self.session is not None
        self._report()
        self._send(m.ReadyForQuery(status=TransactionStatus(self.session.status)))
        self._flush()

    # Statements.

    def _answer(self, message: Any) -> None:
        session = self.session
        assert session is not None
        if isinstance(message, _COPIED) or (isinstance(message, m.Query) and self._skips):
            return  # as PostgreSQL does: after an error, a Sync has to come first
        if isinstance(message, m.Query):
            self._guard(lambda: self._simple(session, message.query_string))
            session.synced()
            self._ready()
        elif isinstance(message, m.Sync):
            self._skips = False
            session.synced()
            self._ready()
        elif isinstance(message, m.Flush):
            self._flush()
        elif isinstance(message, m.FunctionCall):
            self._error(ServeError("0A000", "function calls by number are not available"))
            self._ready()
        elif not self._skips:
            self._skips = not self._guard(lambda: self._extended(session, message))

    def _guard(self, step: Callable[[], None]) -> bool:
        assert self.session is not None
        self.session.running(None)
        try:
            step()
        except (PygwireError, OSError):
            raise
        except Exception as error:
            known = translated(error)
            if known.code == "XX000":
                _log.warning("a statement failed", exc_info=error)
            self.session.failed()
            self._error(known)
            if known.fatal:
                raise known from error
            return False
        finally:
            self.session.running(None)
        return True

    def _error(self, error: ServeError) -> None:
        self._send(m.ErrorResponse(error.fields()))

    def _simple(self, session: Session, text: str) -> None:
        found = statements(text)
        if not found:
            self._send(m.EmptyQueryResponse())
        for sql in found:
            session.running(None)
            portal = session.open(sql)
            try:
                if portal.copies is None and portal.columns is not None:
                    self._send(described(portal.columns, ()))
                self._rows(session, portal, 0)
            finally:
                portal.close()

    def _rows(self, session: Session, portal: Portal, most: int) -> None:
        """Sends rows, and how it ended."""
        session.running(portal)
        copies = portal.copies
        if copies is not None and portal.columns is not None:
            self._send(m.CopyOutResponse(overall_format=0, col_formats=[0] * len(portal.columns)))
            if copies.header:
                names = tuple(column.name.encode() for column in portal.columns)
                self._send(m.CopyData(data=line(names, copies)))
        sent = 0
        while portal.columns is not None:
            if portal.live:
                self._flush()
            rows = portal.take(most)
            sent += len(rows)
            for row in rows:
                if copies is not None:
                    self._send(m.CopyData(data=line(row, copies)))
                else:
                    self._out += m.DataRow(columns=list(row)).to_wire()
                    if len(self._out) > CHUNK:
                        self._flush()
            if most and len(rows) == most:
                self._send(m.PortalSuspended())
                return
            if most or not rows:
                break
        if copies is not None:
            self._send(m.CopyDone())
        tag = portal.tag(sent)
        self._send(m.CommandComplete(tag=tag) if tag else m.EmptyQueryResponse())

    def _extended(self, session: Session, message: Any) -> None:
        if isinstance(message, m.Parse):
            if len(statements(message.query)) > 1:
                raise ServeError(
                    "42601", "cannot insert multiple commands into a prepared statement"
                )
            session.prepare(message.statement, message.query, message.param_types)
            self._send(m.ParseComplete())
        elif isinstance(message, m.Bind):
            self._bind(session, message)
        elif isinstance(message, m.Describe):
            self._describe(session, message)
        elif isinstance(message, m.Execute):
            portal = session.portal(message.portal)
            if portal.copies is not None:
                text = "COPY is not available in the extended protocol: send it as a simple query"
                raise ServeError("0A000", text)
            self._rows(session, portal, message.max_rows)
        elif isinstance(message, m.Close):
            if message.kind == "S":
                session.prepared.pop(message.name, None)
            elif message.name in session.portals:
                session.portals.pop(message.name).close()
            self._send(m.CloseComplete())
        else:
            raise ServeError("08P01", f"unexpected message {type(message).__name__}", fatal=True)

    def _bind(self, session: Session, message: Any) -> None:
        prepared = session.statement(message.statement)
        values, given = message.param_values, message.param_formats
        if len(values) != len(prepared.types):
            raise ServeError(
                "08P01",
                f"bind message supplies {len(values)} parameters, but the statement "
                f"requires {len(prepared.types)}",
            )
        forms = list(given) if len(given) == len(values) else [*given, TEXT][:1] * len(values)
        literals = [
            literal(oid, form, value)
            for oid, form, value in zip(prepared.types, forms, values, strict=True)
        ]
        if message.portal and message.portal in session.portals:
            raise ServeError("42P03", f'portal "{message.portal}" already exists')
        before = session.portals.pop(message.portal, None)
        if before is not None:
            before.close()
        session.portals[message.portal] = session.open(
            prepared.sql, literals, message.result_formats
        )
        self._send(m.BindComplete())

    def _describe(self, session: Session, message: Any) -> None:
        if message.kind == "S":
            types, columns = session.describe(message.name)
            self._send(m.ParameterDescription(type_oids=list(types)))
            self._send(m.NoData() if columns is None else described(columns, ()))
            return
        if message.name in session.cursors:
            self._send(described(session.cursor(message.name).columns, ()))
            return
        portal = session.portal(message.name)
        if portal.columns is None or portal.copies is not None:
            self._send(m.NoData())
        else:
            self._send(described(portal.columns, portal.forms))


def described(columns: list[Column], forms: Any) -> m.RowDescription:
    """Columns of a result, as the client is told of them."""
    of = list(forms) if len(forms) == len(columns) else [*forms, TEXT][:1] * len(columns)
    return m.RowDescription(
        fields=[
            m.FieldDescription(
                name=column.name.replace("\0", ""),
                type_oid=column.codec.oid,
                type_size=column.codec.size,
                type_modifier=column.codec.modifier,
                format_code=form,
            )
            for column, form in zip(columns, of, strict=True)
        ]
    )
