"""Statements that are no SELECT, taken apart. Pure."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from groundswell.serve.durations import seconds_of
from groundswell.serve.errors import ServeError, read_only
from groundswell.serve.lexer import NUMBER, QUOTED, STRING, tokens
from groundswell.serve.words import Words

_QUERIES = ("SELECT", "WITH", "VALUES", "TABLE", "(")
_WRITES = """
    INSERT UPDATE DELETE MERGE CREATE ALTER DROP TRUNCATE GRANT REVOKE COMMENT REFRESH REINDEX
    CLUSTER VACUUM ANALYZE IMPORT CALL DO LOCK NOTIFY SECURITY REASSIGN CHECKPOINT INSTALL LOAD
    ATTACH DETACH PRAGMA EXPORT
""".split()


@dataclass(frozen=True)
class Query:
    """A SELECT."""

    sql: str


@dataclass(frozen=True)
class Explain:
    """The plan of a SELECT."""

    sql: str


@dataclass(frozen=True)
class Copy:
    """``COPY … TO STDOUT``.

    Attributes:
        sql: the SELECT, or SUBSCRIBE, whose rows go out.
        csv: whether as CSV; else as PostgreSQL's text format.
        header: whether the names of columns come first.
        delimiter: between columns.
        null: the text of null.
    """

    sql: str
    csv: bool = False
    header: bool = False
    delimiter: str = "\t"
    null: str = "\\N"


@dataclass(frozen=True)
class Begin:
    """``BEGIN``."""


@dataclass(frozen=True)
class End:
    """``COMMIT`` or ``ROLLBACK``."""

    commit: bool


@dataclass(frozen=True)
class Savepoint:
    """``SAVEPOINT``, ``RELEASE`` or ``ROLLBACK TO``; ``tag`` is its command tag."""

    tag: str


@dataclass(frozen=True)
class Set:
    """``SET name = value``; None: the value that the session began with."""

    name: str
    value: str | None
    tag: str = "SET"


@dataclass(frozen=True)
class Show:
    """``SHOW name``."""

    name: str


@dataclass(frozen=True)
class Declare:
    """``DECLARE name CURSOR FOR sql``; ``hold``: it outlives its transaction."""

    name: str
    sql: str
    hold: bool


@dataclass(frozen=True)
class Fetch:
    """``FETCH`` or ``MOVE``; ``most`` None: all rows.

    Attributes:
        seconds: to wait for rows of a SUBSCRIBE; None: for ever.
    """

    name: str
    most: int | None
    move: bool
    seconds: float | None = None


@dataclass(frozen=True)
class Close:
    """``CLOSE name``; None: all cursors."""

    name: str | None


@dataclass(frozen=True)
class Prepare:
    """``PREPARE name AS sql``."""

    name: str
    sql: str


@dataclass(frozen=True)
class Execute:
    """``EXECUTE name (values)``."""

    name: str
    values: tuple[str, ...]


@dataclass(frozen=True)
class Deallocate:
    """``DEALLOCATE name``; None: all."""

    name: str | None


@dataclass(frozen=True)
class Discard:
    """``DISCARD ALL``."""


@dataclass(frozen=True)
class Subscribe:
    """``SUBSCRIBE TO view [FROM EPOCH epoch] [WITH (PROGRESS)]``; no epoch: all rows first."""

    view: str
    epoch: int | None
    progress: bool = False


@dataclass(frozen=True)
class Nothing:
    """A statement that has nothing to do here; ``tag`` is its command tag."""

    tag: str


Command = (
    Query | Explain | Copy | Begin | End | Savepoint | Set | Show | Declare | Fetch | Close
    | Prepare | Execute | Deallocate | Discard | Subscribe | Nothing
)  # fmt: skip


def read(sql: str) -> Command:
    """Takes a statement apart.

    Raises:
        ServeError: it would write (25006), or is not known here (42601, 0A000).
    """
    found = tokens(sql)
    if not found:
        return Nothing("")
    first = found[0].upper or found[0].text
    if first in _QUERIES:
        return Query(sql)
    reader = _READERS.get(first)
    if reader is not None:
        return reader(Words(sql, found))
    if first in _WRITES:
        second = found[1].upper if len(found) > 1 else ""
        two = first in ("CREATE", "ALTER", "DROP", "REFRESH") and second
        raise read_only(f"{first} {second}" if two else first)
    raise ServeError("42601", f'syntax error at or near "{found[0].text}"', position=1)


def _begin(words: Words) -> Command:
    if words.found[0].upper == "START" and not words.take("TRANSACTION"):
        raise words.wrong(words.next())
    return Begin()


def _commit(words: Words) -> Command:
    if words.take("PREPARED"):
        raise ServeError("0A000", "two-phase commit is not available here")
    return End(commit=True)


def _rollback(words: Words) -> Command:
    _ = words.take("TRANSACTION") or words.take("WORK")
    return Savepoint("ROLLBACK") if words.take("TO") else End(commit=False)


def _set(words: Words) -> Command:
    if words.take("TRANSACTION") or words.take("SESSION", "CHARACTERISTICS"):
        return Nothing("SET")
    _ = words.take("SESSION") or words.take("LOCAL")
    if words.take("TIME", "ZONE"):
        return Set("timezone", _value(words))
    if words.take("NAMES"):
        return Set("client_encoding", _value(words))
    if words.take("ROLE") or words.take("AUTHORIZATION"):
        return Nothing("SET")
    name = _setting(words)
    if not (words.take("TO") or words.symbol("=")):
        raise words.wrong(words.next())
    return Set(name, _value(words))


def _setting(words: Words) -> str:
    name = words.next().name
    while words.symbol("."):
        name += f".{words.next().name}"
    return name


def _value(words: Words) -> str | None:
    if words.take("DEFAULT"):
        return None
    parts = []
    sign = "-" if words.symbol("-") else ""
    while not words.ended:
        token = words.next()
        if token.text != ",":
            parts.append(token.value if token.kind in (STRING, QUOTED) else token.text)
    return sign + ", ".join(parts)


def _reset(words: Words) -> Command:
    return Set("all", None, "RESET") if words.take("ALL") else Set(_setting(words), None, "RESET")


def _show(words: Words) -> Command:
    if words.take("TIME", "ZONE"):
        return Show("timezone")
    if words.take("TRANSACTION", "ISOLATION", "LEVEL"):
        return Show("transaction_isolation")
    return Show(_setting(words))


def _declare(words: Words) -> Command:
    name = words.name()
    hold = False
    while not words.take("CURSOR"):
        if words.take("SCROLL"):
            raise ServeError("0A000", "cursors only move forward here: declare it NO SCROLL")
        if not (
            words.take("BINARY")
            or words.take("INSENSITIVE")
            or words.take("ASENSITIVE")
            or words.take("NO", "SCROLL")
        ):
            raise words.wrong(words.next())
    if words.take("WITH", "HOLD"):
        hold = True
    else:
        words.take("WITHOUT", "HOLD")
    if not words.take("FOR"):
        raise words.wrong(words.next())
    return Declare(name, words.rest(), hold)


def _fetch(words: Words) -> Command:
    move = words.found[0].upper == "MOVE"
    most: int | None = 1
    for backward in ("BACKWARD", "PRIOR", "FIRST", "LAST", "ABSOLUTE", "RELATIVE"):
        if words.take(backward):
            raise ServeError("55000", "cursors only move forward here")
    if not words.take("NEXT"):
        words.take("FORWARD")
        if words.take("ALL"):
            most = None
        elif not words.ended and words.found[words.at].kind == NUMBER:
            most = int(words.next().text)
    _ = words.take("FROM") or words.take("IN")
    name, seconds = words.name(), None
    if words.take("WITH"):
        words.symbol("(")
        if not words.take("TIMEOUT"):
            raise words.wrong(words.next())
        words.symbol("=")
        seconds = seconds_of(words.next().value)
        words.symbol(")")
    words.end()
    return Fetch(name, most, move, seconds)


def _close(words: Words) -> Command:
    return Close(None) if words.take("ALL") else Close(words.name())


def _prepare(words: Words) -> Command:
    name = words.name()
    if words.symbol("("):
        while not words.symbol(")"):
            words.next()
    if not words.take("AS"):
        raise words.wrong(words.next())
    return Prepare(name, words.rest())


def _execute(words: Words) -> Command:
    name = words.name()
    values: list[str] = []
    if words.symbol("("):
        start, depth = words.at, 0
        while True:
            token = words.next()
            if depth == 0 and token.text in (",", ")"):
                first, last = words.found[start], words.found[words.at - 2]
                if words.at - 1 > start:
                    values.append(words.sql[first.start : last.end])
                start = words.at
                if token.text == ")":
                    break
            depth += {"(": 1, ")": -1}.get(token.text, 0)
    return Execute(name, tuple(values))


def _deallocate(words: Words) -> Command:
    words.take("PREPARE")
    return Deallocate(None) if words.take("ALL") else Deallocate(words.name())


def _explain(words: Words) -> Command:
    if words.symbol("("):
        while not words.symbol(")"):
            words.next()
    while words.take("ANALYZE") or words.take("VERBOSE"):
        pass
    return Explain(words.rest())


def _copy(words: Words) -> Command:
    if words.symbol("("):
        start, depth = words.at, 1
        while depth:
            token = words.next()
            depth += {"(": 1, ")": -1}.get(token.text, 0)
        sql = words.sql[words.found[start].start : words.found[words.at - 1].start]
    else:
        name = words.next()
        while words.symbol("."):
            name = words.next()
        columns = "*"
        if words.symbol("("):
            start = words.at
            while not words.symbol(")"):
                words.next()
            first, last = words.found[start], words.found[words.at - 2]
            columns = words.sql[first.start : last.end]
        sql = f"SELECT {columns} FROM {name.text}"
    if words.take("FROM"):
        raise read_only("COPY FROM")
    if not words.take("TO", "STDOUT"):
        raise ServeError("42501", "COPY goes TO STDOUT only here: this server writes no files")
    return _copy_options(words, sql)


def _copy_options(words: Words, sql: str) -> Copy:
    csv = header = False
    delimiter: str | None = None
    null: str | None = None
    while not words.ended:
        token = words.next()
        if token.upper == "CSV":
            csv = True
        elif token.upper == "FORMAT":
            form = words.next().value.lower()
            if form not in ("csv", "text"):
                raise ServeError("0A000", f"COPY has the formats text and csv here, not {form}")
            csv = form == "csv"
        elif token.upper == "HEADER":
            following = "" if words.ended else words.found[words.at].value.lower()
            header = following not in ("false", "off", "0")
            if following in ("true", "false", "on", "off", "0", "1"):
                words.next()
        elif token.upper == "DELIMITER":
            words.take("AS")
            delimiter = words.next().value
        elif token.upper == "NULL":
            words.take("AS")
            null = words.next().value
        elif token.upper not in ("WITH",) and token.text not in ("(", ")", ","):
            raise words.wrong(token)
    default = ("," if csv else "\t", "" if csv else "\\N")
    return Copy(
        sql,
        csv,
        header,
        default[0] if delimiter is None else delimiter,
        default[1] if null is None else null,
    )


def _subscribe(words: Words) -> Command:
    if not words.take("TO"):
        raise words.wrong(words.next())
    view, epoch = words.name(), None
    if words.take("FROM"):
        if not words.take("EPOCH"):
            raise words.wrong(words.next())
        number = words.next()
        if number.kind not in (NUMBER, STRING) or not number.value.isdecimal():
            raise words.wrong(number)
        epoch = int(number.value)
    progress = words.take("WITH")
    if progress:
        words.symbol("(")
        if not words.take("PROGRESS"):
            raise words.wrong(words.next())
        words.symbol(")")
    words.end()
    return Subscribe(view, epoch, progress)


_READERS: dict[str, Callable[[Words], Command]] = {
    "BEGIN": _begin,
    "START": _begin,
    "COMMIT": _commit,
    "END": _commit,
    "ROLLBACK": _rollback,
    "ABORT": _rollback,
    "SAVEPOINT": lambda _: Savepoint("SAVEPOINT"),
    "RELEASE": lambda _: Savepoint("RELEASE"),
    "SET": _set,
    "RESET": _reset,
    "SHOW": _show,
    "DECLARE": _declare,
    "FETCH": _fetch,
    "MOVE": _fetch,
    "CLOSE": _close,
    "PREPARE": _prepare,
    "EXECUTE": _execute,
    "DEALLOCATE": _deallocate,
    "DISCARD": lambda _: Discard(),
    "EXPLAIN": _explain,
    "COPY": _copy,
    "SUBSCRIBE": _subscribe,
    "LISTEN": lambda _: Nothing("LISTEN"),
    "UNLISTEN": lambda _: Nothing("UNLISTEN"),
}
