"""Reads our statements. Pure; queries and expressions stay texts, for Spark's own parser."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import pairwise

from groundswell.errors import ConfigurationError, SqlSyntaxError
from groundswell.sql.parsing import statements as s
from groundswell.sql.parsing.change_feeds import read_feed
from groundswell.sql.parsing.changes import read_delete, read_insert, read_merge, read_update
from groundswell.sql.parsing.constraints import read_constraints
from groundswell.sql.parsing.cursor import Cursor
from groundswell.sql.parsing.functions import read_function
from groundswell.sql.parsing.relations import read_added, read_altered, read_relation
from groundswell.sql.parsing.tokens import tokens

_SHOWN = {
    ("PIPELINES",): "pipelines",
    ("SOURCES",): "sources",
    ("SINKS",): "sinks",
    ("INDEXES",): "indexes",
    ("JOBS",): "jobs",
    ("MATERIALIZED", "VIEWS"): "materialized views",
}
_KINDS = {
    ("PIPELINE",): s.PIPELINE,
    ("TABLE",): s.TABLE,
    ("SOURCE",): s.SOURCE,
    ("MATERIALIZED", "VIEW"): s.VIEW,
    ("INDEX",): s.INDEX,
    ("SINK",): s.SINK,
    ("FUNCTION",): s.FUNCTION,
    ("AGGREGATE", "FUNCTION"): s.FUNCTION,
    ("AGGREGATE",): s.FUNCTION,
}
_OURS = (s.PIPELINE, s.SOURCE, s.SINK)
"""Kinds that Spark has no statements for, whatever the catalog."""


_BOUNDS: dict[tuple[str, ...], s.Begin | s.Commit | s.Rollback] = {
    ("START", "TRANSACTION"): s.Begin(),
    ("BEGIN",): s.Begin(),
    ("COMMIT",): s.Commit(),
    ("ROLLBACK",): s.Rollback(),
}

_QUERIES = ("SELECT", "WITH", "FROM", "VALUES", "TABLE", "(", "MAP", "REDUCE")
"""How a query begins."""
_INTO = ("INTO", "OVERWRITE")

_ONLY_OURS = re.compile(
    r"\s*(CREATE|DROP|ALTER)\s+(PIPELINE|SOURCE|SINK)\b"
    r"|\s*CREATE\s+(OR\s+REPLACE\s+)?(FUNCTION|AGGREGATE)\b.*\bLANGUAGE\s+PYTHON\b",
    re.IGNORECASE | re.DOTALL,
)


@dataclass(frozen=True)
class Head:
    """How a statement begins.

    Attributes:
        target: the name that decides whether the statement is ours; None: it is.
        read: reads the whole.
        temporary: whether it is Spark's where the session has a temporary view of that name.
    """

    target: s.Name | None
    read: Callable[[], s.Statement]
    temporary: bool = False


def head(text: str) -> Head | None:
    """Looks at the first words of a statement; None: it is none of ours.

    Raises:
        SqlSyntaxError: a statement that only we have cannot be read.
    """
    try:
        return _head(Cursor(text))
    except SqlSyntaxError:
        if _ONLY_OURS.match(text):
            raise
        return None  # Spark says what it finds wrong


def _head(c: Cursor) -> Head | None:
    if c.take("FLUSH"):
        return Head(None, lambda: _ended(c, s.Flush()))
    if bounds := _bounds(c):
        return Head(None, lambda: bounds)
    if c.take("CREATE"):
        return _create(c)
    if c.take("DROP"):
        return _of_kind(c, _drop)
    if c.take("ALTER"):
        return _plain_view(c, alters=True) if c.take("VIEW") else _of_kind(c, _alter)
    if c.take("SHOW"):
        return _show(c)
    if c.take("DESCRIBE", "PIPELINE") or c.take("DESC", "PIPELINE"):
        return _show_pipeline(c)
    if c.take("EXPLAIN"):
        return _explain(c)
    if c.take("REFRESH", "MATERIALIZED", "VIEW"):
        name = c.names("the name of a materialized view")
        return Head(name, lambda: _ended(c, s.Refresh(name)))
    for word, reader in _WRITES.items():
        if c.take(word):
            return reader(c)
    return None


def _bounds(c: Cursor) -> s.Begin | s.Commit | s.Rollback | None:
    """A statement that begins or ends a transaction, and is no more than that."""
    for words, found in _BOUNDS.items():
        if c.take(*words):
            c.take("TRANSACTION") or c.take("WORK")
            return found if c.ended else None  # Spark has a BEGIN that more comes after
    return None


def _create(c: Cursor) -> Head | None:
    replaces = c.take("OR", "REPLACE")
    if c.take("FLOW"):
        return _flow(c, replaces)
    if c.take("STREAMING", "TABLE"):
        return _streaming_table(c, replaces)
    if c.take("VIEW"):
        return _plain_view(c)
    aggregate = c.sees("AGGREGATE")
    kind = _kind(c)
    if kind is None:
        return None
    exists = c.take("IF", "NOT", "EXISTS")
    at = c.at
    if kind not in _OURS and c.ended:
        return None
    name = c.names(f"the name of a {kind}")
    target: s.Name | None = None if kind in _OURS else name
    if kind == s.INDEX:
        if not c.take("ON"):
            return None
        c.take("TABLE")
        target = c.names("a table or materialized view")
    c.at = at

    def read() -> s.Statement:
        name = c.names(f"the name of a {kind}")
        if replaces and kind not in (s.VIEW, s.FUNCTION):
            c.refuse(
                f"OR REPLACE is of materialized views and functions. A {kind} that is there stays: "
                f"DROP {kind.upper()} gives it up"
                + (", and ALTER TABLE gives it other columns" if kind == s.TABLE else "")
            )
        match kind:
            case s.PIPELINE:
                c.need("LOCATION")
                location = c.string("a folder, as '...'")
                options = c.options() if c.take("WITH") else {}
                return _ended(c, s.CreatePipeline(name, location, options, exists))
            case s.TABLE | s.SOURCE:
                return _ended(c, read_relation(c, kind, name, exists))
            case s.INDEX:
                return _ended(c, _index(c, name, exists))
            case s.SINK:
                return _ended(c, _sink(c, name, exists))
            case s.FUNCTION:
                return _ended(c, read_function(c, name, aggregate, replaces, exists))
            case _:
                return _ended(c, _view(c, name, replaces, exists))

    return Head(target, read)


def _flow(c: Cursor, replace: bool) -> Head | None:
    """``CREATE FLOW name AS AUTO CDC INTO target ...``: the target is the view."""
    exists = c.take("IF", "NOT", "EXISTS")
    c.names("the name of a flow")
    if c.take("COMMENT"):
        c.string("a comment")
    c.need("AS", "AUTO", "CDC", "INTO")
    target = c.names("the table that the changes are applied to")
    return Head(target, lambda: _fed_view(c, target, replace, exists))


def _streaming_table(c: Cursor, replace: bool) -> Head | None:
    """``CREATE STREAMING TABLE target FLOW AUTO CDC ...``: the same in one statement."""
    exists = c.take("IF", "NOT", "EXISTS")
    name = c.names("the name of a streaming table")
    c.need("FLOW", "AUTO", "CDC")
    return Head(name, lambda: _fed_view(c, name, replace, exists))


def _fed_view(c: Cursor, name: s.Name, replace: bool, exists: bool) -> s.CreateView:
    source, feed = read_feed(c)
    options = c.options() if c.take("WITH") else {}
    c.end()
    query = f"SELECT * FROM {source}"
    return s.CreateView(
        name, query, options=options, or_replace=replace, if_not_exists=exists, feed=feed
    )


def _kind(c: Cursor) -> str | None:
    for words, kind in _KINDS.items():
        if c.take(*words):
            return kind
    return None


def _of_kind(c: Cursor, read: Callable[[Cursor, str, bool, s.Name], s.Statement]) -> Head | None:
    kind = _kind(c)
    if kind is None:
        return None
    exists = c.take("IF", "EXISTS")
    if c.ended and kind not in _OURS:
        return None
    name = c.names(f"the name of a {kind}")
    return Head(None if kind in _OURS else name, lambda: _ended(c, read(c, kind, exists, name)))


def _drop(c: Cursor, kind: str, exists: bool, name: s.Name) -> s.Statement:
    cascade = c.take("CASCADE")
    if not cascade:
        c.take("RESTRICT")
    return s.Drop(kind, name, exists, cascade)


def _alter(c: Cursor, kind: str, exists: bool, name: s.Name) -> s.Statement:
    return replace(_altered(c, kind, name), if_exists=exists)


def _altered(c: Cursor, kind: str, name: s.Name) -> s.Alter:
    if c.take("SET", "PARALLELISM"):
        c.take("=") or c.take("TO")
        if kind != s.PIPELINE:
            raise ConfigurationError(
                f"the parallelism of {kind} {'.'.join(name)} cannot be set alone: the states of a "
                "pipeline have one number of partitions, since its views share them: ALTER "
                "PIPELINE <its pipeline> SET PARALLELISM n sets it for all of them"
            )
        return s.SetParallelism(name, c.number("how many partitions"))
    if kind == s.PIPELINE and (c.take("SET") or c.sees("RESET")):
        return _alter_pipeline(c, name)
    if kind == s.SOURCE and c.take("ADD"):
        return read_added(c, name)
    if kind == s.TABLE and (altered := read_altered(c, name)) is not None:
        return altered
    if kind == s.VIEW and c.take("SUSPEND"):
        return s.Suspend(name)
    if kind == s.VIEW and c.take("RESUME"):
        return s.Resume(name)
    if kind == s.FUNCTION:
        c.at = 1
        c.fail("something else than FUNCTION, for CREATE OR REPLACE FUNCTION changes one")
    if kind == s.SOURCE and (c.sees("DROP") or c.sees("ALTER") or c.sees("RENAME", "COLUMN")):
        c.refuse(
            f"ALTER SOURCE {'.'.join(name)} takes RENAME TO and ADD COLUMN: a source keeps no "
            "rows, and its columns are those of what it reads. Leave a column out, rename or cast "
            "it in the query of the view that reads it; or drop the source with its views, and "
            "create it with other columns"
        )
    if not c.take("RENAME", "TO"):
        also = {s.TABLE: ", RENAME COLUMN, ADD, DROP or ALTER COLUMN", s.VIEW: ", SUSPEND, RESUME"}
        c.fail(f"RENAME TO{also.get(kind, '')}")
    to = c.names("the new name")
    if len(to) > 1:
        c.refuse(
            f"{'.'.join(name)} stays in its pipeline, so its new name has one part: ALTER "
            f"{kind.upper()} {'.'.join(name)} RENAME TO {to[-1]}"
        )
    return s.Rename(kind, name, to[0])


def _alter_pipeline(c: Cursor, name: s.Name) -> s.AlterPipeline:
    """After ``ALTER PIPELINE name SET``, or before ``RESET``."""
    if not c.take("RESET"):
        options = c.options()
        if not options:
            c.at -= 1
            c.fail("an option, as (option = 'value')")
        return s.AlterPipeline(name, options)
    return s.AlterPipeline(name, reset=c.listed("an option"))


def _show(c: Cursor) -> Head | None:
    if c.take("CREATE"):
        return _of_kind(c, lambda _, kind, __, name: s.ShowCreate(kind, name))
    for what in ("functions", "views"):
        if c.take(what.upper()):
            return _show_also_spark_s(c, what)
    if c.take("PIPELINE"):
        return _show_pipeline(c)
    for words, what in _SHOWN.items():
        if c.take(*words):

            def read(what: str = what) -> s.Statement:
                pipeline = c.names("a pipeline") if c.take("FROM") or c.take("IN") else ()
                return _ended(c, s.Show(what, pipeline))

            return Head(None, read)
    return None


def _show_pipeline(c: Cursor) -> Head:
    """``SHOW PIPELINE p`` and ``DESCRIBE PIPELINE p``: its options."""
    name = c.names("a pipeline")
    return Head(None, lambda: _ended(c, s.Show("pipeline", name)))


def _show_also_spark_s(c: Cursor, what: str) -> Head | None:
    """``SHOW FUNCTIONS [FROM p]`` of a pipeline; Spark has a statement of that name, too."""
    pipeline = c.names("a pipeline") if c.take("FROM") or c.take("IN") else ()
    return Head((*pipeline, what), lambda: s.Show(what, pipeline)) if c.ended else None


def _explain(c: Cursor) -> Head | None:
    text = c.text[c.next.start :] if not c.ended else ""
    if c.take("REWRITE"):
        return Head(None, lambda: _rewritten(c))
    if c.take("MATERIALIZED", "VIEW"):
        name = c.names("the name of a materialized view")
        return Head(name, lambda: _ended(c, s.ExplainView(name)))
    if c.take("CREATE"):
        explained = _create(c)
    elif c.take("DROP"):
        explained = _of_kind(c, _drop)
    elif c.take("ALTER"):
        explained = _of_kind(c, _alter)
    else:
        return _explained_name(c)
    if explained is None:
        return None
    made = explained

    def read() -> s.Statement:
        statement = made.read()
        if isinstance(statement, s.CreatePipeline) or (
            isinstance(statement, s.Drop) and statement.kind == s.PIPELINE
        ):
            c.refuse(
                "EXPLAIN tells what a statement would make of the states of a pipeline, and this "
                "one makes or forgets a pipeline as a whole. EXPLAIN takes CREATE, DROP and ALTER "
                "of what a pipeline has, and ALTER PIPELINE"
            )
        return s.Explain(statement, text)

    return Head(made.target, read)


def _rewritten(c: Cursor) -> s.ExplainRewrite:
    query = c.rest("a query")
    words = tokens(query)
    if len(words) == 1:
        c.refuse(f"EXPLAIN REWRITE takes a query: EXPLAIN REWRITE SELECT * FROM {query}")
    if (words[0].upper or words[0].text) not in _QUERIES:  # Spark would run another statement
        c.refuse(f"EXPLAIN REWRITE takes a query, and {words[0].text} begins none. Nothing was run")
    if any(one.upper == "INSERT" and next_.upper in _INTO for one, next_ in pairwise(words)):
        c.refuse("EXPLAIN REWRITE takes a query, and this one has INSERT. Nothing was run")
    return s.ExplainRewrite(query)


def _explained_name(c: Cursor) -> Head | None:
    """``EXPLAIN v``, which no one has: the statement that says what was meant."""
    name = c.names("a statement")
    if not c.ended:
        return None
    called = ".".join(name)
    return Head(
        name,
        lambda: c.refuse(
            f"EXPLAIN takes a statement, and {called} is a name. EXPLAIN MATERIALIZED VIEW "
            f"{called} shows how a view is kept up to date, EXPLAIN SELECT * FROM {called} how a "
            "query runs"
        ),
    )


def _plain_view(c: Cursor, alters: bool = False) -> Head:
    """``CREATE VIEW`` or ``ALTER VIEW``: a pipeline has none, a session may have temporary ones."""
    c.take("IF", "NOT", "EXISTS") or c.take("IF", "EXISTS")
    name = c.names("the name of a view")
    view = f"MATERIALIZED VIEW {'.'.join(name)}"
    why = (
        f"ALTER {view} takes RENAME TO, SUSPEND and RESUME, CREATE OR REPLACE {view} AS ... gives "
        f"one another query; ALTER TABLE {'.'.join(name)} RENAME TO is for a table"
        if alters
        else f"CREATE {view} AS ... makes one that is kept up to date, CREATE TEMPORARY VIEW one "
        "of this session"
    )
    return Head(name, lambda: c.refuse(f"a pipeline has no plain views. {why}"), temporary=alters)


def _view(c: Cursor, name: s.Name, replace: bool, exists: bool) -> s.CreateView:
    constraints = read_constraints(c)
    options = c.options() if c.take("WITH") else {}
    c.need("AS")

    def tail() -> bool:
        after = c.at
        if c.sees("EMIT", "ON", "WINDOW", "CLOSE"):
            after += 4
            if after == len(c.tokens):
                return True
        opens = [t.upper or t.text for t in c.tokens[after : after + 2]] == ["WITH", "("]
        return opens and _are_options(c, after + 2)

    query = c.until(tail, "a query")
    closing = c.take("EMIT", "ON", "WINDOW", "CLOSE")
    if c.take("WITH"):
        options |= c.options()
    return s.CreateView(name, query, closing, options, replace, exists, constraints=constraints)


def _are_options(c: Cursor, at: int) -> bool:
    """Whether what comes after a bracket is ``key =``, to the statement's end."""
    texts = [t.text for t in c.tokens[at:]]
    while len(texts) > 1 and texts[1] == ".":
        texts = texts[2:]
    return len(texts) > 1 and texts[1] == "="


def _index(c: Cursor, name: s.Name, exists: bool) -> s.CreateIndex:
    c.need("ON")
    c.take("TABLE")
    on = c.names("a table or materialized view")
    columns = c.listed()
    include = c.listed() if c.take("INCLUDE") else ()
    return s.CreateIndex(name, on, columns, include, exists)


def _sink(c: Cursor, name: s.Name, exists: bool) -> s.CreateSink:
    into = c.names("a table") if c.take("INTO") else None
    view = query = None
    if c.take("FROM"):
        view = c.names("a materialized view")
    else:
        c.need("AS")
        query = c.until(lambda: c.sees("WITH", "(") and _are_options(c, c.at + 2), "a query")
    options = c.options() if c.take("WITH") else {}
    format_ = None
    if c.take("FORMAT"):
        format_ = c.name("PLAIN, UPSERT or DEBEZIUM").upper()
        c.need("ENCODE", "JSON")
    if into is None and "connector" not in options:
        c.fail("WITH (connector = '...')")
    if into is not None and format_ is not None:
        c.fail("a sink INTO a table without FORMAT")
    return s.CreateSink(name, view, query, into, options, format_, exists)


def _insert(c: Cursor) -> Head | None:
    if not c.take("INTO"):
        return None
    c.take("TABLE")
    name = c.names("a table")
    return Head(name, lambda: read_insert(c, name))


def _update(c: Cursor) -> Head | None:
    name = c.names("a table")
    return Head(name, lambda: _ended(c, read_update(c, name)))


def _delete(c: Cursor) -> Head | None:
    if not c.take("FROM"):
        return None
    name = c.names("a table")
    return Head(name, lambda: _ended(c, read_delete(c, name)))


def _truncate(c: Cursor) -> Head | None:
    if not c.take("TABLE"):
        return None
    name = c.names("a table")
    return Head(name, lambda: _ended(c, s.Delete(name, None, None)))


def _merge(c: Cursor) -> Head | None:
    if not c.take("INTO"):
        return None
    name = c.names("a table")
    return Head(name, lambda: _ended(c, read_merge(c, name)))


_WRITES: dict[str, Callable[[Cursor], Head | None]] = {
    "INSERT": _insert,
    "UPDATE": _update,
    "DELETE": _delete,
    "TRUNCATE": _truncate,
    "MERGE": _merge,
}


def _ended(c: Cursor, statement: s.Statement) -> s.Statement:
    c.end()
    return statement
