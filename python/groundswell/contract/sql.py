"""What Spark's parser and catalog ask Python, and the answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from groundswell.contract.codec import Cell, SparkType, Tagged
from groundswell.contract.commits import IndexPlaces, StateCommits


@dataclass(frozen=True)
class EpochRange:
    """Which epochs' changes are asked for; without any bound, all rows and all that come.

    Attributes:
        after: those after that one; negative: all rows of epoch ``-after - 1``, and those after it.
        until: the last of these.
        first: the first one, as SQL says its version.
        last: the last one, as SQL says its version; None: the newest.
        first_micros: in place of ``first``: the newest one that was published by then.
        last_micros: in place of ``last``.
        first_inclusive: whether the first one's changes are among them.
        last_inclusive: whether the last one's are.
        newest: begin with all rows of the newest one.
    """

    after: int | None = None
    until: int | None = None
    first: str | None = None
    last: str | None = None
    first_micros: int | None = None
    last_micros: int | None = None
    first_inclusive: bool = True
    last_inclusive: bool = True
    newest: bool = False


class SqlRequest(Tagged):
    """A question of a session of the JVM about statements, pipelines or views."""


@dataclass(frozen=True)
class ParseStatement(SqlRequest, kind="parse"):
    """Whether a statement is ours, and what it gives.

    Attributes:
        text: the statement.
        catalog: the session's current catalog.
        namespace: the session's current namespace.
    """

    text: str
    catalog: str
    namespace: tuple[str, ...]


@dataclass(frozen=True)
class RunStatement(SqlRequest, kind="run"):
    """Runs a statement of ours.

    Attributes:
        text: the statement.
        catalog: the current catalog of the session that parsed it.
        namespace: the current namespace of that session.
    """

    text: str
    catalog: str
    namespace: tuple[str, ...]


@dataclass(frozen=True)
class LoadView(SqlRequest, kind="load"):
    """Where the rows of a table or view are at an epoch; the newest one, if none is named.

    Attributes:
        name: its name.
        namespace: its pipeline, if there is one name.
        epoch: that epoch.
        version: the same, as SQL says it.
        micros: the newest epoch that was published by then.
    """

    name: str
    namespace: tuple[str, ...]
    epoch: int | None = None
    version: str | None = None
    micros: int | None = None


@dataclass(frozen=True)
class LoadChanges(SqlRequest, kind="changes"):
    """What epochs changed in a table or view.

    Attributes:
        name: its name.
        namespace: its pipeline, if there is one name.
        want: ``schema``: its columns, if the range is there; ``rows``: the epochs of the range,
            too; ``begin``: only where the range begins.
        net: whether there is to be at most one change a key.
        range: which epochs.
    """

    name: str
    namespace: tuple[str, ...]
    want: Literal["schema", "rows", "begin"]
    net: bool = False
    range: EpochRange = field(default_factory=EpochRange)


@dataclass(frozen=True)
class ListViews(SqlRequest, kind="views"):
    """The tables and views of a pipeline.

    Attributes:
        namespace: the pipeline, if there is one name.
    """

    namespace: tuple[str, ...]


@dataclass(frozen=True)
class FindPipeline(SqlRequest, kind="pipeline"):
    """Where a pipeline is.

    Attributes:
        namespace: the pipeline, if there is one name.
    """

    namespace: tuple[str, ...]


@dataclass(frozen=True)
class FindFunction(SqlRequest, kind="function"):
    """What a function is that a query calls.

    Attributes:
        name: its name.
        namespace: its pipeline, if there is one name.
    """

    name: str
    namespace: tuple[str, ...]


@dataclass(frozen=True)
class LoadQueries(SqlRequest, kind="queries"):
    """The queries of all views that a pipeline has at an epoch.

    Attributes:
        namespace: the pipeline, if there is one name.
        epoch: that epoch.
    """

    namespace: tuple[str, ...]
    epoch: int


@dataclass(frozen=True)
class ListPipelines(SqlRequest, kind="pipelines"):
    """The pipelines that the session knows."""


@dataclass(frozen=True)
class StateAt:
    """The rows of a table, view or index at an epoch.

    Attributes:
        at: their state.
        schema: of the rows, hidden columns included.
        by: names of the key columns, or of those that the index is looked up by; empty: no lookups.
        places: of an index; None: it is a table or view.
    """

    at: StateCommits
    schema: SparkType
    by: tuple[str, ...]
    places: IndexPlaces | None = None


@dataclass(frozen=True)
class EpochChanges:
    """What an epoch changed in a table or view.

    Attributes:
        epoch: which.
        micros: when it was published.
        at: the state after it.
        before: the state that its changes are told from; None: they stand in its changelog.
        whole: whether all its rows count as new.
    """

    epoch: int
    micros: int
    at: StateCommits
    before: StateCommits | None
    whole: bool


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
