"""Statements as they may be shown: without what is secret. Pure."""

from __future__ import annotations

import re

from groundswell.sql.tokens import STRING, WORD, tokens

_SECRET = re.compile(
    r"password|secret|token|credential|sasl\.jaas|access\.?key|private", re.IGNORECASE
)
MASK = "'***'"
_IN_URL = re.compile(r"(?<=://)([^/@\s:']*):([^@\s']*)(?=@)")
_IN_DSN = re.compile(r"(?i)\b(password\s*=\s*)([^\s']+)(?=[^']*'\s*[,)])")


def masked(text: str) -> str:
    """A statement whose passwords are stars.

    The value of an option counts as secret if the option's name says so; passwords in URLs and
    connection strings do, too.
    """
    found = tokens(text)
    parts: list[str] = []
    at = 0
    for i in range(2, len(found)):
        if found[i].kind not in (STRING, WORD) or found[i - 1].text != "=":
            continue
        if _SECRET.search(_key(text, found, i - 2)):
            parts += [text[at : found[i].start], MASK]
            at = found[i].end
    shown = "".join([*parts, text[at:]])
    return _IN_DSN.sub(r"\1***", _IN_URL.sub(r"\1:***", shown))


def _key(text: str, found: list, last: int) -> str:  # type: ignore[type-arg]
    first = last
    while first >= 2 and found[first - 1].text == ".":
        first -= 2
    return text[found[first].start : found[last].end]
