"""Turns definitions into views, each after those that it reads, or refuses them by name."""

from __future__ import annotations

import importlib.util
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import reduce
from pathlib import Path
from typing import Any

from pyspark.pipelines.graph_element_registry import graph_element_registration_context
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.types import StructType

from groundswell import jvm
from groundswell.api.cdc import table_of
from groundswell.contract.capture.nodes import ConstantNode
from groundswell.errors import (
    ConfigurationError,
    GroundswellError,
    NotIncremental,
    SourceError,
)
from groundswell.jvm.sql import definition
from groundswell.pipelines.change_feeds import registered
from groundswell.pipelines.definitions import TEMPORARY, Dataset, Definitions, Flow
from groundswell.pipelines.reading import ProjectSession, active
from groundswell.pipelines.spec import Spec
from groundswell.pipelines.sql_files import TABLE, reads, says_stream
from groundswell.plan.stream import Kind
from groundswell.runtime.pipeline import Pipeline
from groundswell.runtime.planning.planned import plan_views


class Resolving:
    """A project, as far as its datasets have become views of a pipeline.

    Attributes:
        files: by path, the format of files that batch flows read.
        views: names of the datasets that the pipeline has, in order.
    """

    def __init__(self, plain: SparkSession, spec: Spec, pipeline: Pipeline) -> None:
        self._plain = plain
        self._spec = spec
        self._pipeline = pipeline
        self._session = ProjectSession(plain, self)
        self._definitions = Definitions(spec.database, spec.catalog)
        self._frames: dict[str, DataFrame] = {}
        self._streams: set[str] = set()
        self._stack: list[_Evaluation] = []
        self.files: dict[str, str] = {}
        self.views: list[str] = []

    @property
    def datasets(self) -> list[Dataset]:
        """All that the files define."""
        return list(self._definitions.datasets.values())

    def run(self) -> None:
        """Imports the files and resolves every dataset.

        Raises:
            GroundswellError: what cannot be, by name; nothing has run.
        """
        with active(self._session), _folder(self._spec.path.resolve().parent):
            with (
                graph_element_registration_context(self._definitions),
                registered(self._definitions.register_feed),
            ):
                for path in self._spec.files():
                    self._import(path)
            self._definitions.finish()
            for dataset in self.datasets:
                self._frame(dataset)

    def _import(self, path: Path) -> None:
        root = self._spec.path.resolve().parent
        if path.suffix == ".sql":
            self._definitions.register_sql(path.read_text("utf-8"), path.relative_to(root))
            return
        made = importlib.util.spec_from_file_location(path.stem, path)
        assert made is not None
        assert made.loader is not None
        module = importlib.util.module_from_spec(made)
        module.__dict__["spark"] = self._session
        sys.modules.setdefault(path.stem, module)  # functions of it go to tasks
        try:
            made.loader.exec_module(module)
        except GroundswellError:
            raise
        except Exception as e:
            raise ConfigurationError(f"{path}: {type(e).__name__}: {_said(e)}") from e

    def _frame(self, dataset: Dataset) -> DataFrame:
        """What stands for a dataset in queries."""
        key = dataset.name.lower()
        if key in self._frames:
            return self._frames[key]
        if any(each.dataset is dataset for each in self._stack):
            circle = " -> ".join([*(e.dataset.name for e in self._stack), dataset.name])
            raise ConfigurationError(f"datasets read each other in a circle: {circle}")
        found = [self._evaluated(dataset, flow) for flow in dataset.flows]
        frame = reduce(lambda a, b: a.unionByName(b), (each for each, _ in found))
        streams = any(flow.streams for _, flow in found)
        self._check(dataset, frame, [flow for _, flow in found])
        if streams:
            self._streams.add(key)
        if dataset.kind != TEMPORARY:
            frame = self._view(dataset, frame)
        self._frames[key] = frame
        return frame

    def _evaluated(self, dataset: Dataset, flow: Flow) -> tuple[DataFrame, _Evaluation]:
        own = _Evaluation(dataset)
        self._stack.append(own)
        try:
            frame = self._rows(dataset, flow)
        except GroundswellError:
            raise
        except Exception as e:
            raise ConfigurationError(f"{dataset.called}: {type(e).__name__}: {_said(e)}") from e
        finally:
            self._stack.pop()
        if not isinstance(frame, DataFrame):
            raise ConfigurationError(
                f"{dataset.called}: its function must return a DataFrame, got {type(frame)}"
            )
        return frame, own

    def _rows(self, dataset: Dataset, flow: Flow) -> Any:
        """What a flow gives: the rows of its query, or what its change events make."""
        if flow.source:
            frame: Any = self._session.readStream.table(flow.source)
        else:
            frame = flow.call() if flow.call is not None else self.query(flow.sql)
        if flow.feed is None:
            return frame
        try:
            return table_of(frame, flow.feed)
        except SourceError as e:
            raise ConfigurationError(f"{dataset.called}: {e}") from None

    def _check(self, dataset: Dataset, frame: DataFrame, flows: Sequence[_Evaluation]) -> None:
        batches = sorted({what for flow in flows for what in flow.batches})
        streams = any(flow.streams for flow in flows)
        if dataset.kind == TABLE and not streams:
            raise ConfigurationError(
                f"{dataset.called} reads no stream: make it a materialized view, or read with "
                "spark.readStream, in SQL with STREAM"
            )
        if dataset.kind in (TABLE, TEMPORARY) and streams and batches:
            raise ConfigurationError(
                f"{dataset.called} joins a stream with {', '.join(batches)} as it is when a row "
                "comes, which has no form here: make it a materialized view, or read both as "
                "streams"
            )
        if dataset.kind not in (TABLE, TEMPORARY) and streams:
            raise ConfigurationError(
                f"{dataset.called} reads a stream: make it a streaming table, or read with "
                "spark.read, in SQL without STREAM"
            )
        described = jvm.Capture([frame]).description
        for node in described.nodes:
            if isinstance(node, ConstantNode) and node.tables:
                raise ConfigurationError(
                    f"{dataset.called} reads {', '.join(batches) or 'rows'} that tell nobody their "
                    f"changes ({node.text}): read files, a Delta table or "
                    "a dataset of the project, or write small tables as VALUES"
                )
        self._check_schema(dataset, frame)

    def _check_schema(self, dataset: Dataset, frame: DataFrame) -> None:
        if dataset.schema is None:
            return
        wanted = dataset.schema
        if isinstance(wanted, str):
            wanted = StructType.fromDDL(wanted)
        asked = [(f.name.lower(), f.dataType.simpleString()) for f in wanted.fields]
        has = [(f.name.lower(), f.dataType.simpleString()) for f in frame.schema.fields]
        if sorted(asked) != sorted(has):
            raise ConfigurationError(
                f"{dataset.called}: its schema says {_columns(asked)}, and its query gives "
                f"{_columns(has)}"
            )

    def _view(self, dataset: Dataset, frame: DataFrame) -> DataFrame:
        try:
            self._pipeline.view(dataset.name, frame)
        except NotIncremental as e:
            e.args = (f"{dataset.called}: {e}", *e.args[1:])
            raise
        if dataset.kind == TABLE and not dataset.is_fed:
            views = self._pipeline.program.catalog.needed_by([dataset.name])
            if plan_views(views).streams[dataset.name].kind is not Kind.APPEND_ONLY:
                raise ConfigurationError(
                    f"{dataset.called} would change rows that it has given, as aggregates do: make "
                    "it a materialized view"
                )
        self.views.append(dataset.name)
        return self._pipeline.read(dataset.name)

    def dataset(self, name: str, stream: bool) -> DataFrame | None:
        """What stands for a dataset of the project; None: it has none of that name."""
        plain = self._named(name)
        if plain is None:
            return None
        frame = self._frame(plain)
        own = self._stack[-1]
        if plain.kind == TEMPORARY:
            stream = plain.name.lower() in self._streams
        if stream:
            if plain.kind not in (TABLE, TEMPORARY) or plain.is_fed:
                raise ConfigurationError(
                    f"{own.dataset.called} reads {plain.kind} {plain.name} as a stream, whose rows "
                    "change: read it with spark.read, in SQL without STREAM"
                )
            own.streams = True
        else:
            own.batches.append(f"{plain.kind} {plain.name}")
        return frame

    def _named(self, name: str) -> Dataset | None:
        try:
            plain = self._definitions.plain(name)
        except ConfigurationError:
            return None
        return self._definitions.datasets.get(plain.lower())

    def query(self, text: str) -> DataFrame:
        """A SQL query, with datasets for their names."""
        named = reads(text, set(self._definitions.datasets))
        relations = {}
        for name, stream in named.items():
            if any(e.dataset.name.lower() == name for e in self._stack):
                continue  # a column of that name, or a circle that Spark names as unknown
            found = self.dataset(name, stream)
            assert found is not None
            relations[name] = found
        if says_stream(text) and not any(named.values()):
            raise ConfigurationError(
                f"{self._stack[-1].dataset.called}: STREAM reads none of the project's datasets; "
                "read other streams in Python"
            )
        try:
            return definition(self._plain, text, relations, self._spec.database or "default", 2)
        except GroundswellError as e:
            e.args = (f"{self._stack[-1].dataset.called}: {e}", *e.args[1:])
            raise

    def source_name(self) -> str:
        """A name for one more source of the flow."""
        own = self._stack[-1]
        own.dataset.sources += 1
        return f"{own.dataset.name}_{own.dataset.sources}"

    def read_stream(self) -> None:
        """The flow reads a stream of others."""
        self._stack[-1].streams = True

    def read_batch(self, what: str) -> None:
        """The flow reads a batch of others."""
        self._stack[-1].batches.append(what)

    def read_files(self, format_: str, paths: Sequence[str]) -> None:
        """The flow reads files, and those alone that are added."""
        self.files |= dict.fromkeys(paths, format_)


class _Evaluation:
    """What a flow's query has read so far."""

    def __init__(self, dataset: Dataset) -> None:
        self.dataset = dataset
        self.streams = False
        self.batches: list[str] = []


def _said(error: Exception) -> str:
    """Its first line: what follows are Spark's plans and stacks."""
    return next(iter(str(error).strip().splitlines()), "")


def _columns(given: Sequence[tuple[str, str]]) -> str:
    return ", ".join(f"{name} {type_}" for name, type_ in given)


@contextmanager
def _folder(path: Path) -> Iterator[None]:
    """Files are read with the spec's folder as the current one, as Spark does."""
    before = Path.cwd()
    os.chdir(path)
    try:
        yield
    finally:
        os.chdir(before)
