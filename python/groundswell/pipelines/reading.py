"""The session that a project's functions see: what they read becomes sources of views.

A batch read of files becomes a stream of files that may only be added; :mod:`files` sees to it that
nothing else happened to them. A batch read of a Delta table becomes its change data feed. All other
batch reads are Spark's own, and the resolver refuses what would be read only once.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Protocol

from pyspark.sql import DataFrame, SparkSession

from groundswell.api.sources import appends
from groundswell.errors import ConfigurationError
from groundswell.sources.delta import delta

FILES = ("json", "csv", "parquet", "orc", "text")
_PATH_NAME = re.compile(r"(?i)^delta\.`(.+)`$")


class Resolver(Protocol):
    """What the session asks while a flow's function runs."""

    def dataset(self, name: str, stream: bool) -> DataFrame | None:
        """What stands for a dataset of the project; None: it has none of that name."""

    def source_name(self) -> str:
        """A name for one more source of the flow."""

    def read_stream(self) -> None:
        """The flow reads a stream of others."""

    def read_batch(self, what: str) -> None:
        """The flow reads a batch of others."""

    def read_files(self, format_: str, paths: Sequence[str]) -> None:
        """The flow reads files, and those alone that are added."""

    def query(self, text: str) -> DataFrame:
        """A SQL query, with datasets for their names."""


class ProjectSession:
    """Spark's session, but for what reads."""

    def __init__(self, plain: SparkSession, resolver: Resolver) -> None:
        self._plain = plain
        self._resolver = resolver

    @property
    def read(self) -> BatchReader:
        """As ``SparkSession.read``."""
        return BatchReader(self._plain, self._resolver)

    @property
    def readStream(self) -> StreamReader:
        """As ``SparkSession.readStream``."""
        return StreamReader(self._plain, self._resolver)

    def table(self, tableName: str) -> DataFrame:
        """As ``SparkSession.table``."""
        return self.read.table(tableName)

    def sql(self, sqlQuery: str, args: Any = None, **kwargs: Any) -> DataFrame:
        """As ``SparkSession.sql``, of queries."""
        if args or kwargs:
            raise ConfigurationError(
                "spark.sql with args is not supported in a project's functions: put the values "
                "into the text"
            )
        return self._resolver.query(sqlQuery)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._plain, name)


class _Reader:
    """Collects what was asked for, until something is read."""

    def __init__(self, plain: SparkSession, resolver: Resolver) -> None:
        self._plain = plain
        self._resolver = resolver
        self._format: str | None = None
        self._schema: Any = None
        self._options: dict[str, Any] = {}

    def format(self, source: str) -> Any:
        self._format = source
        return self

    def schema(self, schema: Any) -> Any:
        self._schema = schema
        return self

    def option(self, key: str, value: Any) -> Any:
        self._options[key] = value
        return self

    def options(self, **options: Any) -> Any:
        self._options |= options
        return self

    def _take(self, format_: str | None, schema: Any, options: dict[str, Any]) -> None:
        self._format = format_ or self._format
        self._schema = schema if schema is not None else self._schema
        self._options |= {k: v for k, v in options.items() if v is not None}

    def _ready(self, reader: Any) -> Any:
        if self._format is not None:
            reader = reader.format(self._format)
        if self._schema is not None:
            reader = reader.schema(self._schema)
        return reader.options(**self._options)

    def load(
        self,
        path: Any = None,
        format: Any = None,  # noqa: A002 - Spark's name
        schema: Any = None,
        **options: Any,
    ) -> Any:
        raise NotImplementedError

    def json(self, path: Any, schema: Any = None, **options: Any) -> DataFrame:
        return self.load(path, "json", schema, **options)  # type: ignore[no-any-return]

    def csv(self, path: Any, schema: Any = None, **options: Any) -> DataFrame:
        return self.load(path, "csv", schema, **options)  # type: ignore[no-any-return]

    def parquet(self, path: Any, **options: Any) -> DataFrame:
        return self.load(path, "parquet", **options)  # type: ignore[no-any-return]

    def orc(self, path: Any, **options: Any) -> DataFrame:
        return self.load(path, "orc", **options)  # type: ignore[no-any-return]

    def text(self, path: Any, **options: Any) -> DataFrame:
        return self.load(path, "text", **options)  # type: ignore[no-any-return]

    def __getattr__(self, name: str) -> Any:
        raise ConfigurationError(
            f"spark.read.{name} is not supported in a project's functions; load, table and the "
            f"formats {', '.join(FILES)} are"
        )


class BatchReader(_Reader):
    """``spark.read``: of files those that are added, of Delta tables what they change."""

    def table(self, tableName: str) -> DataFrame:
        """As ``DataFrameReader.table``."""
        found = self._resolver.dataset(tableName, False)
        if found is not None:
            return found
        if path := _PATH_NAME.match(tableName):
            return self.load(path[1], "delta")
        self._resolver.read_batch(f"table {tableName}")
        return self._plain.read.options(**self._options).table(tableName)

    def load(
        self,
        path: Any = None,
        format: Any = None,  # noqa: A002
        schema: Any = None,
        **options: Any,
    ) -> DataFrame:
        """As ``DataFrameReader.load``."""
        self._take(format, schema, options)
        path = path if path is not None else self._options.get("path")
        kind = (self._format or "parquet").lower()
        if kind == "delta" and isinstance(path, str):
            self._resolver.read_batch(f"Delta table {path}")
            return delta(self._plain, path, name=self._resolver.source_name())
        if kind not in FILES or path is None:
            self._resolver.read_batch(f"{kind} {path or ''}".strip())
            return self._ready(self._plain.read).load(path)  # type: ignore[no-any-return]
        paths = [path] if isinstance(path, str) else list(path)
        if len(paths) != 1:
            raise ConfigurationError(
                f"spark.read of {len(paths)} paths at once is not supported in a project's "
                "functions: read each, and unite them"
            )
        self._resolver.read_batch(f"files {paths[0]}")
        batch = self._ready(self._plain.read).load(paths[0])
        self._resolver.read_files(kind, paths)
        stream = self._ready(self._plain.readStream.format(kind)).schema(batch.schema)
        return _source(stream.load(paths[0]), self._resolver.source_name())


def _source(stream: DataFrame, name: str) -> DataFrame:
    """A source of appended rows; a watermark may be given to it as to the stream that it is."""
    frame = appends(stream, name=name)

    def with_watermark(eventTime: str, delayThreshold: str) -> DataFrame:
        return appends(stream.withWatermark(eventTime, delayThreshold), name=name)

    shown: Any = frame
    shown.withWatermark = with_watermark
    return frame


class StreamReader(_Reader):
    """``spark.readStream``: each is a source with a name."""

    def name(self, source_name: str) -> Any:  # noqa: ARG002
        """As ``DataStreamReader.name``; here the pipeline names its sources."""
        return self

    def table(self, tableName: str) -> DataFrame:
        """As ``DataStreamReader.table``."""
        found = self._resolver.dataset(tableName, True)
        if found is not None:
            return found
        self._resolver.read_stream()
        stream = self._plain.readStream.options(**self._options).table(tableName)
        return _source(stream, self._resolver.source_name())

    def load(
        self,
        path: Any = None,
        format: Any = None,  # noqa: A002
        schema: Any = None,
        **options: Any,
    ) -> DataFrame:
        """As ``DataStreamReader.load``."""
        self._take(format, schema, options)
        self._resolver.read_stream()
        stream = self._ready(self._plain.readStream).load(path)
        return _source(stream, self._resolver.source_name())


@contextmanager
def active(session: ProjectSession) -> Iterator[None]:
    """Has ``SparkSession.active()`` and its kin give the project's session."""
    before = {name: SparkSession.__dict__[name] for name in ("active", "getActiveSession")}
    given = classmethod(lambda cls: session)  # noqa: ARG005
    builder = SparkSession.Builder
    get_or_create = builder.getOrCreate
    try:
        for name in before:
            setattr(SparkSession, name, given)
        builder.getOrCreate = lambda self: session  # type: ignore[method-assign,assignment,return-value]  # noqa: ARG005
        yield
    finally:
        for name, was in before.items():
            setattr(SparkSession, name, was)
        builder.getOrCreate = get_or_create  # type: ignore[method-assign]
