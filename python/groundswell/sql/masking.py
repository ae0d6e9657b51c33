"""Secrets in statements: never kept, never shown. Pure but for :func:`resolved`.

A statement is kept as it was written, so it must not have a password in it. Every option that is a
password has two siblings: ``OPTION_env`` names an environment variable of the process that runs the
pipeline, ``OPTION_file`` a file. Statements that an older release has kept are shown with stars.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path

from groundswell.errors import ConfigurationError
from groundswell.sinks.options import mask_text
from groundswell.sql.tokens import NAME, STRING, WORD, Token, tokens

_SECRET = re.compile(
    r"password|secret|token|credential|sasl\.jaas|access\.?key|private", re.IGNORECASE
)
_REFERENCE = re.compile(r"(.+)_(env|file)", re.IGNORECASE)
MASK = "'***'"


def is_secret(option: str) -> bool:
    """Whether an option's value is a secret, as its name says; references to secrets are none."""
    return bool(_SECRET.search(option)) and not _REFERENCE.fullmatch(option)


def check_no_secrets(what: str, options: Mapping[str, str]) -> None:
    """Refuses options that hold a secret themselves.

    Raises:
        ConfigurationError: with the way round; the secret is not in the message.
    """
    for option, value in options.items():
        if is_secret(option):
            raise ConfigurationError(
                f"{what}: option {option} holds a secret, and statements are kept as they are "
                f"written: name an environment variable of the process that runs the pipeline with "
                f"{option}_env = '...', or a file with {option}_file = '...'"
            )
        if mask_text(value) != value:
            raise ConfigurationError(
                f"{what}: option {option} holds a password, and statements are kept as they are "
                "written: leave it out there, and say where it is with password_env = '...' or "
                "password_file = '...'"
            )


def resolved(what: str, options: Mapping[str, str]) -> dict[str, str]:
    """Options with the secrets that they refer to.

    Raises:
        ConfigurationError: an environment variable or a file is not there.
    """
    found: dict[str, str] = {}
    for option, value in options.items():
        reference = _REFERENCE.fullmatch(option)
        if reference is None or not _SECRET.search(reference[1]):
            found[option] = value
        elif reference[2].lower() == "env":
            if value not in os.environ:
                raise ConfigurationError(
                    f"{what}: {option} names the environment variable {value}, which is not set; "
                    "set it in the environment of the process that runs the pipeline"
                )
            found[reference[1]] = os.environ[value]
        else:
            try:
                found[reference[1]] = Path(value).read_text("utf-8").rstrip("\r\n")
            except OSError as e:
                raise ConfigurationError(
                    f"{what}: {option} names {value}, which cannot be read: {e.strerror}"
                ) from e
    return found


def masked(text: str) -> str:
    """A statement whose passwords are stars, in ``WITH (...)`` and in URLs of its texts."""
    found = tokens(text)
    parts: list[str] = []
    at = depth = 0
    for i, token in enumerate(found):
        if depth == 0:
            opens = token.text == "(" and i > 0 and found[i - 1].upper == "WITH"
            depth = 1 if opens else 0
        elif token.text in ("(", ")"):
            depth += 1 if token.text == "(" else -1
        elif depth == 1 and token.kind in (STRING, WORD) and found[i - 1].text == "=":
            shown = mask_text(token.text[1:-1])
            if is_secret(_key(found, i - 2)):
                parts += [text[at : token.start], MASK]
            elif token.kind == STRING and shown != token.text[1:-1]:
                parts += [text[at : token.start], token.text[0], shown, token.text[-1]]
            else:
                continue
            at = token.end
    return "".join([*parts, text[at:]])


def _key(found: list[Token], last: int) -> str:
    first = last
    while first >= 2 and found[first - 1].text == ".":
        first -= 2
    return ".".join(t.value for t in found[first : last + 1] if t.kind in (WORD, NAME, STRING))
