"""What our statements say, once they are read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from groundswell.api.cdc_flow import ChangeFeed

Name = tuple[str, ...]
"""A name in one to three parts, without quotes."""

PIPELINE, TABLE, SOURCE, VIEW, INDEX, SINK, FUNCTION = (
    "pipeline",
    "table",
    "source",
    "materialized view",
    "index",
    "sink",
    "function",
)
SQL, ROWS, PANDAS, ARROW = "sql", "rows", "pandas", "arrow"
"""What a function's body is: an expression, or Python that takes values, Series or Arrays."""


@dataclass(frozen=True)
class Column:
    """A column of a table or source.

    Attributes:
        name: its name.
        type: its type as Spark writes it.
        required: whether it is ``NOT NULL``.
        default: a constant as SQL; None: null.
        stored: the name that it began with, if it was renamed.
    """

    name: str
    type: str
    required: bool = False
    default: str | None = None
    stored: str | None = None


class Watermark(NamedTuple):
    """``WATERMARK FOR column AS column - delay``."""

    column: str
    delay: str


@dataclass(frozen=True)
class CreatePipeline:
    """``CREATE PIPELINE``."""

    name: Name
    location: str
    options: Mapping[str, str]
    if_not_exists: bool = False


@dataclass(frozen=True)
class Constraint:
    """``CONSTRAINT name EXPECT (condition) ON VIOLATION ...``, or ``CHECK (condition)``.

    Attributes:
        name: its name.
        condition: as SQL.
        action: ``keep``, ``drop`` or ``fail``, as a check does.
    """

    name: str
    condition: str
    action: str


class Create:
    """What makes an object of a pipeline."""

    name: Name
    if_not_exists: bool


@dataclass(frozen=True)
class CreateRelation(Create):
    """``CREATE TABLE`` and ``CREATE SOURCE``."""

    kind: str
    name: Name
    columns: tuple[Column, ...]
    key: tuple[str, ...] = ()
    watermark: Watermark | None = None
    options: Mapping[str, str] = field(default_factory=dict)
    format: str | None = None
    encode: str | None = None
    append_only: bool = False
    if_not_exists: bool = False
    constraints: tuple[Constraint, ...] = ()


@dataclass(frozen=True)
class CreateView(Create):
    """``CREATE MATERIALIZED VIEW``, and ``CREATE FLOW ... AS AUTO CDC INTO ...``.

    Attributes:
        feed: what is done with the rows of the query, which are change events; None: they are
            the view's.
    """

    name: Name
    query: str
    window_close: bool = False
    options: Mapping[str, str] = field(default_factory=dict)
    or_replace: bool = False
    if_not_exists: bool = False
    feed: ChangeFeed | None = None
    constraints: tuple[Constraint, ...] = ()


@dataclass(frozen=True)
class CreateIndex(Create):
    """``CREATE INDEX``."""

    name: Name
    on: Name
    columns: tuple[str, ...]
    include: tuple[str, ...] = ()
    if_not_exists: bool = False


@dataclass(frozen=True)
class CreateSink(Create):
    """``CREATE SINK``; of a view by name, or of a query; to a connector or into a table."""

    name: Name
    view: Name | None
    query: str | None
    into: Name | None = None
    options: Mapping[str, str] = field(default_factory=dict)
    format: str | None = None
    if_not_exists: bool = False


@dataclass(frozen=True)
class CreateFunction(Create):
    """``CREATE FUNCTION`` and ``CREATE AGGREGATE``.

    Attributes:
        name: its name.
        parameters: their names and types.
        returns: the type as Spark writes it.
        body: Python that defines a function of that name, or an expression.
        style: :data:`SQL`; or what the Python function takes: values (:data:`ROWS`; of an
            aggregate lists of them), :data:`PANDAS` Series or :data:`ARROW` arrays.
        aggregate: whether it gives one value for a group.
    """

    name: Name
    parameters: tuple[Column, ...]
    returns: str
    body: str
    style: str
    aggregate: bool = False
    or_replace: bool = False
    if_not_exists: bool = False


@dataclass(frozen=True)
class Drop:
    """``DROP ...``."""

    kind: str
    name: Name
    if_exists: bool = False
    cascade: bool = False


@dataclass(frozen=True)
class Alter:
    """``ALTER [IF EXISTS] ...``."""

    if_exists: bool = field(default=False, kw_only=True)


@dataclass(frozen=True)
class Rename(Alter):
    """``ALTER ... RENAME TO ...``."""

    kind: str
    name: Name
    to: str


@dataclass(frozen=True)
class AlterTable(Alter):
    """``ALTER TABLE ...``: what gives a table other columns."""

    name: Name


@dataclass(frozen=True)
class AddColumns(AlterTable):
    """``ALTER TABLE ... ADD COLUMN``."""

    columns: tuple[Column, ...]
    if_not_exists: bool = False


@dataclass(frozen=True)
class DropColumns(AlterTable):
    """``ALTER TABLE ... DROP COLUMN``.

    Attributes:
        columns: their names.
        if_there: whether some of them may be none of the table's.
    """

    columns: tuple[str, ...]
    if_there: bool = False


@dataclass(frozen=True)
class WidenColumn(AlterTable):
    """``ALTER TABLE ... ALTER COLUMN ... TYPE ...``; the type as Spark writes it."""

    column: str
    type: str


@dataclass(frozen=True)
class RenameColumn(AlterTable):
    """``ALTER TABLE ... RENAME COLUMN ... TO ...``."""

    column: str
    to: str


@dataclass(frozen=True)
class SetParallelism(Alter):
    """``ALTER PIPELINE ... SET PARALLELISM n``."""

    name: Name
    partitions: int


@dataclass(frozen=True)
class Suspend(Alter):
    """``ALTER MATERIALIZED VIEW ... SUSPEND``."""

    name: Name


@dataclass(frozen=True)
class Resume(Alter):
    """``ALTER MATERIALIZED VIEW ... RESUME``."""

    name: Name


@dataclass(frozen=True)
class AlterPipeline(Alter):
    """``ALTER PIPELINE ... SET (option = value)`` and ``RESET (option)``.

    Attributes:
        name: of the pipeline.
        options: that get a value.
        reset: names of options that get their defaults.
    """

    name: Name
    options: Mapping[str, str] = field(default_factory=dict)
    reset: tuple[str, ...] = ()


@dataclass(frozen=True)
class Show:
    """``SHOW PIPELINES``, ``SHOW PIPELINE p``, ``SHOW SOURCES [FROM p]``, ..."""

    what: str
    pipeline: Name = ()


@dataclass(frozen=True)
class ShowCreate:
    """``SHOW CREATE ...``."""

    kind: str
    name: Name


@dataclass(frozen=True)
class Explain:
    """``EXPLAIN`` of a statement that changes a pipeline.

    Attributes:
        statement: what it would do.
        text: of that statement.
    """

    statement: Statement
    text: str


@dataclass(frozen=True)
class ExplainView:
    """``EXPLAIN MATERIALIZED VIEW``: the plan that a view has.

    Attributes:
        name: of the view.
    """

    name: Name


@dataclass(frozen=True)
class ExplainRewrite:
    """``EXPLAIN REWRITE``: which views would answer a query, and why others would not.

    Attributes:
        query: the query.
    """

    query: str


@dataclass(frozen=True)
class Flush:
    """``FLUSH``: waits for a barrier of the current pipeline, or of all that are known."""


@dataclass(frozen=True)
class Begin:
    """``BEGIN``: what the session writes from here on counts at its ``COMMIT``."""


@dataclass(frozen=True)
class Commit:
    """``COMMIT``."""


@dataclass(frozen=True)
class Rollback:
    """``ROLLBACK``."""


@dataclass(frozen=True)
class Refresh:
    """``REFRESH MATERIALIZED VIEW``."""

    name: Name


@dataclass(frozen=True)
class Insert:
    """``INSERT INTO``; the query is Spark's to read."""

    name: Name
    query: str
    columns: tuple[str, ...] = ()
    by_name: bool = False


@dataclass(frozen=True)
class Update:
    """``UPDATE ... SET ... WHERE ...``; the expressions are Spark's to read.

    Attributes:
        sets: by the name of a column, or of a field within one, its value.
    """

    name: Name
    alias: str | None
    sets: tuple[tuple[Name, str], ...]
    where: str | None


@dataclass(frozen=True)
class Delete:
    """``DELETE FROM ... WHERE ...``, and ``TRUNCATE TABLE``, which deletes all rows."""

    name: Name
    alias: str | None
    where: str | None


@dataclass(frozen=True)
class MergeAction:
    """``WHEN [NOT] MATCHED [BY SOURCE] [AND condition] THEN ...``.

    Attributes:
        when: ``matched``, ``new`` (in the source only) or ``gone`` (in the table only).
        does: ``update``, ``insert``, ``delete``.
        sets: by column, or field within one, its value; empty of an update or insert: all columns
            of the source (``*``).
    """

    when: str
    condition: str | None
    does: str
    sets: tuple[tuple[Name, str], ...] = ()


@dataclass(frozen=True)
class Merge:
    """``MERGE INTO``."""

    name: Name
    alias: str | None
    source: str
    source_alias: str
    source_columns: tuple[str, ...]
    on: str
    actions: tuple[MergeAction, ...]


Statement = (
    CreatePipeline
    | Create
    | Drop
    | Alter
    | Show
    | ShowCreate
    | Explain
    | ExplainRewrite
    | ExplainView
    | Flush
    | Begin
    | Commit
    | Rollback
    | Refresh
    | Insert
    | Update
    | Delete
    | Merge
)
