"""Dataflows driven barrier by barrier: what the tests of the bridge share.

A barrier's batch is made of batch frames, which the bridge cannot tell from a micro-batch's.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.types import StructType

from groundswell import jvm
from groundswell.contract.barrier import BarrierRequest, BarrierResult
from groundswell.contract.capture.nodes import NodeDescription
from groundswell.contract.capture.plan import PlanDescription
from groundswell.contract.codec import decode
from groundswell.contract.commits import Commits, StateCommits
from groundswell.physical.lower import lower
from groundswell.plan import capture
from groundswell.plan.sources import Mode, SourceTable
from groundswell.plan.stream import Hidden, derive
from groundswell.runtime.record.epochs import counters as readable

Rows = Sequence[tuple[Any, ...]]


class Flow:
    """Views over sources: register sources, start with queries, then run barriers."""

    def __init__(self, spark: SparkSession, folder: Path, partitions: int = 2) -> None:
        self.spark = spark
        self.root = f"file:{folder / 'root'}"
        self.partitions = partitions
        self.folder = folder
        self.tables: dict[str, SourceTable] = {}
        self.schemas: dict[str, StructType] = {}
        self.commits: Commits = {}
        self.epoch = -1
        self.result: BarrierResult

    def source(self, name: str, schema: str, key: Sequence[str] = ()) -> DataFrame:
        """A source of rows, or of upserts if it has a key, or of changes if its last column is
        ``_change_type``; also a temp view of its name.
        """
        return self.stream(name, self.files(name, schema), key)

    def files(self, folder: str, schema: str) -> DataFrame:
        """A stream of JSON files; nothing needs to be there yet."""
        incoming = self.folder / folder
        incoming.mkdir(exist_ok=True)
        return self.spark.readStream.schema(schema).json(str(incoming))

    def stream(self, name: str, streaming: DataFrame, key: Sequence[str] = ()) -> DataFrame:
        """As ``source``, from any stream."""
        source, frame = jvm.placeholder(streaming)
        change_type = "_change_type" if "_change_type" in streaming.columns else None
        mode = Mode.CHANGELOG if change_type else Mode.UPSERT if key else Mode.APPEND
        self.tables[source] = SourceTable(source, name, mode, tuple(key), change_type=change_type)
        self.schemas[name] = streaming.schema
        frame.createOrReplaceTempView(name)
        return frame

    def start(self, views: Mapping[str, str | DataFrame], changelogs: Sequence[str] = ()) -> None:
        frames = {
            name: self.spark.sql(view) if isinstance(view, str) else view
            for name, view in views.items()
        }
        self.view_schemas = {name: frame.schema.json() for name, frame in frames.items()}
        self.captured = captured = jvm.Capture(list(frames.values()))
        hidden = Hidden()
        streams = {}
        for name, query in zip(frames, capture.read(captured.description), strict=True):
            assert query.root is not None, query.refusals
            streams[name] = derive(query.root, self.tables, hidden)
        planned = lower(streams, hidden, changelogs)
        self.columns, self.views = planned.sources, planned.views
        self.spec = planned.spec(self.root, self.partitions)
        self.dataflow = jvm.Dataflow(captured, self.spec)

    def batch(self, **rows: Rows) -> DataFrame:
        """What the sink would be given for these rows; a source not named has no news."""
        frames = []
        for key, columns in self.columns.items():
            name = self.tables[key].name
            frame = self.spark.createDataFrame(list(rows.get(name, ())), self.schemas[name])
            # The optimiser drops what is empty for sure, as Spark drops sources without news.
            frames.append(frame.select(*columns).where("true" if rows.get(name) else "false"))
        return jvm.source_union(frames, [self.tables[key].name for key in self.columns])

    def streams(self) -> DataFrame:
        """What a streaming query of this dataflow reads."""
        return jvm.source_union(
            [self.captured.source(key).select(*columns) for key, columns in self.columns.items()],
            [self.tables[key].name for key in self.columns],
        )

    def on_barrier(self, epoch: int, batch: Any) -> None:
        """The handler of a streaming query."""
        assert epoch == self.epoch + 1
        self.publish(self.dataflow.run(BarrierRequest(epoch, self.commits), batch))

    def barrier(self, **rows: Rows) -> BarrierResult:
        """Runs one barrier and takes its result as published."""
        return self.publish(self.run(self.batch(**rows)))

    def run(self, batch: DataFrame) -> BarrierResult:
        return self.dataflow.run(BarrierRequest(self.epoch + 1, self.commits), batch._jdf)

    def publish(self, result: BarrierResult) -> BarrierResult:
        self.epoch += 1
        self.result, self.commits = result, result.commits
        return result

    def view(self, name: str) -> list[tuple[Any, ...]]:
        """A view's rows, ordered."""
        frame = jvm.view_rows(
            self.spark,
            self.at(name),
            self.view_schemas[name],
        )
        return sorted((tuple(row) for row in frame.collect()), key=repr)

    def at(self, name: str) -> StateCommits:
        """Where a view's rows are."""
        state = self.views[name]
        return StateCommits(f"{self.root}/state/{state}", self.commits[state])

    def changes(self, name: str) -> list[tuple[Any, ...]]:
        """What the last barrier changed in a view, in the order in which it is delivered."""
        frame = jvm.view_changes(
            self.spark,
            self.at(name),
            self.view_schemas[name],
            self.epoch,
        )
        return [tuple(row) for row in frame.collect()]

    def counters(self, op: str) -> dict[str, int]:
        """Counters of the only operator of that kind."""
        (spec,) = (o for o in self.spec.operators if op == o.KIND)
        counters: dict[str, int] = readable(self.result.operators[str(spec.id)])
        return counters


def describe(frame: DataFrame) -> PlanDescription:
    """The captured plan of one query."""
    entry = frame.sparkSession._jvm.io.groundswell.spark.views.entry
    return decode(PlanDescription, entry.PlanCapture.of(frame._jdf).json())


def ops(description: PlanDescription) -> list[str]:
    """Kinds of the nodes, top down."""
    return [node.KIND for node in description.nodes]


Node = TypeVar("Node", bound=NodeDescription)


def nodes(description: PlanDescription, kind: type[Node]) -> list[Node]:
    """The nodes of a kind, top down."""
    return [node for node in description.nodes if isinstance(node, kind)]
