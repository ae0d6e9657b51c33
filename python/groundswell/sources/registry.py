"""Options of schema registries: where one is, and which subjects a topic's messages have."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from groundswell import suggestions
from groundswell.api.decoded_events import Registered
from groundswell.contract.messages import RegistryAccess
from groundswell.errors import ConfigurationError
from groundswell.sinks.trust import check_file

ENCODINGS = ("avro", "protobuf")
"""Of messages whose schemas a registry has."""
OPTIONS = (
    "url",
    "username",
    "password",
    "ca",
    "timeout",
    "subject",
    "key_subject",
    "key_encode",
    "version",
    "message",
)
SECONDS = 10.0
"""How long to wait for an answer, unless the options say otherwise."""


def registered(
    what: str,
    encode: str,
    registry: str | Mapping[str, Any] | None,
    topics: Sequence[str],
    keyed: bool,
) -> Registered:
    """What the options say of a registry; asks no server.

    Args:
        what: begins messages.
        encode: of the values, one of :data:`ENCODINGS`.
        registry: its address, or options by the names in :data:`OPTIONS`.
        topics: whose messages they are; one gives the subjects their names.
        keyed: whether keys are read.

    Raises:
        ConfigurationError: an option is unknown, missing, or has no such value.
    """
    if encode not in ENCODINGS:
        raise ConfigurationError(
            f"{what}: encode must be one of json, {', '.join(ENCODINGS)}, got {encode!r}"
        )
    given = {"url": registry} if isinstance(registry, str) else dict(registry or {})
    for name in given:
        if name not in OPTIONS:
            near = suggestions.nearest(name, OPTIONS)
            hint = f" Did you mean {near!r}?" if near else ""
            raise ConfigurationError(
                f"{what}: a schema registry has no option {name!r}.{hint} There are "
                f"{', '.join(sorted(OPTIONS))}"
            )
    given = {name: value for name, value in given.items() if value is not None}
    key_encode = str(given.get("key_encode", encode)).lower()
    if key_encode not in (*ENCODINGS, "json"):
        raise ConfigurationError(
            f"{what}: key_encode must be one of json, {', '.join(ENCODINGS)}, got {key_encode!r}"
        )
    if not keyed and {"key_subject", "key_encode"} & given.keys():
        raise ConfigurationError(
            f"{what}: key_subject and key_encode need a key: every message is one more row"
        )
    if "message" in given and encode != "protobuf":
        raise ConfigurationError(f"{what}: message= names a message of Protobuf, not of {encode}")
    names = {"subject": "value", **({"key_subject": "key"} if key_encode != "json" else {})}
    subjects = {
        name: str(given.get(name) or f"{_only(what, topics, name)}-{end}")
        for name, end in names.items()
        if keyed or name == "subject"
    }
    return Registered(
        access_of(what, given),
        encode,
        subjects["subject"],
        _version(what, given.get("version", "latest")),
        given.get("message"),
        key_encode,
        subjects.get("key_subject", ""),
    )


def access_of(what: str, given: Mapping[str, Any]) -> RegistryAccess:
    """A registry, and what lets a client in.

    Raises:
        ConfigurationError: an option is missing, or has no such value.
    """
    text = str(given.get("url", ""))
    urls = tuple(each.strip().rstrip("/") for each in text.split(",") if each.strip())
    if not urls:
        raise ConfigurationError(
            f"{what}: messages in Avro and Protobuf need a schema registry: give its address, as "
            "'http://host:8081', or several with commas between them"
        )
    for url in urls:
        place = urlsplit(url)
        if place.scheme not in ("http", "https") or not place.hostname:
            raise ConfigurationError(
                f"{what}: a schema registry has an address as 'http://host:8081', got "
                f"{_shown(url)!r}"
            )
        if place.username is not None or place.password is not None:
            raise ConfigurationError(
                f"{what}: the address {_shown(url)!r} of the schema registry has a user in it: "
                "give username and password as options of their own"
            )
    if ("username" in given) != ("password" in given):
        raise ConfigurationError(
            f"{what}: username and password of a schema registry go together: give both"
        )
    return RegistryAccess(
        urls,
        given.get("username"),
        given.get("password"),
        _certificates(what, given.get("ca")),
        _millis(what, given.get("timeout", SECONDS)),
    )


def _shown(url: str) -> str:
    before, at, after = url.rpartition("@")
    return f"{before.partition('://')[0]}://***@{after}" if at else url


def _only(what: str, topics: Sequence[str], option: str) -> str:
    if len(topics) != 1:
        raise ConfigurationError(
            f"{what}: give {option}=: only the name of a single topic says which subject it has"
        )
    return topics[0]


def _version(what: str, given: Any) -> str:
    text = str(given).lower()
    if text != "latest" and not (text.isdecimal() and int(text) > 0):
        raise ConfigurationError(
            f"{what}: version of a subject must be a number from 1 on, or latest, got {given!r}"
        )
    return text


def _millis(what: str, given: Any) -> int:
    try:
        seconds = float(given)
    except (TypeError, ValueError):
        seconds = math.nan
    if not 0 < seconds <= 3600:
        raise ConfigurationError(
            f"{what}: timeout of a schema registry must be a number of seconds above 0, got "
            f"{given!r}"
        )
    return max(1, round(seconds * 1000))


def _certificates(what: str, path: Any) -> str | None:
    if path is None:
        return None
    check_file(f"{what}: ca", str(path))
    try:
        text = Path(path).read_text("ascii")
    except (OSError, UnicodeDecodeError) as e:
        why = e.strerror if isinstance(e, OSError) else "it is not a PEM text"
        raise ConfigurationError(f"{what}: ca names {path}, which cannot be read: {why}") from e
    if "-----BEGIN CERTIFICATE-----" not in text:
        raise ConfigurationError(f"{what}: ca names {path}, which has no certificate in PEM")
    return text
