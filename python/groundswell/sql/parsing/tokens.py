"""Cuts SQL text into tokens and statements, by Spark's quoting rules. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from groundswell.errors import SqlSyntaxError

WORD, NAME, STRING, NUMBER, SYMBOL = "word", "name", "string", "number", "symbol"
DOLLARS = "dollars"

_TOKEN = re.compile(
    r"""(?P<space>\s+)
      | (?P<line>--(?:\\\n|[^\n])*)
      | (?P<block>/\*)
      | (?P<dollars>\$(?P<tag>(?:[^\W\d]\w*)?)\$.*?\$(?P=tag)\$)
      | (?P<raw>[rR](?:'[^']*'|"[^"]*"))
      | (?P<string>'(?:\\.|''|[^'\\])*'|"(?:\\.|""|[^"\\])*")
      | (?P<name>`(?:``|[^`])*`)
      | (?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?[A-Za-z]*\b)
      | (?P<word>[^\W\d]\w*|\d+[^\W\d]\w*)
      | (?P<symbol>->|=>|<=>|<>|!=|>=|<=|==|\|\||::|:=|[^\s])
    """,
    re.VERBOSE | re.DOTALL,
)
_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-7]{3})|(.))", re.DOTALL)
_ESCAPED = {"0": "\0", "b": "\b", "n": "\n", "r": "\r", "t": "\t", "Z": "\x1a"}


@dataclass(frozen=True)
class Token:
    """One word of a statement.

    Attributes:
        kind: one of :data:`WORD`, :data:`NAME` (in backticks), :data:`STRING`, :data:`NUMBER`,
            :data:`SYMBOL`, :data:`DOLLARS` (``$$ ... $$``, in which nothing is escaped).
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
        """A word in capitals; of another kind, nothing that is a keyword."""
        return self.text.upper() if self.kind == WORD else ""

    @property
    def value(self) -> str:
        """What the token stands for: a string or name without its quotes."""
        if self.kind == NAME:
            return self.text[1:-1].replace("``", "`")
        if self.kind == DOLLARS:
            around = self.text.index("$", 1) + 1
            return self.text[around:-around]
        if self.kind != STRING:
            return self.text
        if self.text[0] in "rR":
            return self.text[2:-1]
        quote = self.text[0]
        return _ESCAPE.sub(_unescaped, self.text[1:-1].replace(quote * 2, quote))


def _unescaped(found: re.Match[str]) -> str:
    short, long, octal, char = found.groups()
    if short or long:
        return chr(int(short or long, 16))
    if octal:
        return chr(int(octal, 8))
    return "\\" + char if char in "%_" else _ESCAPED.get(char, char)


def text_of(value: str) -> str:
    """A text as a statement has it, in quotes."""
    escaped = value.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"


def tokens(text: str) -> list[Token]:
    """The tokens of a text, without spaces and comments.

    Raises:
        SqlSyntaxError: a quote or comment is not closed.
    """
    return list(_tokens(text))


def _tokens(text: str) -> Iterator[Token]:
    at = 0
    while at < len(text):
        found = _TOKEN.match(text, at)
        assert found is not None, "each character is some token"
        kind = str(found.lastgroup)
        if kind == "block":
            at = _end_of_comment(text, at)
            continue
        if kind == SYMBOL and found[0] in "'\"`":
            raise syntax_error(text, at, f"{found[0]} is not closed")
        if kind == SYMBOL and text.startswith("$$", at):
            raise syntax_error(text, at, "$$ is not closed")
        if kind == "raw":
            kind = STRING
        if kind not in ("space", "line"):
            yield Token(kind, found[0], at)
        at = found.end()


def _end_of_comment(text: str, start: int) -> int:
    """Comments in brackets hold others."""
    depth = 0
    for found in re.compile(r"/\*|\*/").finditer(text, start):
        depth += 1 if found[0] == "/*" else -1
        if depth == 0:
            return found.end()
    raise syntax_error(text, start, "the comment /* is not closed")


def place(text: str, at: int) -> tuple[int, int]:
    """Line and column of a position, both from 1."""
    line = text.count("\n", 0, at) + 1
    return line, at - (text.rfind("\n", 0, at) + 1) + 1


def syntax_error(text: str, at: int, what: str) -> SqlSyntaxError:
    """An error that names the place, and shows its line."""
    line, column = place(text, at)
    shown = text.split("\n")[line - 1]
    return SqlSyntaxError(f"{what}\n  {shown}\n  {' ' * (column - 1)}^", line, column)


@dataclass(frozen=True)
class Statement:
    """One statement of a text, without its semicolon.

    Attributes:
        start: where it begins in the whole text.
    """

    text: str
    start: int


def statements(text: str) -> list[Statement]:
    """Cuts a text at the semicolons that stand for themselves; the last one may have none."""
    found, rest = split(text)
    return [*found, rest] if rest else found


def split(text: str) -> tuple[list[Statement], Statement | None]:
    """The statements of a text that end with a semicolon, and what comes after them."""
    found: list[Statement] = []
    first: Token | None = None
    last: Token | None = None
    for token in tokens(text):
        if token.kind == SYMBOL and token.text == ";":
            if first is not None and last is not None:
                found.append(Statement(text[first.start : last.end], first.start))
            first = None
            continue
        first = first or token
        last = token
    if first is None or last is None:
        return found, None
    return found, Statement(text[first.start : last.end], first.start)
