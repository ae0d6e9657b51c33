"""What a user says of a sink: checked against a list, with passwords masked wherever it shows."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote, quote_plus

from groundswell.errors import ConfigurationError
from groundswell.sinks.dsn import MASK, checked, secrets_of, shown
from groundswell.sinks.trust import check_addresses, check_file, check_variable
from groundswell.suggestions import meant

DSN = "dsn"
"""An option of this name is a connection string of libpq."""
_IN_URL = re.compile(r"(?<=://)([^/@\s:]*):([^\s]+)(?=@)")
_IS_URL = re.compile(r"\s*[a-z][\w+.:-]*://([^/@\s:]*):(.+)(?=@)", re.IGNORECASE | re.DOTALL)
"""A text that is a URL as a whole; the password of such a one may have spaces."""
_IN_ORACLE = re.compile(r"(jdbc:oracle:\w+:[^/@\s]*/)(.+)(?=@)", re.IGNORECASE | re.DOTALL)
_IN_DSN = re.compile(
    r"(?i)(\b\w*(?:password|passwd|pwd|passphrase|secret|token|api_?key|access_?key)\w*\s*=\s*)"
    r"('(?:[^'\\]|\\.)*'|[^\s'\"][^\s]*)"
)


@dataclass(frozen=True)
class SinkOption:
    """One option of a sink.

    Attributes:
        name: in lower case, with underscores.
        doc: what it does, for the user.
        type: ``str``, ``int``, ``bool``, or ``list`` of names (in SQL: separated by commas).
        default: the value when it is not given.
        required: whether it must be given.
        secret: whether it is a password. ``NAME_env`` then names an environment variable, and
            ``NAME_file`` a file, that holds it; no text that shows options has it.
        choices: the only values, if there are but few.
        least: the smallest value of a number.
    """

    name: str
    doc: str
    type: type = str
    default: Any = None
    required: bool = False
    secret: bool = False
    choices: tuple[str, ...] = ()
    least: int = 0


class SinkOptions(Mapping[str, Any]):
    """The options of one sink, all of them, with values.

    ``options["password"]`` gives the password from wherever it is; ``repr`` shows none.

    Examples:
        >>> password = gs.SinkOption("password", "of the user", secret=True)
        >>> known = [gs.SinkOption("host", "the server"), password]
        >>> given = {"host": "db", "password": "abc"}
        >>> options = gs.SinkOptions(known, given, "sink s")
        >>> options["password"]
        'abc'
        >>> options
        host=db, password=***
        >>> options.mask("cannot connect as u:abc")
        'cannot connect as u:***'
    """

    def __init__(self, known: Iterable[SinkOption], given: Mapping[str, Any], what: str) -> None:
        """Checks the options.

        Args:
            known: all that there are.
            given: what the user said.
            what: the sink, for messages.

        Raises:
            ConfigurationError: an unknown name, a value that is none, or one that is missing.
        """
        self._what = what
        self._known = {option.name: option for option in known}
        self._values: dict[str, Any] = {}
        self._from: dict[str, tuple[str, str]] = {}
        names = {n: o for o in self._known.values() for n in _names(o)}
        for key, value in given.items():
            option = names.get(key.lower())
            if option is None:
                raise ConfigurationError(_unknown(what, key, names))
            if option.secret and value == "":
                continue  # an empty secret is none
            if key.lower() == option.name:
                self._values[option.name] = _convert(what, option, value)
            else:
                self._from[option.name] = (key.lower().removeprefix(f"{option.name}_"), str(value))
        for name, (kind, place) in self._from.items():
            check = check_variable if kind == "env" else check_file
            check(f"{what}: {name}_{kind}", place)
        check_addresses(what, self._values)
        for option in self._known.values():
            if option.name in self._values and option.name in self._from:
                raise ConfigurationError(
                    f"{what}: {option.name} is given twice; give one of {', '.join(_names(option))}"
                )
            if (
                option.required
                and option.name not in self._values
                and option.name not in self._from
            ):
                raise ConfigurationError(
                    f"{what} needs option {' or '.join(_names(option))}: {option.doc}"
                )

    def __getitem__(self, name: str) -> Any:
        option = self._known[name]
        if name in self._from:
            return self._secret(name)
        return self._values.get(name, option.default)

    def __iter__(self) -> Iterator[str]:
        return iter(self._known)

    def __len__(self) -> int:
        return len(self._known)

    def given(self, name: str) -> bool:
        """Whether the user gave it."""
        return name in self._values or name in self._from

    def _secret(self, name: str) -> str:
        kind, place = self._from[name]
        if kind == "env":
            if place not in os.environ:
                raise ConfigurationError(
                    f"{self._what}: {name}_env names the environment variable {place}, which is "
                    "not set; set it in the environment of the driver"
                )
            return os.environ[place]
        try:
            return Path(place).read_text("utf-8").rstrip("\r\n")
        except OSError as e:
            raise ConfigurationError(
                f"{self._what}: {name}_file names {place}, which cannot be read: {e.strerror}"
            ) from e

    def mask(self, text: str) -> str:
        """A text without the passwords that are in it."""
        for option in self._known.values():
            if option.secret and self.given(option.name):
                try:
                    value = self[option.name]
                except ConfigurationError:
                    continue
                for form in _forms(value) if value else ():
                    text = text.replace(form, MASK)
            elif option.name == DSN:
                for secret in secrets_of(self[DSN] or ""):
                    text = text.replace(secret, MASK)
        return mask_text(text)

    def hides(self, text: str) -> bool:
        """Whether a text holds a password."""
        return self.mask(text) != text

    def __repr__(self) -> str:
        parts = []
        for option in self._known.values():
            if option.name in self._from:
                kind, place = self._from[option.name]
                parts.append(f"{option.name}_{kind}={place}")
            elif option.name in self._values:
                value = MASK if option.secret else self._values[option.name]
                dsn = option.name == DSN
                parts.append(f"{option.name}={shown(value) if dsn else _text(value)}")
        return ", ".join(parts)


def mask_text(text: str) -> str:
    """A text without the passwords of URLs and connection strings in it."""
    if whole := _IS_URL.match(text):
        text = text[: whole.start(2)] + MASK + text[whole.end(2) :]
    text = _IN_ORACLE.sub(rf"\g<1>{MASK}", text)
    return _IN_DSN.sub(rf"\g<1>{MASK}", _IN_URL.sub(rf"\g<1>:{MASK}", text))


def _forms(secret: str) -> list[str]:
    """A secret, and how URLs write it; servers and drivers repeat it so."""
    return sorted({secret, quote(secret), quote(secret, ""), quote_plus(secret)}, key=len)[::-1]


def _text(value: Any) -> str:
    return ",".join(value) if isinstance(value, tuple) else mask_text(str(value))


def _names(option: SinkOption) -> tuple[str, ...]:
    name = option.name
    return (name, f"{name}_env", f"{name}_file") if option.secret else (name,)


def _unknown(what: str, key: str, names: Mapping[str, SinkOption]) -> str:
    hint = meant(key, names)
    return f"{what} has no option {key!r}{hint}Its options are {', '.join(names)}"


def _convert(what: str, option: SinkOption, value: Any) -> Any:
    shown = MASK if option.secret else repr(value)
    if option.type is bool:
        text = str(value).lower()
        if text in ("true", "false"):
            return text == "true"
        raise ConfigurationError(f"{what}: {option.name} must be true or false, got {shown}")
    if option.type is int:
        try:
            number = int(str(value))
        except ValueError:
            number = option.least - 1
        if number < option.least or isinstance(value, bool):
            raise ConfigurationError(
                f"{what}: {option.name} must be a whole number from {option.least} on, got {shown}"
            )
        return number
    if option.type is list:
        names = value.split(",") if isinstance(value, str) else value
        if not isinstance(names, list | tuple) or not all(isinstance(n, str) for n in names):
            raise ConfigurationError(f"{what}: {option.name} must be names, got {shown}")
        return tuple(name.strip() for name in names if name.strip())
    if not isinstance(value, str) or not value.strip():
        raise ConfigurationError(f"{what}: {option.name} must be a text, got {shown}")
    if option.name == DSN:
        checked(what, value)
    if option.choices and value not in option.choices:
        raise ConfigurationError(
            f"{what}: {option.name} must be one of {', '.join(option.choices)}, got {shown}"
        )
    return value
