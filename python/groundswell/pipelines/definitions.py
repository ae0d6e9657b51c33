"""What the files of a project define: outputs, and the flows that fill them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pyspark.pipelines.flow import Flow as PythonFlow
from pyspark.pipelines.graph_element_registry import GraphElementRegistry
from pyspark.pipelines.output import MaterializedView, Output, Sink, StreamingTable, Table
from pyspark.pipelines.source_code_location import SourceCodeLocation

from groundswell.api.cdc_flow import ChangeFeed
from groundswell.errors import ConfigurationError
from groundswell.pipelines.sql_files import TABLE, read_statements

VIEW, TEMPORARY = "materialized view", "temporary view"


@dataclass(frozen=True)
class Flow:
    """A query that fills a dataset.

    Attributes:
        target: the dataset.
        place: where it is defined, for messages.
        call: gives its DataFrame; None: it is SQL.
        sql: its query.
        source: name of the dataset whose rows are change events, if the flow names one.
        feed: what is done with change events; None:
            the rows of the query are the dataset's.
    """

    name: str
    target: str
    place: str
    call: Callable[[], Any] | None = None
    sql: str = ""
    source: str = ""
    feed: ChangeFeed | None = None


@dataclass
class Dataset:
    """An output, and its flows.

    Attributes:
        kind: :data:`VIEW`, :data:`TABLE` or :data:`TEMPORARY`.
        schema: that was asked for, as DDL or a StructType.
        sources: how many its flows have read so far, which names them.
    """

    name: str
    kind: str
    place: str
    schema: Any = None
    flows: list[Flow] = field(default_factory=list)
    sources: int = 0

    @property
    def called(self) -> str:
        """For messages."""
        return f"{self.kind} {self.name} ({self.place})"

    @property
    def is_fed(self) -> bool:
        """Whether change events are applied to it, so that its rows change."""
        return any(flow.feed is not None for flow in self.flows)


class Definitions(GraphElementRegistry):
    """Collects definitions; refuses those that have no form here.

    Args:
        database: what names may begin with.
        catalog: what stands before that.
    """

    def __init__(self, database: str | None, catalog: str | None) -> None:
        self._prefix = [part.lower() for part in (catalog, database) if part]
        self._flows: list[Flow] = []
        self._file = Path()
        self.datasets: dict[str, Dataset] = {}

    def register_output(self, output: Output) -> None:
        """Takes what a decorator defines."""
        where = output.source_code_location
        place = f"{Path(where.filename).name}, line {where.line_number}"
        if isinstance(output, Sink):
            raise ConfigurationError(
                f"{place}: sink {output.name} is not supported: run the views, and give the "
                "pipeline a sink of its own (docs/sinks.md)"
            )
        kind = (
            VIEW
            if isinstance(output, MaterializedView)
            else TABLE
            if isinstance(output, StreamingTable)
            else TEMPORARY
        )
        schema = output.schema if isinstance(output, Table) else None
        self._add(Dataset(self.plain(output.name, place), kind, place, schema))

    def register_flow(self, flow: PythonFlow) -> None:
        """Takes a query function."""
        where = flow.source_code_location
        place = f"{Path(where.filename).name}, line {where.line_number}"
        if flow.spark_conf:
            raise ConfigurationError(
                f"{place}: flow {flow.name} has its own spark_conf "
                f"({', '.join(flow.spark_conf)}), but all flows run together here: put it in "
                "configuration of the spec"
            )
        self._flows.append(Flow(flow.name, self.plain(flow.target, place), place, flow.func))

    def register_feed(
        self, name: str, target: str, source: str, feed: ChangeFeed, where: SourceCodeLocation
    ) -> None:
        """Takes a flow that applies change events."""
        place = f"{Path(where.filename).name}, line {where.line_number}"
        self._flows.append(Flow(name, self.plain(target, place), place, source=source, feed=feed))

    def register_auto_cdc_flow(self, flow: Any) -> None:
        """Refuses a flow of Spark's own function, whose columns are those of Spark Connect."""
        raise ConfigurationError(
            f"the AUTO CDC flow into {flow.target} was made by a function that was imported before "
            "the project's files were read: import create_auto_cdc_flow in the file that calls it"
        )

    def register_sql(self, sql_text: str, file_path: Path) -> None:
        """Takes the statements of a file."""
        for made in read_statements(sql_text, str(file_path)):
            name = self.plain(made.name, made.place)
            if made.kind is not None:
                self._add(Dataset(name, made.kind, made.place))
            if made.query:
                flow = made.flow or name
                self._flows.append(Flow(flow, name, made.place, sql=made.query, feed=made.feed))

    def _add(self, dataset: Dataset) -> None:
        before = self.datasets.setdefault(dataset.name.lower(), dataset)
        if before is not dataset:
            raise ConfigurationError(
                f"{dataset.called} is there already: {before.called}; rename one"
            )

    def plain(self, name: str, place: str = "") -> str:
        """The last part of a name; the parts before it must be the project's own.

        Raises:
            ConfigurationError: they are others.
        """
        parts = [part.strip("`") for part in name.split(".")]
        prefix = [part.lower() for part in parts[:-1]]
        if prefix and prefix != self._prefix[len(self._prefix) - len(prefix) :]:
            raise ConfigurationError(
                f"{place}: {name} is in another catalog or database than the project's: all "
                "datasets of a project are in one pipeline here"
            )
        return parts[-1]

    def finish(self) -> None:
        """Gives every flow to its dataset.

        Raises:
            ConfigurationError: a flow has no dataset, or a dataset no flow.
        """
        for flow in self._flows:
            target = self.datasets.get(flow.target.lower())
            if target is None:
                known = ", ".join(d.name for d in self.datasets.values()) or "none"
                raise ConfigurationError(
                    f"{flow.place}: flow {flow.name} writes to {flow.target}, which no file "
                    f"defines; there are {known}"
                )
            target.flows.append(flow)
        if not self.datasets:
            raise ConfigurationError("the project's files define no dataset")
        for dataset in self.datasets.values():
            if not dataset.flows:
                raise ConfigurationError(f"{dataset.called} has no flow that fills it")
            if dataset.is_fed and dataset.kind != TABLE:
                raise ConfigurationError(
                    f"{dataset.called} is the target of AUTO CDC: make it a streaming table"
                )
            if (dataset.kind != TABLE or dataset.is_fed) and len(dataset.flows) > 1:
                raise ConfigurationError(
                    f"{dataset.called} has {len(dataset.flows)} flows, not one"
                )
