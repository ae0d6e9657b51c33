"""A file of statements, and errors that name their places in it. No Spark."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from groundswell.errors import SqlSyntaxError
from groundswell.sql.parsing.grammar import head
from groundswell.sql.parsing.tokens import Statement, place, statements

_SPARK_PLACE = re.compile(r"\(line (\d+), pos (\d+)\)")
_OUR_PLACE = re.compile(r"^line \d+, column \d+: ")


@dataclass(frozen=True)
class SqlFile:
    """A file whose statements of ours can be read.

    Attributes:
        path: as it was given.
        text: all of it.
        statements: in order.
    """

    path: str
    text: str
    statements: tuple[Statement, ...]

    @property
    def creates_pipeline(self) -> bool:
        """Whether a statement is ``CREATE PIPELINE``."""
        return any(re.match(r"(?i)create\s+pipeline\b", each.text) for each in self.statements)

    def line(self, each: Statement) -> int:
        """Where a statement begins."""
        return place(self.text, each.start)[0]

    def ours(self, each: Statement, error: SqlSyntaxError) -> SqlSyntaxError:
        """An error in a statement, with its place in the file."""
        return self._error(each, error.line, error.column, error)

    def spark(self, each: Statement, error: Exception) -> SqlSyntaxError:
        """The same of an error of Spark's parser, which says its place in its message."""
        found = _SPARK_PLACE.search(str(error))
        line, column = (int(found[1]), int(found[2]) + 1) if found else (1, 1)
        return self._error(each, line, column, error)

    def _error(self, each: Statement, line: int, column: int, error: Exception) -> SqlSyntaxError:
        first, at = place(self.text, each.start)
        line, column = first + line - 1, column + (at - 1 if line == 1 else 0)
        return _located(self.path, line, column, error)


def read_file(path: str) -> SqlFile:
    """Reads a file, and looks at every statement of ours in it.

    Raises:
        SqlSyntaxError: with file, line and column.
        OSError: the file cannot be read.
    """
    text = Path(path).read_text("utf-8")
    try:
        found = SqlFile(path, text, tuple(statements(text)))
    except SqlSyntaxError as e:
        raise _located(path, e.line, e.column, e) from None
    for each in found.statements:
        try:
            begins = head(each.text)
            # another catalog's statements may look like ours: they are Spark's to judge
            if begins is None or begins.temporary:
                continue
            if begins.target is None or len(begins.target) == 1:
                begins.read()
        except SqlSyntaxError as e:
            raise found.ours(each, e) from None
    return found


def _located(path: str, line: int, column: int, error: Exception) -> SqlSyntaxError:
    made = SqlSyntaxError(_OUR_PLACE.sub("", str(error)), line, column)
    made.args = (f"{path}, {made}",)
    return made
