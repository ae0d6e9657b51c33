"""Reads tokens one after the other; what a grammar is written with. Pure."""

from __future__ import annotations

from collections.abc import Callable
from typing import NoReturn

from groundswell.sql.parsing.tokens import (
    NAME,
    NUMBER,
    STRING,
    SYMBOL,
    WORD,
    Token,
    syntax_error,
    tokens,
)

_END = Token(SYMBOL, "", -1)


class Cursor:
    """The tokens of one statement, and how far they are read."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens = tokens(text)
        self.at = 0

    @property
    def next(self) -> Token:
        """The token to be read; of an empty text at the end."""
        return self.tokens[self.at] if self.at < len(self.tokens) else _END

    @property
    def ended(self) -> bool:
        """Whether all is read."""
        return self.at >= len(self.tokens)

    def fail(self, wanted: str) -> NoReturn:
        """Refuses the token to be read."""
        token = self.next
        found = f"not {token.text!r}" if token is not _END else "but the statement ends"
        where = token.start if token is not _END else len(self.text.rstrip())
        raise syntax_error(self.text, where, f"expected {wanted}, {found}")

    def refuse(self, why: str) -> NoReturn:
        """Refuses the whole statement.

        Raises:
            SqlSyntaxError: at its first word.
        """
        raise syntax_error(self.text, self.tokens[0].start, why)

    def sees(self, *words: str) -> bool:
        """Whether these words come next."""
        ahead = self.tokens[self.at : self.at + len(words)]
        return [t.upper or t.text for t in ahead] == list(words)

    def take(self, *words: str) -> bool:
        """Reads these words if they come next."""
        seen = self.sees(*words)
        self.at += len(words) if seen else 0
        return seen

    def need(self, *words: str) -> None:
        """Reads these words."""
        for word in words:
            if not self.take(word):
                self.fail(word)

    def name(self, what: str = "a name") -> str:
        """Reads one part of a name."""
        token = self.next
        if token.kind not in (WORD, NAME) or not token.value:
            self.fail(what)
        self.at += 1
        return token.value

    def names(self, what: str = "a name") -> tuple[str, ...]:
        """Reads a name of several parts."""
        found = [self.name(what)]
        while self.take("."):
            found.append(self.name(what))
        return tuple(found)

    def string(self, what: str) -> str:
        """Reads a text in quotes."""
        token = self.next
        if token.kind != STRING:
            self.fail(what)
        self.at += 1
        return token.value

    def number(self, what: str) -> int:
        """Reads a whole number, which may have a sign."""
        sign = -1 if self.take("-") else 1
        token = self.next
        if token.kind != NUMBER or not token.value.isdecimal():
            self.fail(what)
        self.at += 1
        return sign * int(token.value)

    def listed(self, what: str = "a column") -> tuple[str, ...]:
        """Reads ``(a, b, ...)``."""
        self.need("(")
        found = [self.name(what)]
        while self.take(","):
            found.append(self.name(what))
        self.need(")")
        return tuple(found)

    def options(self) -> dict[str, str]:
        """Reads ``(key = value, ...)``; keys may have dots."""
        self.need("(")
        found: dict[str, str] = {}
        while not self.take(")"):
            start = self.next.start
            key = self.string("an option") if self.next.kind == STRING else self._key()
            if key in found:
                raise syntax_error(self.text, start, f"option {key!r} is given twice")
            self.need("=")
            token = self.next
            if token.kind not in (STRING, NUMBER, WORD):
                self.fail(f"a value of option {key!r}, as '...'")
            self.at += 1
            found[key] = token.value
            if not self.sees(")"):
                self.need(",")
        return found

    def _key(self) -> str:
        return ".".join(self.names("an option"))

    def until(self, stop: Callable[[], bool], what: str) -> str:
        """Reads a text for Spark up to a token outside of brackets, or to the end; not empty."""
        first, depth = self.at, 0
        while not self.ended:
            text = self.next.text
            if depth == 0 and stop():
                break
            if text in ("(", "[", "{"):
                depth += 1
            elif text in (")", "]", "}"):
                if depth == 0:
                    break
                depth -= 1
            self.at += 1
        if self.at == first:
            self.fail(what)
        return self.text[self.tokens[first].start : self.tokens[self.at - 1].end]

    def rest(self, what: str) -> str:
        """Reads all that is left, for Spark."""
        if self.ended:
            self.fail(what)
        start = self.next.start
        self.at = len(self.tokens)
        return self.text[start : self.tokens[-1].end]

    def end(self) -> None:
        """Refuses what is left."""
        if not self.ended:
            self.fail("the end of the statement")
