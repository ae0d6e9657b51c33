"""Cuts SQL text into tokens and statements, by PostgreSQL's quoting rules. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass

from groundswell.serve.errors import ServeError

WORD, QUOTED, STRING, NUMBER, PARAMETER, SYMBOL = (
    "word",
    "quoted",
    "string",
    "number",
    "parameter",
    "symbol",
)

_TOKEN = re.compile(
    r"""(?P<space>\s+)
      | (?P<line>--[^\n]*)
      | (?P<block>/\*)
      | (?P<string>[eE]'(?:\\.|''|[^'\\])*'|[bBxX]?'(?:''|[^'])*')
      | (?P<dollar>\$(?P<tag>(?:[^\W\d]\w*)?)\$.*?\$(?P=tag)\$)
      | (?P<quoted>"(?:""|[^"])*")
      | (?P<parameter>\$\d+)
      | (?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)
      | (?P<word>[^\W\d][\w$]*)
      | (?P<symbol>::|:=|=>|<=|>=|<>|!=|->>|->|\#>>|\#>|!~\*|!~|~\*|\|\||[^\s])
    """,
    re.VERBOSE | re.DOTALL,
)
_COMMENT = re.compile(r"/\*|\*/")


@dataclass(frozen=True)
class Token:
    """One word of a statement.

    Attributes:
        kind: one of :data:`WORD`, :data:`QUOTED`, :data:`STRING`, :data:`NUMBER`,
            :data:`PARAMETER`, :data:`SYMBOL`.
        text: as it is written.
        start: where it begins in the text.
    """

    kind: str
    text: str
    start: int

    @property
    def end(self) -> int:
        """Where it ends in the text."""
        return self.start + len(self.text)

    @property
    def upper(self) -> str:
        """An unquoted word in capitals; empty for every other token."""
        return self.text.upper() if self.kind == WORD else ""

    @property
    def name(self) -> str:
        """The name that an identifier stands for; empty for every other token."""
        if self.kind == QUOTED:
            return self.text[1:-1].replace('""', '"')
        return self.text.lower() if self.kind == WORD else ""

    @property
    def value(self) -> str:
        """The value of a string literal, or the text of another token."""
        if self.kind != STRING:
            return self.name or self.text
        if self.text[0] == "$":
            tag = self.text.index("$", 1) + 1
            return self.text[tag:-tag]
        if self.text[0] in "eE":
            return _unescaped(self.text[2:-1])
        return self.text[self.text.index("'") + 1 : -1].replace("''", "'")


def tokens(text: str) -> list[Token]:
    """The tokens of a text, without spaces and comments.

    Raises:
        ServeError: a quote or comment is not closed (SQLSTATE 42601).
    """
    found: list[Token] = []
    at = 0
    while at < len(text):
        match = _TOKEN.match(text, at)
        assert match is not None, "each character is some token"
        kind = str(match.lastgroup)
        if match["tag"] is not None:
            kind = STRING
        if kind == "block":
            at = _end_of_comment(text, at)
            continue
        if kind == SYMBOL and match[0] in "'\"":
            raise ServeError("42601", f"the quote {match[0]} is not closed", position=at + 1)
        if kind not in ("space", "line"):
            found.append(Token(kind, match[0], at))
        at = match.end()
    return found


def statements(text: str) -> list[str]:
    """The statements of a text, without their semicolons; empty ones are left out."""
    found: list[str] = []
    start: int | None = None
    end = 0
    for token in tokens(text):
        if token.text == ";" and token.kind == SYMBOL:
            if start is not None:
                found.append(text[start:end])
            start = None
            continue
        start = token.start if start is None else start
        end = token.end
    if start is not None:
        found.append(text[start:end])
    return found


def quoted(text: str) -> str:
    """A string literal of that value."""
    return "'" + text.replace("'", "''") + "'"


def identifier(name: str) -> str:
    """A quoted identifier of that name."""
    return '"' + name.replace('"', '""') + '"'


def _end_of_comment(text: str, start: int) -> int:
    depth = 0
    for found in _COMMENT.finditer(text, start):
        depth += 1 if found[0] == "/*" else -1
        if depth == 0:
            return found.end()
    raise ServeError("42601", "the comment /* is not closed", position=start + 1)


_ESCAPE = re.compile(
    r"\\(?:x([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-7]{1,3})|(.))|''", re.DOTALL
)
_ESCAPED = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}


def _unescaped(text: str) -> str:
    def replaced(found: re.Match[str]) -> str:
        code = found[1] or found[2] or found[3]
        if code:
            return chr(int(code, 16))
        if found[4]:
            return chr(int(found[4], 8))
        return _ESCAPED.get(found[5], found[5]) if found[5] else "'"

    return _ESCAPE.sub(replaced, text)
