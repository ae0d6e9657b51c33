"""The server's side of SCRAM-SHA-256 (RFC 5802 and 7677), over the standard library's hashes.

The server keeps no password, only what proves that a client knows it.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import secrets
import unicodedata
from dataclasses import dataclass

from groundswell.serve.errors import ServeError

MECHANISM = "SCRAM-SHA-256"
ITERATIONS = 4096
_SALT_BYTES = 16
_NONCE_BYTES = 18


@dataclass(frozen=True)
class Verifier:
    """What the server keeps of a password."""

    salt: bytes
    stored_key: bytes
    server_key: bytes

    @staticmethod
    def of(password: str) -> Verifier:
        """The verifier of a password, with a salt of its own."""
        salt = secrets.token_bytes(_SALT_BYTES)
        normal = unicodedata.normalize("NFKC", password).encode("utf-8")
        salted = hashlib.pbkdf2_hmac("sha256", normal, salt, ITERATIONS)
        client_key = _mac(salted, b"Client Key")
        return Verifier(salt, hashlib.sha256(client_key).digest(), _mac(salted, b"Server Key"))


class Exchange:
    """One login.

    Args:
        verifier: of the password.
    """

    def __init__(self, verifier: Verifier) -> None:
        self._verifier = verifier
        self._header = ""
        self._first = ""
        self._challenge = ""
        self._nonce = ""

    def challenge(self, mechanism: str, first: bytes) -> bytes:
        """The answer to the client's first message.

        Raises:
            ServeError: it is not a message of this mechanism (28000, 08P01).
        """
        if mechanism != MECHANISM:
            raise _failed(f"unknown mechanism {mechanism!r}: this server has {MECHANISM}")
        text = _text(first)
        flag, _, rest = text.partition(",")
        authorization, _, bare = rest.partition(",")
        if flag.startswith("p="):
            raise _failed("channel binding needs TLS, which this server does not have")
        if flag not in ("n", "y"):
            raise _failed("malformed SCRAM message")
        nonce = _attributes(bare).get("r", "")
        if not nonce:
            raise _failed("malformed SCRAM message: no nonce")
        self._header = f"{flag},{authorization},"
        self._first = bare
        self._nonce = nonce + secrets.token_urlsafe(_NONCE_BYTES)
        salt = base64.b64encode(self._verifier.salt).decode()
        self._challenge = f"r={self._nonce},s={salt},i={ITERATIONS}"
        return self._challenge.encode()

    def proved(self, last: bytes) -> bytes:
        """The answer to the client's proof.

        Raises:
            ServeError: the password was another one (28P01).
        """
        text = _text(last)
        without, _, proof = text.rpartition(",p=")
        found = _attributes(without)
        header = base64.b64encode(self._header.encode()).decode()
        if found.get("c") != header or found.get("r") != self._nonce:
            raise _failed("malformed SCRAM message")
        signed = f"{self._first},{self._challenge},{without}".encode()
        try:
            given = base64.b64decode(proof, validate=True)
        except binascii.Error:
            raise _failed("malformed SCRAM message") from None
        signature = _mac(self._verifier.stored_key, signed)
        client_key = bytes(a ^ b for a, b in zip(given, signature, strict=False))
        proven = hashlib.sha256(client_key).digest()
        if not hmac.compare_digest(proven, self._verifier.stored_key):
            raise ServeError("28P01", "password authentication failed", fatal=True)
        return b"v=" + base64.b64encode(_mac(self._verifier.server_key, signed))


def _mac(key: bytes, data: bytes) -> bytes:
    return hmac.new(key, data, hashlib.sha256).digest()


def _attributes(text: str) -> dict[str, str]:
    return {part[:1]: part[2:] for part in text.split(",") if part[1:2] == "="}


def _text(data: bytes) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        raise _failed("malformed SCRAM message") from None


def _failed(why: str) -> ServeError:
    return ServeError("28000", why, fatal=True)
