"""Makes a :class:`~groundswell.Pipeline` out of what statements define."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from pyspark.sql import DataFrame, SparkSession

from groundswell import jvm
from groundswell.columns import by_name
from groundswell.errors import ConfigurationError
from groundswell.jvm.sql import definition
from groundswell.runtime.pipeline import Pipeline
from groundswell.runtime.planning import plan_views
from groundswell.runtime.view_spec import view_spec
from groundswell.sql import log as logs
from groundswell.sql import statements as s
from groundswell.sql.connectors import TABLE_OPTIONS, check_options, schema_of, source
from groundswell.sql.tokens import tokens

CATALOG = "groundswell"
ROW_ID = "_row_id"
"""The key of a table without one: Spark shows it to nobody who does not ask for it."""

VIEW_OPTIONS = ("ttl", "ttl_column", "errors", "onFailure", "maxStateBytes", "changelog")


class Build:
    """A pipeline as far as its statements have been applied.

    Attributes:
        pipeline: what runs.
        frames: by stored name, what stands for a table or source in queries.
    """

    def __init__(
        self, spark: SparkSession, name: str, location: str, options: Mapping[str, Any]
    ) -> None:
        self._spark = spark
        self._name = name
        # a definition's text is compared before it comes here: what differs is to be computed anew
        self.pipeline = Pipeline(spark, location, **options, onChange="rebuild")
        self.frames: dict[str, DataFrame] = {}

    def add(self, made: logs.Object, before: logs.Contents) -> None:
        """Defines an object.

        Args:
            made: the object.
            before: what was there when its statement was run: what names in it mean.

        Raises:
            GroundswellError: it cannot be.
        """
        statement = made.made.statement
        own = made.name.lower()
        before = replace(before, objects={k: o for k, o in before.objects.items() if k != own})
        match statement:
            case s.CreateRelation():
                self.frames[made.stored] = self._relation(statement, made.stored)
            case s.CreateView():
                self._view(statement, made, before)
            case s.CreateIndex():
                self._index(statement, made, before)
            case _:
                raise ConfigurationError(
                    f"{made.kind} {made.name}: SQL cannot make a {made.kind} yet; send the changes "
                    "of a view on from Python"
                )

    def drop(self, gone: logs.Object) -> None:
        """Gives an object up, which none reads."""
        if gone.kind == s.VIEW or gone.stored in self.pipeline._views:
            self.pipeline.drop(gone.stored)
        if gone.kind in (s.TABLE, s.SOURCE):
            self.pipeline.release(gone.stored)
        if gone.kind == s.INDEX:
            self.pipeline.dropIndex(gone.stored)
        self.frames.pop(gone.stored, None)

    def readers(self, read: logs.Object, contents: logs.Contents) -> list[logs.Object]:
        """The objects that read one, directly or not, in order of creation."""
        found = {read.stored}
        for each in contents.objects.values():
            if each.stored not in found and self._inputs(each, contents) & found:
                found.add(each.stored)
        return [o for o in contents.objects.values() if o.stored in found - {read.stored}]

    def _inputs(self, each: logs.Object, contents: logs.Contents) -> set[str]:
        """What the pipeline calls the relations that an object reads."""
        if each.kind == s.VIEW:
            read = _sources(self.pipeline._views[each.stored].frame)
        elif each.kind == s.INDEX:
            read = _sources(self.pipeline._indexes[each.stored][0])
        else:
            return set()
        relations = contents.of(s.TABLE, s.SOURCE, s.VIEW)
        return {o.stored for o in relations if read & _sources(self.frame_of(o))}

    def explain(
        self,
        view: s.CreateView,
        name: str,
        catalog: str,
        namespace: tuple[str, ...],
        contents: logs.Contents,
    ) -> str:
        """The plan of a view that the pipeline does not have."""
        frame = self.query(view.query, catalog, namespace, contents)
        spec = view_spec(name, frame, emit="window_close" if view.window_close else None)
        return plan_views({**self.pipeline._needed_by(frame), name: spec}).explain()

    def _relation(self, relation: s.CreateRelation, stored: str) -> DataFrame:
        if relation.options.get("connector") or relation.kind == s.SOURCE:
            frame = source(self._spark, relation, stored)
            if relation.kind == s.TABLE:
                if not relation.key:
                    return self._as_view(relation, stored, frame)
                self.pipeline.keep(frame)
            return frame
        return self._table(relation, stored)

    def _table(self, relation: s.CreateRelation, stored: str) -> DataFrame:
        given: dict[str, Any] = {k.lower(): v for k, v in relation.options.items()}
        what = f"table {relation.name[-1]}"
        check_options(what, relation.options, TABLE_OPTIONS if relation.key else ())
        schema = schema_of(relation)
        key = relation.key
        if not key and not relation.append_only:
            key = (ROW_ID,)
            schema = schema.add(ROW_ID, "string")
        keep = None if key or relation.watermark else False  # the view below has the rows
        table = self.pipeline.table(stored, schema, key=key or None, keep=keep, **given)
        frame = table.df
        assert frame is not None
        if relation.watermark is not None:
            frame = frame.withWatermark(relation.watermark.column, relation.watermark.delay)
        if not key:
            return self._as_view(relation, stored, frame)
        self.pipeline.keep(frame)
        return frame.drop(ROW_ID)

    def _as_view(self, relation: s.CreateRelation, stored: str, frame: DataFrame) -> DataFrame:
        """Keeps rows without a key as a view. Views to come are filled from it.

        Those over a watermark read the stream, which has one; of a source its rows are kept by
        nobody, so they must be there from its start.
        """
        self.pipeline.view(stored, frame)
        return frame if relation.watermark else self.pipeline.read(stored)

    def _view(self, view: s.CreateView, made: logs.Object, before: logs.Contents) -> None:
        options = dict(view.options)
        check_options(f"materialized view {made.name}", options, VIEW_OPTIONS)
        size = options.pop("maxStateBytes", None)
        log = options.pop("changelog", "false").lower() == "true"
        more: dict[str, Any] = dict(options)
        if size is not None:
            more["maxStateBytes"] = int(size) if size.isdecimal() else size
        self.pipeline.view(
            made.stored,
            self.query(view.query, made.made.catalog, made.made.namespace, before),
            _ignore if log else None,
            "window_close" if view.window_close else None,
            **more,
        )

    def _index(self, index: s.CreateIndex, made: logs.Object, before: logs.Contents) -> None:
        on = before.objects.get(index.on[-1].lower())
        if on is None or on.kind not in (s.TABLE, s.SOURCE, s.VIEW):
            raise ConfigurationError(f"index {made.name}: there is nothing named {index.on[-1]!r}")
        frame = self.frame_of(on)
        names = {c.lower(): c for c in frame.columns}
        for column in (*index.columns, *index.include):
            if column.lower() not in names:
                raise ConfigurationError(
                    f"index {made.name}: {on.kind} {on.name} has no column {column!r}; it has "
                    f"{', '.join(frame.columns)}"
                )
        columns = [names[column.lower()] for column in index.columns]
        if index.include:
            kept = dict.fromkeys([*columns, *(names[c.lower()] for c in index.include)])
            frame = frame.select(*map(by_name, kept))
        self.pipeline.index(frame, *columns, name=made.stored)

    def query(
        self, query: str, catalog: str, namespace: tuple[str, ...], contents: logs.Contents
    ) -> DataFrame:
        """A query over the pipeline's relations, as a definition."""
        words = {token.value.lower() for token in tokens(query)}
        relations = {
            name: self.frame_of(each)
            for name, each in contents.objects.items()
            if name in words and self._has(each)
        }
        depth = 0
        if catalog == CATALOG:
            depth = 2 if [n.lower() for n in namespace] == [self._name.lower()] else 1
        return definition(self._spark, query, relations, self._name, depth)

    def _has(self, each: logs.Object) -> bool:
        """Whether it is a relation, and there: what was dropped since is read by nobody."""
        return each.stored in self.frames or each.stored in self.pipeline._views

    def frame_of(self, each: logs.Object) -> DataFrame:
        """What stands for a table, source or view in queries."""
        if each.kind == s.VIEW:
            return self.pipeline.read(each.stored)
        return self.frames[each.stored]


def _sources(frame: DataFrame) -> set[str]:
    return {source["key"] for source in jvm.Capture([frame]).description["sources"]}


def _ignore(changes: Any, epoch: int) -> None:
    """A sink that makes a view write its changelog, and no more."""
