"""A statement's tokens, read from left to right. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from groundswell.serve.errors import ServeError
from groundswell.serve.lexer import QUOTED, WORD, Token


class Words:
    """A statement's tokens, read from left to right."""

    def __init__(self, sql: str, found: Sequence[Token]) -> None:
        self.sql = sql
        self.found = found
        self.at = 1

    def take(self, *words: str) -> bool:
        """Takes these words if they come next."""
        following = [token.upper for token in self.found[self.at : self.at + len(words)]]
        if following != list(words):
            return False
        self.at += len(words)
        return True

    def symbol(self, text: str) -> bool:
        """Takes a symbol if it comes next."""
        if self.ended or self.found[self.at].text != text:
            return False
        self.at += 1
        return True

    def name(self) -> str:
        """Takes a name, the last part of a qualified one."""
        token = self.next()
        if token.kind not in (WORD, QUOTED):
            raise self.wrong(token)
        if self.symbol("."):
            return self.name()
        return token.name

    def next(self) -> Token:
        """Takes the next token."""
        if self.ended:
            raise ServeError("42601", "syntax error at end of input")
        self.at += 1
        return self.found[self.at - 1]

    def rest(self) -> str:
        """The text of all that follows."""
        return "" if self.ended else self.sql[self.found[self.at].start :]

    def end(self) -> None:
        """Refuses what follows."""
        if not self.ended:
            raise self.wrong(self.found[self.at])

    @property
    def ended(self) -> bool:
        """Whether all were taken."""
        return self.at >= len(self.found)

    def wrong(self, token: Token) -> ServeError:
        """The error for a token that may not stand there."""
        text = f'syntax error at or near "{token.text}"'
        return ServeError("42601", text, position=token.start + 1)
