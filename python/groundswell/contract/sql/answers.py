"""What Python answers to Spark's parser and catalog."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from groundswell.contract.codec import Cell, SparkType, Tagged
from groundswell.contract.sql.states import EpochChanges, StateAt


class SqlAnswer(Tagged):
    """What Python says to a question of the JVM about statements, pipelines or views."""


@dataclass(frozen=True)
class Failed(SqlAnswer, kind="failed"):
    """An error was raised. Nothing is thrown across py4j: its message would be a stack trace.

    Attributes:
        text: what is to be said; Python finds the error again by it.
    """

    text: str


@dataclass(frozen=True)
class Missing(SqlAnswer, kind="missing"):
    """There is no such pipeline, table or view."""


@dataclass(frozen=True)
class NotOurs(SqlAnswer, kind="not_ours"):
    """The statement is Spark's."""


@dataclass(frozen=True)
class Statement(SqlAnswer, kind="statement"):
    """The statement is ours.

    Attributes:
        label: what it is called in a plan.
        schema: of its rows.
    """

    label: str
    schema: SparkType


@dataclass(frozen=True)
class Rows(SqlAnswer, kind="rows"):
    """What a statement gives.

    Attributes:
        rows: texts, numbers and truth values.
    """

    rows: tuple[tuple[Cell | None, ...], ...]


@dataclass(frozen=True)
class Names(SqlAnswer, kind="names"):
    """Names of pipelines, or of tables and views.

    Attributes:
        names: in the order of their definition.
    """

    names: tuple[str, ...]


@dataclass(frozen=True)
class PipelineAt(SqlAnswer, kind="pipeline"):
    """A pipeline.

    Attributes:
        location: where it is kept.
    """

    location: str


@dataclass(frozen=True)
class Parameter:
    """A parameter of a function.

    Attributes:
        name: what calls may name it by.
        type: that arguments are cast to.
    """

    name: str
    type: SparkType


@dataclass(frozen=True)
class FunctionAt(SqlAnswer, kind="function"):
    """A function of a pipeline.

    Attributes:
        name: as people know it.
        temporary: the temporary function of the session that it is.
        parameters: of a function in Python; None: Spark itself knows those of its own.
    """

    name: str
    temporary: str
    parameters: tuple[Parameter, ...] | None


@dataclass(frozen=True)
class ViewAt(SqlAnswer, kind="view"):
    """A table or view at an epoch.

    Attributes:
        epoch: which; None: no epoch has it yet, and it is empty.
        schema: of its rows, hidden columns included.
        columns: those that readers see.
        properties: for ``DESCRIBE``.
        state: where its rows are; None: no epoch has it yet.
        indexes: those that have all of its columns.
    """

    epoch: int | None
    schema: SparkType
    columns: SparkType
    properties: Mapping[str, str]
    state: StateAt | None = None
    indexes: tuple[StateAt, ...] = ()


@dataclass(frozen=True)
class QueryAt:
    """A view with its query.

    Attributes:
        name: of the view.
        refused: why no other query may be answered from it; None: it may.
        frame: the key under which the JVM has its query; None: it is refused.
        relations: by key of a placeholder in the query, the table or view that it stands for.
    """

    name: str
    refused: str | None = None
    frame: str | None = None
    relations: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class QueriesAt(SqlAnswer, kind="queries"):
    """The views of a pipeline with their queries.

    Attributes:
        settings: those of the session that the views are computed with.
        views: in the order of their definition.
    """

    settings: Mapping[str, Cell]
    views: tuple[QueryAt, ...]


@dataclass(frozen=True)
class RewriteUses:
    """What views would do for a query.

    Attributes:
        used: names of those that it would read, with their pipelines.
        reasons: by name of another one over the same tables, why it would not.
    """

    used: tuple[str, ...]
    reasons: Mapping[str, str]


@dataclass(frozen=True)
class ChangesAt(SqlAnswer, kind="changes"):
    """A table's or view's changes.

    Attributes:
        schema: of its rows, hidden columns included.
        columns: those that readers see.
        key: names of its key columns, if readers see them all.
        netted: whether each key changes once at most.
        epochs: of the range, if they were asked for.
    """

    schema: SparkType
    columns: SparkType
    key: tuple[str, ...]
    netted: bool
    epochs: tuple[EpochChanges, ...] = ()


@dataclass(frozen=True)
class ChangesBegin(SqlAnswer, kind="begin"):
    """Where a range begins.

    Attributes:
        before: the offset with which a stream of it begins: the epoch before the first, or
            ``-epoch - 1``, if it begins with all rows of an epoch.
        newest: the newest epoch that is kept.
    """

    before: int
    newest: int
