"""What Spark's parser and catalog ask Python."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from groundswell.contract.codec import Tagged
from groundswell.contract.sql.states import EpochRange


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
