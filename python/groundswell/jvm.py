"""The only file that touches the JVM: a typed facade over ``io.groundswell.spark.bridge``.

Everything crosses as JSON, as DataFrames or as bytes; expressions never leave the JVM. Errors of
the engine come out as :class:`~groundswell.errors.EngineError`, chosen by their stable code.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import Any

from py4j.protocol import Py4JError
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession

from groundswell.errors import (
    ENGINE_ERRORS,
    ConfigurationError,
    EngineError,
    GroundswellError,
    VersionUnavailable,
)

SINK = "io.groundswell.spark.bridge.BarrierSinkProvider"
CLOCK = "io.groundswell.spark.bridge.ClockProvider"
_ENGINE_MESSAGE = re.compile(r"EngineException: \[(\w+)\] ([^\n]*)")

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
            self.handle = _bridge(self.spark).PlanCapture.of(
                _list(self.spark, [frame._jdf for frame in frames])
            )
            self.description: dict[str, Any] = json.loads(self.handle.json())

    @staticmethod
    def function(command: str) -> Any:
        """The Python function behind a ``command`` of the description.

        Only for what this process has put into the JVM itself; None if it is too large for that.
        """
        from pyspark import cloudpickle

        made = cloudpickle.loads(base64.b64decode(command))
        return made[0] if isinstance(made, tuple) else None

    def source(self, key: str) -> DataFrame:
        """The streaming DataFrame behind a source of the queries."""
        return DataFrame(self.handle.source(key), self.spark)


def stand_in(streaming: DataFrame) -> tuple[str, DataFrame]:
    """An empty batch DataFrame that stands for a stream in any query, and its source's key."""
    spark = streaming.sparkSession
    with engine_errors():
        stand_ins = _bridge(spark).StandIns
        handle = stand_ins.of(streaming._jdf)
        return stand_ins.key(handle), DataFrame(handle, spark)


def view_stand_in(view: DataFrame) -> tuple[str, DataFrame]:
    """An empty DataFrame with the columns of a view, for other views to read, and its key."""
    with engine_errors():
        stand_ins = _bridge(view.sparkSession).StandIns
        handle = stand_ins.ofView(view._jdf)
        return stand_ins.key(handle), DataFrame(handle, view.sparkSession)


def stand_in_as(standing: DataFrame, use: str) -> DataFrame:
    """What stands for a source or view, meant in another way: ``now`` or ``late``.

    Raises:
        ValueError: if the frame is another query.
    """
    spark = standing.sparkSession
    try:
        with engine_errors():
            return DataFrame(_bridge(spark).StandIns.meant(standing._jdf, use), spark)
    except (Py4JError, PySparkException) as e:
        raise ValueError(text_of(e)) from e


def source_union(sources: Sequence[DataFrame], names: Sequence[str]) -> DataFrame:
    """All sources as one streaming DataFrame of structs, named for the checkpoint."""
    spark = sources[0].sparkSession
    with engine_errors():
        frames = _list(spark, [frame._jdf for frame in sources])
        union = _bridge(spark).SourceUnion.of(frames, _list(spark, names))
        return DataFrame(union, spark)


_FAILURE_LENGTH = 2000


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

    class Java:
        """Tells py4j what this object implements."""

        implements = ["io.groundswell.spark.bridge.BarrierHandler"]  # noqa: RUF012


def register_pipeline(spark: SparkSession, pipeline: str, callback: BarrierCallback) -> None:
    """Makes ``pipeline`` a sink of this process; its barriers go to ``callback``."""
    from pyspark.java_gateway import ensure_callback_server_started

    ensure_callback_server_started(  # type: ignore[no-untyped-call]
        spark.sparkContext._gateway
    )
    with engine_errors():
        _bridge(spark).BarrierSinkProvider.register(pipeline, callback)


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
    with suppress(Py4JError, PySparkException, OSError, AttributeError):
        _bridge(spark).BarrierSinkProvider.unregister(pipeline)


def fail_points(spark: SparkSession) -> Callable[[str], None]:
    """What dies at a point that a test armed; found once, since each step of a name is a call."""
    points = _jvm(spark).io.groundswell.storage.FailPoints
    if not points.armed():
        return lambda _: None
    hit: Callable[[str], None] = points.hit
    return hit


class Dataflow:
    """A dataflow made from captured queries, ready to run barriers."""

    def __init__(self, capture: Capture, spec: Mapping[str, Any]) -> None:
        with engine_errors():
            self._handle = _bridge(capture.spark).Dataflow.compile(json.dumps(spec), capture.handle)

    def run(
        self,
        epoch: int,
        batch: Any,
        base: Mapping[str, Any],
        watermarks: Mapping[str, Any] | None = None,
    ) -> dict[str, Any]:
        """One barrier; gives the ``result`` that docs/rfcs/0002 describes.

        A batch of None stands for a barrier at which no source has news.
        """
        with engine_errors():
            result: dict[str, Any] = json.loads(
                self._handle.run(epoch, batch, json.dumps(base), json.dumps(watermarks or {}))
            )
        return result

    def retire(self, oldest: Mapping[str, Any]) -> None:
        """Deletes state files that neither these commits nor later ones need."""
        with engine_errors():
            self._handle.retire(json.dumps(oldest))

    def close(self) -> None:
        """Lets go of what it holds; quietly, also when the JVM is gone."""
        with suppress(Py4JError, PySparkException, OSError):
            self._handle.close()


def view_rows(
    spark: SparkSession, state: str, commits: Sequence[Mapping[str, Any]], schema: str
) -> DataFrame:
    """The rows of a view at some commits of its state's partitions."""
    with engine_errors():
        views = _bridge(spark).Views
        return DataFrame(
            views.rows(spark._jsparkSession, state, json.dumps(commits), schema), spark
        )


def view_changes(
    spark: SparkSession, state: str, commits: Sequence[Mapping[str, Any]], schema: str, epoch: int
) -> DataFrame:
    """What an epoch changed in a view: its columns, and ``_change_type``."""
    with engine_errors():
        views = _bridge(spark).Views
        return DataFrame(
            views.changes(spark._jsparkSession, state, json.dumps(commits), schema, epoch), spark
        )


def constants(spark: SparkSession, values: Sequence[tuple[Any, Any]]) -> DataFrame:
    """Values as columns of their types (``DataType.json`` values), of a frame that nobody runs."""
    from pyspark.sql import functions as F
    from pyspark.sql.types import _parse_datatype_json_value

    columns = [F.lit(value).cast(_parse_datatype_json_value(kind)) for value, kind in values]
    return spark.range(0).select(*(c.alias(f"k{i}") for i, c in enumerate(columns)))


def state_lookup(
    spark: SparkSession,
    state: str,
    commits: Sequence[Mapping[str, Any]],
    schema: str,
    key: DataFrame,
    places: Mapping[str, Sequence[int]] | None,
) -> DataFrame:
    """The rows of one key of a state, read at once; see ``bridge.Views.lookup``.

    Args:
        spark: the session to read with.
        state: its folder.
        commits: of its partitions, at the epoch to be read.
        schema: of its rows, as JSON.
        key: constants; of an index perhaps of its first columns only.
        places: of an index, positions of its columns (index) and of the stream key (key).
    """
    with engine_errors():
        views = _bridge(spark).Views
        found = views.lookup(
            spark._jsparkSession,
            state,
            json.dumps(commits),
            schema,
            key._jdf,
            json.dumps(places) if places else "",
        )
        return DataFrame(found, spark)


def index_sample(
    spark: SparkSession, state: str, commits: Sequence[Mapping[str, Any]], limit: int
) -> tuple[int, int]:
    """Rows and distinct keys among the first ``limit`` rows of an index."""
    with engine_errors():
        seen = _bridge(spark).Views.sample(spark._jsparkSession, state, json.dumps(commits), limit)
        return int(seen[0]), int(seen[1])


def frequent_keys(
    spark: SparkSession, state: str, commits: Sequence[Mapping[str, Any]], least: int
) -> tuple[int, ...]:
    """Hashes of the keys of an index that have at least so many rows, about."""
    with engine_errors():
        views = _bridge(spark).Views
        found = views.frequent(spark._jsparkSession, state, json.dumps(commits), least)
        return tuple(json.loads(found))


def qualify(spark: SparkSession, location: str) -> str:
    """A location with scheme and absolute path, as Spark's own checkpoint code sees it."""
    conf = spark._jsparkSession.sessionState().newHadoopConf()
    path = _jvm(spark).org.apache.hadoop.fs.Path(location)
    return str(path.getFileSystem(conf).makeQualified(path).toString())


def make_folder(spark: SparkSession, location: str) -> None:
    """Makes a folder and those above it, where they are missing."""
    path = _jvm(spark).org.apache.hadoop.fs.Path(location)
    path.getFileSystem(spark._jsparkSession.sessionState().newHadoopConf()).mkdirs(path)


def folders(spark: SparkSession, location: str) -> list[str]:
    """Names of the folders in a folder; none if it is not there."""
    path = _jvm(spark).org.apache.hadoop.fs.Path(location)
    files = path.getFileSystem(spark._jsparkSession.sessionState().newHadoopConf())
    if not files.exists(path):
        return []
    return [s.getPath().getName() for s in files.listStatus(path) if s.isDirectory()]


def delete_folder(spark: SparkSession, location: str) -> None:
    """Removes a folder and what is in it."""
    path = _jvm(spark).org.apache.hadoop.fs.Path(location)
    path.getFileSystem(spark._jsparkSession.sessionState().newHadoopConf()).delete(path, True)


def publish_part(spark: SparkSession, staging: str, target: str) -> None:
    """Moves the only part that Spark wrote to ``staging`` to ``target``, and removes the rest."""
    path = _jvm(spark).org.apache.hadoop.fs.Path
    files = path(staging).getFileSystem(spark._jsparkSession.sessionState().newHadoopConf())
    parts = [s.getPath() for s in files.globStatus(path(staging, "part-*.parquet"))]
    if len(parts) != 1 or not files.rename(parts[0], path(target)):
        raise GroundswellError(f"{staging} with {len(parts)} parts could not be moved to {target}")
    files.delete(path(staging), True)


class JvmFolder:
    """A folder of any file system Spark knows, through the engine's one door for I/O."""

    def __init__(self, spark: SparkSession, handle: Any) -> None:
        self._spark = spark
        self._handle = handle

    @classmethod
    def open(cls, spark: SparkSession, uri: str) -> JvmFolder:
        """Opens a path or URI; does no I/O."""
        conf = spark._jsparkSession.sessionState().newHadoopConf()
        with engine_errors():
            return cls(spark, _jvm(spark).io.groundswell.storage.ObjectStores.open(uri, conf))

    @property
    def location(self) -> str:
        """Path or URI, for messages."""
        return str(self._handle.location())

    def read(self, name: str) -> bytes | None:
        """The object's bytes, or None if there is none."""
        with engine_errors():
            try:
                return bytes(self._handle.read(name, 0, self._handle.length(name)))
            except (Py4JError, PySparkException) as e:
                if _java_class(e) in (
                    "java.io.FileNotFoundException",
                    "java.nio.file.NoSuchFileException",
                ):
                    return None
                raise

    def put(self, name: str, data: bytes) -> None:
        """Writes an object; it becomes visible as a whole or not at all."""
        with engine_errors():
            self._handle.put(name, bytearray(data))

    def names(self, prefix: str = "") -> list[str]:
        """Names of the objects directly in this folder, ascending."""
        with engine_errors():
            return sorted(info.name() for info in self._handle.list(prefix))

    def delete(self, name: str) -> bool:
        """Removes an object; False if there was none."""
        with engine_errors():
            return bool(self._handle.delete(name))

    def child(self, name: str) -> JvmFolder:
        """The folder of that name in this one."""
        return JvmFolder(self._spark, self._handle.child(name))


class JvmTree:
    """A folder of any file system Spark knows, as the reader without a JVM sees folders."""

    def __init__(self, spark: SparkSession, location: str) -> None:
        self._spark = spark
        self.location = location.rstrip("/")
        self._path = _jvm(spark).org.apache.hadoop.fs.Path(location)
        conf = spark._jsparkSession.sessionState().newHadoopConf()
        self._files = self._path.getFileSystem(conf)

    def names(self) -> list[str]:
        """Names of all objects directly in it; none if it does not exist."""
        return self._listed(folders=False)

    def folders(self) -> list[str]:
        """Names of the folders directly in it."""
        return self._listed(folders=True)

    def length(self, name: str) -> int:
        """An object's length; `VersionUnavailable` if it is missing."""
        return len(self.whole(name))

    def read(self, name: str, offset: int, length: int) -> bytes:
        """Exactly ``length`` bytes from ``offset`` on."""
        return self.whole(name)[offset : offset + length]

    def whole(self, name: str) -> bytes:
        """All bytes of an object; for small ones."""
        data = JvmFolder.open(self._spark, self.location).read(name)
        if data is None:
            raise VersionUnavailable(f"{self.location}/{name} is missing")
        return data

    def child(self, name: str) -> JvmTree:
        """The folder of that name in it, whether it is there or not."""
        return JvmTree(self._spark, f"{self.location}/{name}")

    def _listed(self, folders: bool) -> list[str]:
        if not self._files.exists(self._path):
            return []
        found = self._files.listStatus(self._path)
        return sorted(s.getPath().getName() for s in found if s.isDirectory() == folders)


def migrate(spark: SparkSession, plan: Mapping[str, Any]) -> dict[str, Any]:
    """Moves state rows; by operator id: ``rows`` and the new ``ids`` by partition and store."""
    with engine_errors():
        migration = _jvm(spark).io.groundswell.spark.migrate.StateMigration
        result: dict[str, Any] = json.loads(migration.run(spark._jsparkSession, json.dumps(plan)))
        return result


@contextmanager
def engine_errors() -> Iterator[None]:
    """Turns what the JVM throws into errors of this package, where it is one of ours."""
    try:
        yield
    except GroundswellError:
        raise
    except (Py4JError, PySparkException) as e:
        translated = translate(e)
        if translated is None:
            raise
        raise translated from e


def translate(error: BaseException) -> GroundswellError | None:
    """The error of this package behind an exception of Spark or py4j, or None."""
    found = _ENGINE_MESSAGE.search(text_of(error))
    if found:
        return ENGINE_ERRORS.get(found[1], EngineError)(f"[{found[1]}] {found[2]}")
    if "'JavaPackage' object is not callable" in str(error):
        return ConfigurationError(
            "the groundswell jar is not on Spark's class path; make the session with "
            "gs.configure(SparkSession.builder), or pass --jars $(python -m groundswell jar)"
        )
    return None


def text_of(error: BaseException) -> str:
    """Everything an exception of Spark or py4j says, with its JVM causes."""
    parts = [str(error)]
    java = _java_exception(error)
    for _ in range(20):
        if java is None:
            break
        parts.append(str(java.toString()))
        java = java.getCause()
    return "\n".join(parts)


def _java_exception(error: BaseException) -> Any:
    return getattr(error, "java_exception", None) or getattr(error, "_origin", None)


def _java_class(error: BaseException) -> str:
    java = _java_exception(error)
    return str(java.getClass().getName()) if java is not None else ""


def _list(spark: SparkSession, items: Sequence[Any]) -> Any:
    result = _jvm(spark).java.util.ArrayList()
    for item in items:
        result.add(item)
    return result


def _jvm(spark: SparkSession) -> Any:
    jvm = spark.sparkContext._jvm
    assert jvm is not None
    return jvm


def _bridge(spark: SparkSession) -> Any:
    bridge = _jvm(spark).io.groundswell.spark.bridge
    if "JavaPackage" in type(bridge.PlanCapture).__name__:
        raise ConfigurationError(
            "the groundswell jar is not on Spark's class path; make the session with "
            "gs.configure(SparkSession.builder), or pass --jars $(python -m groundswell jar)"
        )
    return bridge
