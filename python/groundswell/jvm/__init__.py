"""The only package that touches the JVM: a typed facade over ``io.groundswell.spark.views.entry``.

:mod:`files` reads and writes folders, :mod:`functions` wraps functions over groups and tables,
:mod:`callbacks` lets the JVM call Python, :mod:`connect` refuses sessions that have no JVM here,
:mod:`recursions` unrolls recursive queries, :mod:`errors` turns what the JVM throws into errors of
ours.

Everything crosses as JSON, as DataFrames or as bytes; expressions never leave the JVM. Errors of
the engine come out as :class:`~groundswell.errors.EngineError`, chosen by their stable code.
"""

from __future__ import annotations

import base64
import gc
import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.types import StructType

from groundswell.contract.barrier import (
    BarrierRequest,
    BarrierResult,
    BatchSize,
    BatchSizes,
)
from groundswell.contract.capture.functions import FunctionDescriptions
from groundswell.contract.capture.plan import PlanDescription
from groundswell.contract.codec import decode, encode
from groundswell.contract.commits import (
    AheadCommits,
    Commits,
    IndexPlaces,
    MergeRequest,
    MergeResult,
    RescaleRequest,
    RescaleResult,
    RetireRequest,
    StateCommits,
)
from groundswell.contract.dataflow.flow import DataflowSpec
from groundswell.contract.migration import MigrationPlan, MigrationResult
from groundswell.jvm.callbacks import port_of
from groundswell.jvm.connect import classic_only
from groundswell.jvm.errors import (
    JVM_ERRORS,
    JavaPackage,
    engine_errors,
    summary,
    text_of,
    translate,
)
from groundswell.jvm.files import (
    FileTree,
    JvmFolder,
    JvmTree,
    StagedPart,
    folders,
    literal,
    make_folder,
    qualify,
)
from groundswell.jvm.functions import function_of, scalar_function
from groundswell.jvm.owners import Ownership

__all__ = [
    "CLOCK",
    "SINK",
    "BarrierCallback",
    "Capture",
    "Dataflow",
    "FileTree",
    "JvmFolder",
    "JvmTree",
    "Ownership",
    "StagedPart",
    "ask_for_barrier",
    "classic_only",
    "clock_source",
    "constants",
    "exact",
    "fail_points",
    "folders",
    "frequent_keys",
    "index_sample",
    "is_classic",
    "is_limited",
    "jvm_id",
    "literal",
    "make_folder",
    "migrate",
    "qualify",
    "reads_stand_in",
    "register_pipeline",
    "release_unused",
    "source_key",
    "source_union",
    "stand_in",
    "stand_in_as",
    "state_lookup",
    "summary",
    "translate",
    "unregister_pipeline",
    "view_changes",
    "view_rows",
    "view_stand_in",
]

SINK = "io.groundswell.spark.views.entry.BarrierSinkProvider"
CLOCK = "io.groundswell.spark.views.entry.ClockProvider"

BarrierFunction = Callable[[int, Any], None]
"""Takes (epoch, batch); the batch is a handle for :meth:`Dataflow.run`."""


def is_classic(frame: Any) -> bool:
    """Whether a DataFrame lives in this process's JVM (Spark Connect's do not)."""
    return hasattr(frame, "_jdf")


def jvm_id(spark: SparkSession) -> str:
    """Tells one JVM from another that this process had before."""
    gateway: Any = spark.sparkContext._gateway
    return str(gateway.gateway_parameters.auth_token)


class Capture:
    """Captured queries of one session: their description, and the handle behind its ids."""

    def __init__(self, frames: Sequence[DataFrame]) -> None:
        self.spark = frames[0].sparkSession
        with engine_errors():
            request = _bridge(self.spark).PlanCapture.request(
                _list(self.spark, [frame._jdf for frame in frames])
            )
            for described in decode(FunctionDescriptions, request.functions()).functions:
                request.wrap(described.call, scalar_function(self.spark, described))
            self.handle = request.capture()
            self.description = decode(PlanDescription, self.handle.json())

    @staticmethod
    def function(command: str, broadcasts: Mapping[str, str]) -> Any:
        """The Python function behind a ``command`` of the description, as ``function_of``."""
        return function_of(base64.b64decode(command), broadcasts)

    def source(self, key: str) -> DataFrame:
        """The streaming DataFrame behind a source of the queries."""
        return DataFrame(self.handle.source(key), self.spark)

    def stand_in(self, key: str) -> DataFrame:
        """An empty DataFrame that stands for a source, or a view, of the queries."""
        return DataFrame(self.handle.standIn(key), self.spark)


def stand_in(streaming: DataFrame) -> tuple[str, DataFrame]:
    """An empty batch DataFrame that stands for a stream in any query, and its source's key."""
    spark = streaming.sparkSession
    with engine_errors():
        stand_ins = _bridge(spark).StandIns
        handle = stand_ins.of(streaming._jdf)
        return stand_ins.key(handle), DataFrame(handle, spark)


def is_limited(streaming: DataFrame) -> bool:
    """Whether a stream has a LIMIT of its own."""
    with engine_errors():
        return bool(_bridge(streaming.sparkSession).StandIns.isLimited(streaming._jdf))


def view_stand_in(view: DataFrame) -> tuple[str, DataFrame]:
    """An empty DataFrame with the columns of a view, for other views to read, and its key."""
    with engine_errors():
        stand_ins = _bridge(view.sparkSession).StandIns
        handle = stand_ins.ofView(view._jdf)
        return stand_ins.key(handle), DataFrame(handle, view.sparkSession)


def source_key(frame: DataFrame) -> str | None:
    """The key of the source that a frame stands for; None: it is another query."""
    with engine_errors():
        stand_ins = _bridge(frame.sparkSession).StandIns
        return stand_ins.key(frame._jdf) if stand_ins.isStandIn(frame._jdf) else None


def reads_stand_in(frame: DataFrame) -> bool:
    """Whether a frame reads what stands for a source or a view."""
    with engine_errors():
        return bool(_bridge(frame.sparkSession).StandIns.isOver(frame._jdf))


def stand_in_as(standing: DataFrame, use: str) -> DataFrame:
    """What stands for a source or view, meant in another way: ``now`` or ``late``.

    Raises:
        ValueError: if the frame is another query.
    """
    spark = standing.sparkSession
    try:
        with engine_errors():
            return DataFrame(_bridge(spark).StandIns.meant(standing._jdf, use), spark)
    except JVM_ERRORS as e:
        raise ValueError(text_of(e)) from e


def exact(rows: DataFrame, schema: StructType) -> DataFrame:
    """The same rows as these types, for files that hold these values whatever the settings."""
    spark = rows.sparkSession
    with engine_errors():
        made = _bridge(spark).TableFiles.exact(rows._jdf, schema.json())
        return DataFrame(made, spark)


def source_union(sources: Sequence[DataFrame], names: Sequence[str]) -> DataFrame:
    """All sources as one streaming DataFrame of structs, named for the checkpoint."""
    spark = sources[0].sparkSession
    with engine_errors():
        frames = _list(spark, [frame._jdf for frame in sources])
        union = _bridge(spark).SourceUnion.of(frames, _list(spark, names))
        return DataFrame(union, spark)


_FAILURE_LENGTH = 2000
_HANDLER = "io.groundswell.spark.views.entry.BarrierHandler"
_CALLBACKS: dict[str, str] = {}
"""Pipeline -> name of its callback behind the port."""


class BarrierCallback:
    """Python's end of the JVM's BarrierHandler.

    Attributes:
        failure: the exception that ended the query, as Python raised it; the JVM only sees text.
        stopping: set before the query is stopped, which interrupts the barrier at work.
    """

    def __init__(self, function: BarrierFunction) -> None:
        self._function = function
        self.failure: BaseException | None = None
        self.stopping = False

    def onBarrier(self, epoch: int, batch: Any) -> str | None:
        """Called by the JVM on the stream's thread; what BarrierHandler says it returns."""
        try:
            with engine_errors():
                self._function(epoch, batch)
        except BaseException as e:  # noqa: BLE001 - the query ends with it, and keeps it
            if self.stopping:
                return ""
            self.failure = e
            return f"{type(e).__name__}: {e}"[:_FAILURE_LENGTH]
        return None


def register_pipeline(spark: SparkSession, pipeline: str, callback: BarrierCallback) -> None:
    """Makes ``pipeline`` a sink of this process; its barriers go to ``callback``."""
    bridge = _bridge(spark)
    with engine_errors():
        port = port_of(spark)
        _CALLBACKS[pipeline] = port.put(callback)
        handler = port.java_object(spark, _CALLBACKS[pipeline], _HANDLER)
        bridge.BarrierSinkProvider.register(pipeline, handler)


def clock_source(spark: SparkSession, pipeline: str, seconds: float) -> DataFrame:
    """A stream without rows that has news when no barrier has run for so many seconds."""
    with engine_errors():
        _bridge(spark).ClockProvider.register(pipeline, float(seconds))
        return spark.readStream.format(CLOCK).option("pipeline", pipeline).load()


def ask_for_barrier(spark: SparkSession, pipeline: str) -> bool:
    """Makes the clock source have news now; False if the pipeline has none."""
    return bool(_bridge(spark).ClockProvider.ask(pipeline))


def unregister_pipeline(spark: SparkSession, pipeline: str) -> None:
    """Forgets a pipeline; quietly, also when the JVM is gone."""
    with suppress(*JVM_ERRORS, OSError, AttributeError):
        _bridge(spark).BarrierSinkProvider.unregister(pipeline)
        port_of(spark).remove(_CALLBACKS.pop(pipeline, ""))


def fail_points(spark: SparkSession) -> Callable[[str], None]:
    """What dies at a point that a test armed; found once, since each step of a name is a call."""
    points = JavaPackage(spark, "io.groundswell.storage").FailPoints
    if not points.armed():
        return lambda _: None
    hit: Callable[[str], None] = points.hit
    return hit


class Dataflow:
    """A dataflow made from captured queries, ready to run barriers."""

    def __init__(self, capture: Capture, spec: DataflowSpec) -> None:
        self._left: tuple[int, Commits] | None = None  # what the last run left, as both sides know
        with engine_errors():
            self._handle = _bridge(capture.spark).Dataflow.compile(encode(spec), capture.handle)

    def run(
        self,
        request: BarrierRequest,
        batch: Any,
    ) -> BarrierResult:
        """One barrier; a batch of None: no source has news. Its commits are those of all states.

        What the JVM has left itself it is not told again, and it tells only what it has changed.
        """
        left, self._left = self._left, None
        base = request.base
        if left is not None and left[1] is base:
            request = replace(request, base={}, after=left[0])
        with engine_errors():
            result = decode(BarrierResult, self._handle.run(batch, encode(request)))
        kept = {state: base[state] for state in result.unchanged}
        told = {**kept, **result.commits}
        commits = {state: told[state] for state in base if state in told} | told
        self._left = (request.epoch, commits)
        return replace(result, commits=commits, unchanged=())

    def rescale(self, request: RescaleRequest) -> RescaleResult:
        """Writes its states from others that have another number of partitions; durable."""
        with engine_errors():
            return decode(RescaleResult, self._handle.rescale(encode(request)))

    def sizes(self, batch: Any) -> Mapping[str, BatchSize]:
        """How much a batch has of each source with news, by id, before it is read."""
        with engine_errors():
            return decode(BatchSizes, self._handle.sizes(batch)).sources

    def persist(self, commits: AheadCommits) -> None:
        """Makes commits durable."""
        with engine_errors():
            self._handle.persist(encode(commits))

    def forget(self, commits: AheadCommits) -> None:
        """Gives up commits that are not durable; quietly, also when the JVM is gone."""
        with suppress(*JVM_ERRORS, OSError):
            self._handle.forget(encode(commits))

    def retire(self, request: RetireRequest, ownership: Ownership) -> None:
        """Begins to delete state files that neither the needed commits nor later ones need.

        Returns at once, unless deletes are far behind. The next :meth:`run` tells how far they are.

        Args:
            request: what must stay.
            ownership: of this run; once another run has the location nothing more is deleted.

        Raises:
            Fenced: the deletes asked for before have found that another run has the location.
        """
        with engine_errors():
            self._handle.retire(encode(request), ownership.handle)

    def close(self) -> None:
        """Lets go of what it holds; quietly, also when the JVM is gone."""
        with suppress(*JVM_ERRORS, OSError):
            self._handle.close()


def view_rows(spark: SparkSession, state: StateCommits, schema: str) -> DataFrame:
    """The rows of a view at some commits of its state's partitions."""
    with engine_errors():
        views = _bridge(spark).Views
        return DataFrame(views.rows(spark._jsparkSession, encode(state), schema), spark)


def merge(spark: SparkSession, request: MergeRequest) -> MergeResult:
    """Merges files for a pipeline that another process runs; it has to be told of the result."""
    with engine_errors():
        return decode(MergeResult, _bridge(spark).Merges.run(spark._jsparkSession, encode(request)))


def discard_merges(spark: SparkSession, root: str, result: MergeResult) -> None:
    """Deletes the files of merges of which nobody was told."""
    with engine_errors():
        _bridge(spark).Merges.discard(spark._jsparkSession, root, encode(result))


def view_changes(spark: SparkSession, state: StateCommits, schema: str, epoch: int) -> DataFrame:
    """What an epoch changed in a view: its columns, and ``_change_type``."""
    with engine_errors():
        views = _bridge(spark).Views
        return DataFrame(views.changes(spark._jsparkSession, encode(state), schema, epoch), spark)


def constants(spark: SparkSession, values: Sequence[tuple[Any, Any]]) -> DataFrame:
    """Values as columns of their types (``DataType.json`` values), of a frame that nobody runs."""
    from pyspark.sql import functions as F
    from pyspark.sql.types import _parse_datatype_json_value

    columns = [F.lit(value).cast(_parse_datatype_json_value(kind)) for value, kind in values]
    return spark.range(0).select(*(c.alias(f"k{i}") for i, c in enumerate(columns)))


def state_lookup(
    spark: SparkSession,
    state: StateCommits,
    schema: str,
    key: DataFrame,
    places: IndexPlaces | None,
) -> DataFrame:
    """The rows of one key of a state, read at once; see ``bridge.Views.lookup``.

    Args:
        spark: the session to read with.
        state: where it is at the epoch to be read.
        schema: of its rows, as JSON.
        key: constants; of an index perhaps of its first columns only.
        places: of an index; None: it is a view.
    """
    with engine_errors():
        views = _bridge(spark).Views
        found = views.lookup(
            spark._jsparkSession,
            encode(state),
            schema,
            key._jdf,
            encode(places) if places else "",
        )
        return DataFrame(found, spark)


def generations(spark: SparkSession, state: StateCommits) -> list[str]:
    """The folders of other generations of states that have files of a state."""
    with engine_errors():
        views = _bridge(spark).Views
        return list(json.loads(views.generations(spark._jsparkSession, encode(state))))


def states_deleted(spark: SparkSession, folder: str) -> None:
    """Lets go what this process has open of states below a folder that was deleted."""
    with engine_errors():
        _bridge(spark).Views.deleted(folder)


def index_sample(spark: SparkSession, state: StateCommits, limit: int) -> tuple[int, int]:
    """Rows and distinct keys among the first ``limit`` rows of an index."""
    with engine_errors():
        seen = _bridge(spark).Views.sample(spark._jsparkSession, encode(state), limit)
        return int(seen[0]), int(seen[1])


def frequent_keys(spark: SparkSession, state: StateCommits, least: int) -> tuple[int, ...]:
    """Hashes of the keys of an index that have at least so many rows, about."""
    with engine_errors():
        views = _bridge(spark).Views
        found = views.frequent(spark._jsparkSession, encode(state), least)
        return tuple(json.loads(found))


def migrate(spark: SparkSession, plan: MigrationPlan) -> MigrationResult:
    """Moves state rows."""
    with engine_errors():
        migration = JavaPackage(spark, "io.groundswell.spark.store.migrate").StateMigration
        return decode(MigrationResult, migration.run(spark._jsparkSession, encode(plan)))


def release_unused() -> None:
    """Has the JVM let go of what Python does not use any more, whatever its size.

    A py4j object and its methods refer to each other, so only Python's collector ends them. It goes
    by their number, and knows nothing of the megabytes that they keep in the JVM.
    """
    gc.collect()


def _list(spark: SparkSession, items: Sequence[Any]) -> Any:
    result = JavaPackage(spark, "java.util").ArrayList()
    for item in items:
        result.add(item)
    return result


def _bridge(spark: SparkSession) -> Any:
    return JavaPackage(spark, "io.groundswell.spark.views.entry")
