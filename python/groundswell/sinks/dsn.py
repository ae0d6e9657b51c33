"""Connection strings of libpq, taken apart so that their secrets can be told from the rest.

A text that cannot be taken apart is never shown, and what libpq says about it neither: a password
with a space in it would be repeated in pieces.
"""

from __future__ import annotations

import re
from urllib.parse import parse_qsl, unquote

from groundswell.errors import ConfigurationError

MASK = "***"
PLAIN = frozenset(
    "host hostaddr port dbname user service servicefile application_name fallback_application_name "
    "connect_timeout client_encoding options keepalives keepalives_idle keepalives_interval "
    "keepalives_count tcp_user_timeout replication gssencmode sslmode sslnegotiation requiressl "
    "sslcompression sslcert sslkey sslcertmode sslrootcert sslcrl sslcrldir sslsni requirepeer "
    "require_auth ssl_min_protocol_version ssl_max_protocol_version min_protocol_version "
    "max_protocol_version krbsrvname gsslib gssdelegation target_session_attrs load_balance_hosts "
    "channel_binding passfile".split()
)
"""Keywords whose values may be shown."""
SECRET = frozenset(("password", "sslpassword", "scram_client_key", "scram_server_key"))
"""Keywords whose values are secrets; there may be others that we do not know, and do not take."""

_URL = re.compile(r"postgres(?:ql)?://", re.IGNORECASE)
_PAIR = re.compile(
    r"\s*(\w+)\s*=\s*('(?:[^'\\]|\\.)*'|(?:[^\s\\']|\\.)(?:[^\s\\]|\\.)*|)", re.DOTALL
)
_PORT = re.compile(r"\d*(?:,\d*)*")


def parts_of(text: str) -> dict[str, str] | None:
    """Keywords and values of a connection string or URL; None: it cannot be taken apart."""
    found = _of_url(text) if _URL.match(text) else _of_pairs(text)
    known = found is not None and all(k in PLAIN or k in SECRET for k in found)
    return found if known else None


def checked(what: str, text: str) -> str:
    """The text, if it can be taken apart.

    Raises:
        ConfigurationError: it cannot; the message does not have it.
    """
    if parts_of(text) is None:
        raise ConfigurationError(
            f"{what}: dsn is not a connection string of libpq, as host=db dbname=shop user=me or "
            "postgresql://me@db/shop. It is not shown, for it may hold a password. Quote values "
            "with spaces (password='a b'), and write @ : / in a URL's password as %40 %3A %2F"
        )
    return text


def shown(text: str) -> str:
    """A connection string for people: its secrets are stars, and so is all of it if unreadable."""
    parts = parts_of(text)
    if parts is None:
        return MASK
    return " ".join(f"{k}={_quoted(v) if k in PLAIN or not v else MASK}" for k, v in parts.items())


def secrets_of(text: str) -> list[str]:
    """The secrets in a connection string, as they are written there and as the server gets them."""
    found = [v for k, v in (parts_of(text) or {}).items() if k in SECRET and v]
    return sorted({each for each in (*found, *_written(text)) if each}, key=len, reverse=True)


def _written(text: str) -> list[str]:
    """The password of a URL with its percent signs."""
    authority = re.split(r"[/?]", _URL.sub("", text, count=1), maxsplit=1)[0]
    user, _, _ = authority.rpartition("@")
    return [user.partition(":")[2]] if _URL.match(text) else []


def _of_pairs(text: str) -> dict[str, str] | None:
    found: dict[str, str] = {}
    at = 0
    text = text.strip()
    while at < len(text):
        pair = _PAIR.match(text, at)
        if pair is None or (pair.end() < len(text) and not text[pair.end()].isspace()):
            return None
        value = pair[2]
        inner = value[1:-1] if value.startswith("'") else value
        found[pair[1]] = re.sub(r"\\(.)", r"\1", inner, flags=re.DOTALL)
        at = pair.end()
    return found


def _of_url(text: str) -> dict[str, str] | None:
    rest = _URL.sub("", text, count=1)
    if re.search(r"\s", rest):
        return None
    cut = re.search(r"[/?]", rest)
    authority, tail = (rest[: cut.start()], rest[cut.start() :]) if cut else (rest, "")
    path, _, query = tail.partition("?")
    user, at, hosts = authority.rpartition("@")
    if "@" in user or "@" in path or user.count(":") > 1:
        return None  # not said where the password ends
    name, _, password = user.partition(":")
    places = [_place(host) for host in hosts.split(",")]
    found = {
        "user": name if at else "",
        "password": password,
        "host": ",".join(host for host, _ in places),
        "port": ",".join(port for _, port in places) if any(p for _, p in places) else "",
        "dbname": path.removeprefix("/"),
    }
    if not _PORT.fullmatch(found["port"]):
        return None
    decoded = {key: unquote(value) for key, value in found.items() if value}
    return {**decoded, **dict(parse_qsl(query, keep_blank_values=True))}


def _place(host: str) -> tuple[str, str]:
    if host.startswith("["):
        name, _, port = host.partition("]")
        return f"{name}]", port.removeprefix(":")
    name, _, port = host.partition(":")
    return name, port


def _quoted(value: str) -> str:
    if value and not re.search(r"[\s'\\]", value):
        return value
    return "'" + value.replace("\\", "\\\\").replace("'", "\\'") + "'"
