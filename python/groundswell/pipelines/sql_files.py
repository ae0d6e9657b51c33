"""Reads the statements of a project's ``.sql`` files. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from groundswell.api.cdc_flow import ChangeFeed
from groundswell.errors import ConfigurationError, SqlSyntaxError
from groundswell.sql.parsing.change_feeds import read_feed
from groundswell.sql.parsing.cursor import Cursor
from groundswell.sql.parsing.tokens import NAME, WORD, place, statements, tokens


@dataclass(frozen=True)
class Made:
    """What a statement defines.

    Attributes:
        kind: of the dataset; None: the statement defines a flow alone.
        name: of the dataset, as it is written.
        query: that fills it; empty: none.
        flow: the flow's name, if it has one of its own.
        feed: what is done with the rows of the query, which are change events; None: they are the
            dataset's.
    """

    kind: str | None
    name: str
    query: str
    place: str
    flow: str = ""
    feed: ChangeFeed | None = None


TABLE = "streaming table"
_CREATE = (
    (("MATERIALIZED", "VIEW"), "materialized view"),
    (("STREAMING", "TABLE"), TABLE),
    (("TEMPORARY", "VIEW"), "temporary view"),
    (("TEMP", "VIEW"), "temporary view"),
)


def read_statements(text: str, file: str) -> Iterator[Made]:
    """The definitions of a file, in order.

    Raises:
        SqlSyntaxError: a text that is no statement.
        ConfigurationError: a statement that a project's files cannot have here.
    """
    try:
        found = statements(text)
    except SqlSyntaxError as e:
        raise SqlSyntaxError(f"{file}: {e}") from None
    for each in found:
        where = f"{file}, line {place(text, each.start)[0]}"
        try:
            yield _read(Cursor(each.text), where)
        except SqlSyntaxError as e:
            raise ConfigurationError(f"{where}: {e}") from None


def _read(c: Cursor, where: str) -> Made:
    if not c.take("CREATE"):
        raise ConfigurationError(
            f"{where}: {c.next.text.upper()} is not supported in a project's files: only CREATE "
            "MATERIALIZED VIEW, CREATE STREAMING TABLE, CREATE TEMPORARY VIEW and CREATE FLOW are. "
            "Confs go into configuration of the spec"
        )
    c.take("OR", "REPLACE")
    if c.take("FLOW"):
        return _flow(c, where)
    for words, kind in _CREATE:
        if c.take(*words):
            c.take("IF", "NOT", "EXISTS")
            name = ".".join(c.names(f"the name of a {kind}"))
            if c.sees("("):
                raise ConfigurationError(
                    f"{where}: {kind} {name} lists its columns, which is not supported: name them "
                    "in the query"
                )
            c_query = _query(c)
            if kind == TABLE and c.take("FLOW", "AUTO", "CDC"):
                return _feed(c, name, where)
            if not c_query and kind != TABLE:
                c.fail("AS and a query")
            return Made(kind, name, c_query, where)
    raise ConfigurationError(
        f"{where}: CREATE {c.next.text.upper()} is not supported in a project's files"
    )


def _flow(c: Cursor, where: str) -> Made:
    name = ".".join(c.names("the name of a flow"))
    if c.take("COMMENT"):
        c.string("a comment")
    c.need("AS")
    if c.take("AUTO", "CDC", "INTO"):
        target = ".".join(c.names("the name of a streaming table"))
        return replace(_feed(c, target, where), kind=None, flow=name)
    c.need("INSERT", "INTO")
    c.take("TABLE")
    target = ".".join(c.names("the name of a streaming table"))
    c.need("BY", "NAME")
    return Made(None, target, c.rest("a query"), where, name)


def _feed(c: Cursor, name: str, where: str) -> Made:
    """Behind AUTO CDC: change events, read as a stream, for a streaming table."""
    source, feed = read_feed(c)
    c.end()
    read = source if source.startswith("(") else f"STREAM({source})"
    return Made(TABLE, name, f"SELECT * FROM {read}", where, feed=feed)


def _query(c: Cursor) -> str:
    """Behind AS; what stands before it says how Spark stores the rows.

    Stops before FLOW, where a streaming table says what flows into it.
    """
    depth = 0
    while not c.ended and not (depth == 0 and c.sees("FLOW", "AUTO", "CDC")):
        if depth == 0 and c.take("AS"):
            return c.rest("a query")
        depth += {"(": 1, ")": -1}.get(c.next.text, 0)
        c.at += 1
    return ""


def reads(query: str, names: set[str]) -> dict[str, bool]:
    """Which of some names a query may read, and whether it reads them as streams alone.

    A word that is a column's name counts, too.
    """
    found: dict[str, bool] = {}
    words = tokens(query)
    for i, token in enumerate(words):
        name = token.value.lower()
        if token.kind not in (WORD, NAME) or name not in names:
            continue
        start = i
        while start >= 2 and words[start - 1].text == ".":
            start -= 2
        if start >= 1 and words[start - 1].text == "(":
            start -= 1
        streams = start >= 1 and words[start - 1].upper == "STREAM"
        qualifies = i + 1 < len(words) and words[i + 1].text == "."
        if not (qualifies and name in found):
            found[name] = streams and found.get(name, True)
    return found


_STREAM = re.compile(r"(?i)\bstream\b")


def says_stream(query: str) -> bool:
    """Whether a query reads anything as a stream."""
    return bool(_STREAM.search(query)) and any(t.upper == "STREAM" for t in tokens(query))
