"""Errors as PostgreSQL's clients know them: a SQLSTATE, a sentence, and a hint."""

from __future__ import annotations

import re
from collections.abc import Iterable

from groundswell.errors import (
    ConfigurationError,
    Corruption,
    EpochUnavailable,
    GroundswellError,
    StorageFailed,
    VersionUnavailable,
)
from groundswell.suggestions import nearest

CANCELED = "57014"
READ_ONLY = "25006"
ABORTED = "25P02"


class ServeError(Exception):
    """An error that a client is sent.

    Args:
        code: the SQLSTATE, five characters.
        message: what happened, with the values.
        hint: what to do next; empty: nothing.
        position: the character in the statement, from 1; 0: none.
        fatal: whether the connection ends with it.
    """

    def __init__(
        self, code: str, message: str, hint: str = "", *, position: int = 0, fatal: bool = False
    ) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.hint = hint
        self.position = position
        self.fatal = fatal

    def fields(self) -> dict[str, str]:
        """The fields of the protocol's ErrorResponse."""
        severity = "FATAL" if self.fatal else "ERROR"
        found = {"S": severity, "V": severity, "C": self.code, "M": self.message}
        if self.hint:
            found["H"] = self.hint
        if self.position:
            found["P"] = str(self.position)
        return {key: value.replace("\0", "\\0") for key, value in found.items()}


def no_relation(name: str, known: Iterable[str]) -> ServeError:
    """The error for a name that is neither a view nor a table.

    Args:
        name: as the statement has it.
        known: names of the views and tables that there are.
    """
    names = sorted(known)
    near = nearest(name, names)
    there = f"There are {', '.join(names)}." if names else "There are no views yet."
    hint = there if near is None else f'Did you mean "{near}"? {there}'
    return ServeError("42P01", f'relation "{name}" does not exist', hint)


def left_out(column: str, kind: str) -> ServeError:
    """The error for a column whose type PostgreSQL's clients have nothing for."""
    instead = f"CAST({column} AS string)"
    if kind == "variant":
        instead = f"to_json({column}), or parts of it as variant_get({column}, '$.a', 'string')"
    return ServeError(
        "0A000",
        f'column "{column}" is of type {kind}, which is not served',
        f"Have the view's query give {instead}.",
    )


def timed_out() -> ServeError:
    """A statement took longer than it may."""
    return ServeError(
        CANCELED,
        "canceling statement due to statement timeout",
        "SET statement_timeout, or serve with another --statement-timeout.",
    )


def read_only(what: str) -> ServeError:
    """The error for a statement that would write."""
    return ServeError(
        READ_ONLY,
        f"cannot execute {what}: this server is read-only",
        "Write through the pipeline that keeps the views up to date.",
    )


_BY_CLASS = {
    "CatalogException": "42P01",
    "BinderException": "42703",
    "ParserException": "42601",
    "SyntaxException": "42601",
    "ConversionException": "22P02",
    "OutOfRangeException": "22003",
    "InvalidInputException": "22023",
    "InvalidTypeException": "42804",
    "TypeMismatchException": "42804",
    "OutOfMemoryException": "53200",
    "NotImplementedException": "0A000",
    "PermissionException": "42501",
    "InterruptException": CANCELED,
    "ConstraintException": "23000",
}
_MISSING_FUNCTION = re.compile(r"Function with name|No function matches")
_LINE = re.compile(r"\n+LINE \d+:.*", re.DOTALL)
_PREFIX = re.compile(r"^[A-Z][\w ]* Error: ")


def translated(error: BaseException) -> ServeError:
    """The error that a client is sent for an exception of a library, or of the reader."""
    if isinstance(error, ServeError):
        return error
    if isinstance(error, EpochUnavailable | VersionUnavailable):
        return ServeError("72000", str(error), "Run the statement again: it reads a newer epoch.")
    if isinstance(error, Corruption):
        return ServeError("XX001", str(error))
    if isinstance(error, StorageFailed):
        return ServeError("58030", str(error))
    if isinstance(error, ConfigurationError):
        return ServeError("42P01", str(error))
    if isinstance(error, GroundswellError):
        return ServeError("XX000", str(error))
    if isinstance(error, MemoryError):
        return ServeError("53200", "out of memory")
    name = type(error).__name__
    text = _PREFIX.sub("", _LINE.sub("", str(error))).strip() or name
    code = _BY_CLASS.get(name, "XX000")
    if code in ("42P01", "42703") and _MISSING_FUNCTION.search(text):
        code = "42883"
    if code == "42703" and "ambiguous" in text.lower():
        code = "42702"
    if "division by zero" in text.lower():
        return ServeError("22012", "division by zero")
    if "out of range" in text.lower() and code == "22P02":
        code = "22003"
    return ServeError(code, text)
