"""Makes a :class:`~groundswell.Pipeline` out of what statements define."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import replace
from typing import Any

from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession

from groundswell import config, jvm
from groundswell.api.cdc import table_of
from groundswell.api.watermarks import check_watermark, with_watermark
from groundswell.catalog.catalog import Catalog
from groundswell.catalog.change import AddSink, PutTable, SetOption
from groundswell.catalog.parts import Index, Table
from groundswell.catalog.table_spec import table_spec
from groundswell.catalog.view import View, view_of
from groundswell.columns import by_name
from groundswell.errors import ConfigurationError
from groundswell.jvm.sql import definition
from groundswell.plan.expiry import check_life
from groundswell.runtime.pipeline import Pipeline
from groundswell.runtime.planning.placeholders import differences
from groundswell.runtime.planning.recursions import sources_in
from groundswell.sinks.registry import sink_spec
from groundswell.sql.connecting.connectors import (
    TABLE_OPTIONS,
    check_options,
    source,
)
from groundswell.sql.connecting.server_streams import Streams, is_of_server
from groundswell.sql.defining.altering import check_altered
from groundswell.sql.defining.expecting import checks, expected
from groundswell.sql.defining.functions import Functions
from groundswell.sql.defining.indexing import index_columns, indexed, lacks_columns, names_now
from groundswell.sql.defining.sinking import format_and_options, into_table
from groundswell.sql.defining.table_columns import ROW_ID, columns_of, stored_names, table_schema
from groundswell.sql.defining.view_settings import view_settings
from groundswell.sql.history import log as logs
from groundswell.sql.history.ordering import Before, in_order
from groundswell.sql.parsing import statements as s
from groundswell.sql.parsing.tokens import tokens

CATALOG = "groundswell"
_RELATIONS = (s.TABLE, s.SOURCE, s.VIEW)


class Build:
    """A pipeline as far as its statements have been applied.

    Args:
        contents: all that is to be added; what reads servers must be known from the beginning.

    Attributes:
        pipeline: what runs; its catalog has all that statements have made.
        streams: of servers whose changes are read.
    """

    def __init__(
        self,
        spark: SparkSession,
        name: str,
        location: str,
        options: Mapping[str, Any],
        contents: logs.Contents,
    ) -> None:
        self._spark = spark
        self._name = name
        self._shown: dict[tuple[str, Any], DataFrame] = {}
        self._altered: dict[str, int] = {}
        self._now: dict[str, s.CreateRelation] = {}
        self._functions = Functions(spark, name)
        # a definition's text is compared before it comes here: what differs is to be recomputed
        self.pipeline = Pipeline(spark, location, **options, onChange="rebuild")
        self.pipeline.program.of_statements = True
        relations = [each.statement for each in contents.of(s.TABLE, s.SOURCE)]
        self.streams = Streams(spark, name, filter(is_of_server, relations))

    def apart(self) -> Build:
        """The same, to try a statement with: what that notes here, it notes apart."""
        made = copy(self)
        made._shown, made._altered, made._now = {**self._shown}, {**self._altered}, {**self._now}
        made._functions = self._functions.apart()
        return made

    def add(self, made: logs.Object, before: logs.Contents) -> None:
        """Defines an object.

        Args:
            made: the object.
            before: what was there when its statement was run: what names in it mean.

        Raises:
            GroundswellError: it cannot be.
        """
        statement = made.statement
        own = made.name.lower()
        before = replace(before, objects={k: o for k, o in before.objects.items() if k != own})
        match statement:
            case s.CreateRelation():
                self._relation(statement, made.stored)
                self._altered[made.stored] = len(made.altered)
            case s.CreateView():
                self._view(statement, made, before)
            case s.CreateIndex():
                self._index(made, before)
            case s.CreateSink():
                self._sink(statement, made, before)
            case s.CreateFunction():
                self._functions.put(made)
            case _:
                raise AssertionError(made)

    def _replace_function(self, made: logs.Object, before: Before, contents: logs.Contents) -> None:
        """Views that call a function are computed again; all columns must stay."""
        self._functions.put(made)
        for each in contents.of(s.VIEW, s.SINK):
            if made.stored not in self._functions.called_by(each.stored):
                continue
            told = f"function {made.name} cannot be replaced: {each.kind} {each.name} calls it, and"
            old = self.catalog.views[each.stored].frame.schema
            try:
                self._put_view(each, before(each.made.number))
            except (PySparkException, ConfigurationError) as e:
                raise ConfigurationError(f"{told} would be refused: {jvm.first_line(e)}") from e
            if differs := differences(old, self.catalog.views[each.stored].frame.schema):
                raise ConfigurationError(
                    f"{told} its columns would be others: {'; '.join(differs)}. Keep the type, or "
                    f"make a function of another name and replace {each.name}"
                )

    def replace(self, made: logs.Object, before: Before, contents: logs.Contents) -> None:
        """Gives a view another query; what reads it is written for its new columns.

        A function that is replaced gives the views that call it another query.

        Args:
            made: the view, as it is to be.
            before: tells what was there before a statement.
            contents: all objects, the view as it is to be included.

        Raises:
            GroundswellError: it cannot be, or a reader cannot take its columns.
        """
        if made.kind == s.FUNCTION:
            self._replace_function(made, before, contents)
            return
        old = self.catalog.views[made.stored].frame.schema
        self._put_view(made, before(made.made.number))
        in_order(contents, before)  # refuses a circle of names
        new = self.catalog.views[made.stored].frame.schema
        if not differences(old, new):
            return
        for each in contents.of(s.VIEW, s.INDEX, s.SINK):
            if each.stored != made.stored and made.stored in self._inputs(each, contents):
                self._rewritten(each, made, before, differences(old, new))

    def _rewritten(
        self, reader: logs.Object, made: logs.Object, before: Before, differs: Sequence[str]
    ) -> None:
        """A reader of a view whose columns are others: its own must stay."""
        told = (
            f"materialized view {made.name} cannot be replaced: {reader.kind} {reader.name} reads "
            f"it, and its columns would be others: {'; '.join(differs)}"
        )
        if reader.kind == s.SINK and self.catalog.sinks[reader.stored].view == made.stored:
            raise ConfigurationError(f"{told}. Drop the sink first")
        was = before(reader.made.number)
        if reader.kind == s.INDEX:
            self.pipeline.dropIndex(reader.stored)
            self.add(reader, was)
            return
        old = self.catalog.views[reader.stored].frame.schema
        try:
            self._put_view(reader, was)
        except PySparkException as e:
            raise ConfigurationError(f"{told}. Replace the reader first: {jvm.summary(e)}") from e
        if own := differences(old, self.catalog.views[reader.stored].frame.schema):
            raise ConfigurationError(
                f"{told}. With them {reader.name} would have other columns, too: "
                f"{'; '.join(own)}. Name the columns that it reads, or drop it first"
            )

    def alter(self, made: logs.Object, before: Before, contents: logs.Contents) -> None:
        """Gives a table other columns; what reads it goes on with those of before.

        An index of columns that are gone, or have another type, is one of the others from now on.
        """
        statement = made.statement
        assert isinstance(statement, s.CreateRelation)
        shown = self.catalog.tables[made.stored].shown
        assert shown is not None
        sinks = self.catalog.sinks
        check_altered(
            made, {o.name: sinks[o.stored] for o in contents.of(s.SINK) if o.stored in sinks}
        )
        self._shown[made.stored, columns_of(shown)] = shown
        self._relation(statement, made.stored)
        self._altered[made.stored] = len(made.altered)
        for each in contents.of(s.INDEX):
            was = before(each.made.number)
            on = indexed(each, was)
            if on.stored == made.stored and lacks_columns(on, statement):
                self.pipeline.dropIndex(each.stored)
                self.add(each, was)

    def set_options(self, given: Mapping[str, Any]) -> None:
        """Gives the pipeline the options that ``ALTER PIPELINE`` may change."""
        wanted = config.check(given)
        for name, option in config.OPTIONS.items():
            if not option.fixed and wanted[name] != self.catalog.options[name]:
                self.pipeline.program.apply(SetOption(name, wanted[name]))

    def drop(self, gone: logs.Object) -> None:
        """Gives an object up, which none reads."""
        if gone.kind == s.SINK:
            self.pipeline.dropSink(gone.stored)
        if gone.kind == s.VIEW or gone.stored in self.catalog.views:
            self.pipeline.drop(gone.stored)
        if gone.kind in (s.TABLE, s.SOURCE):
            self.pipeline.release(gone.stored)
        if gone.kind == s.INDEX:
            self.pipeline.dropIndex(gone.stored)
        if gone.kind == s.FUNCTION:
            self._functions.drop(gone.stored)

    @property
    def catalog(self) -> Catalog:
        """What the statements so far have made."""
        return self.pipeline.program.catalog

    def readers(self, read: logs.Object, contents: logs.Contents) -> list[logs.Object]:
        """The objects that read one, directly or not, each after those that it reads."""
        inputs = {o.stored: self._inputs(o, contents) for o in contents.objects.values()}
        found: set[str] = set()
        new = {read.stored}
        while new:
            found |= new
            new = {stored for stored, below in inputs.items() if below & new} - found
        order = [*self.catalog.views, *inputs]  # views are in order; nothing reads the others
        readers = [o for o in contents.objects.values() if o.stored in found - {read.stored}]
        return sorted(readers, key=lambda each: order.index(each.stored))

    def _inputs(self, each: logs.Object, contents: logs.Contents) -> set[str]:
        """What the pipeline calls the relations that an object reads."""
        called = self._functions.called_by(each.stored)
        if each.kind == s.VIEW:
            return self._relations(self.catalog.views[each.stored], contents) | called
        if each.kind == s.INDEX:
            return self._relations(self.catalog.indexes[each.stored], contents)
        if each.kind == s.SINK:
            written = self.catalog.sinks[each.stored].table
            into = {written} if written else set()
            return self._read_by_sink(each, contents) | into | called
        return set()

    def _relations(self, reader: View | Index, contents: logs.Contents) -> set[str]:
        """Stored names of the relations that a view or index reads."""
        tables = contents.of(s.TABLE, s.SOURCE)
        found = {o.stored for o in tables if self._has(o) and self._keys(o) & reader.sources}
        return found | reader.reads

    def _keys(self, table: logs.Object) -> frozenset[str]:
        """The keys of all that stands for a table, with the columns of before too."""
        earlier = self.catalog.tables[table.stored].earlier
        return earlier.union(sources_in(self.frame_of(table)))

    def _read_by_sink(self, sink: logs.Object, contents: logs.Contents) -> set[str]:
        view = self.catalog.sinks[sink.stored].view
        if view != sink.stored:
            return {view}
        return self._relations(self.catalog.views[view], contents)

    def explain(
        self,
        view: s.CreateView,
        name: str,
        catalog: str,
        namespace: tuple[str, ...],
        contents: logs.Contents,
    ) -> str:
        """The plan of a view that the pipeline does not have."""
        frame = self._query_of(view, catalog, namespace, contents)
        made = view_of(name, **view_settings(view, frame))
        return self.pipeline.program.planned_apart(name, made).explain()

    def _relation(self, relation: s.CreateRelation, stored: str) -> None:
        """Puts a table or source into the catalog, with what stands for it in queries."""
        self._now[stored] = relation
        if is_of_server(relation):
            frame = shown = self.streams.frame(relation, stored)
        elif relation.options.get("connector") or relation.kind == s.SOURCE:
            frame = shown = source(self._spark, relation, stored)
        else:
            frame, shown = self._table(relation, stored)
        keyed = relation.key or is_of_server(relation) or ROW_ID in frame.columns
        if relation.kind == s.TABLE and keyed:
            self.pipeline.keep(frame)
        elif relation.kind == s.TABLE:
            shown = self._as_view(relation, stored, frame)
        if relation.options.get("connector") or relation.kind == s.SOURCE:
            shown = expected(relation, shown)
        key = "" if not relation.options.get("connector") else next(iter(sources_in(frame)))
        self.pipeline.program.apply(PutTable(stored, Table(frame, shown=shown, source=key)))

    def _table(self, relation: s.CreateRelation, stored: str) -> tuple[DataFrame, DataFrame]:
        given = {k.lower(): v for k, v in relation.options.items()}
        what = f"table {relation.name[-1]}"
        check_options(what, relation.options, TABLE_OPTIONS if relation.key else ())
        schema, key = table_schema(relation), relation.key
        check_watermark(self._spark, relation.watermark, schema, what)
        if not key and not relation.append_only:
            key = (ROW_ID,)
        keep = None if key or relation.watermark else False  # the view below has the rows
        defaults = {c.name: c.default for c in relation.columns if c.default is not None}
        conflict, version = given.get("conflict", "overwrite"), given.get("version")
        life, names = check_life(given.get("ttl")), stored_names(relation)
        spec = table_spec(
            schema, key or None, conflict, version, life, keep, defaults, names, checks(relation)
        )
        table = self.pipeline._put_table(stored, spec)
        frame = table.df
        assert frame is not None
        frame = with_watermark(frame, relation.watermark, what)
        return frame, frame.drop(ROW_ID)

    def _as_view(self, relation: s.CreateRelation, stored: str, frame: DataFrame) -> DataFrame:
        """Keeps rows without a key as a view. Views to come are filled from it.

        Those over a watermark read the stream, which has one; of a source its rows are kept by
        nobody, so they must be there from its start.
        """
        self.pipeline.view(stored, frame)
        return frame if relation.watermark else self.pipeline.read(stored)

    def _view(self, view: s.CreateView, made: logs.Object, before: logs.Contents) -> None:
        self.pipeline.view(made.stored, **self._view_given(view, made, before))

    def _put_view(self, made: logs.Object, before: logs.Contents) -> None:
        """Another query of a view, or of the view that a sink has of its own."""
        statement = made.made.statement
        if isinstance(statement, s.CreateView):
            given = self._view_given(statement, made, before)
        else:
            assert isinstance(statement, s.CreateSink)
            assert statement.query is not None
            at = made.made
            given = {"frame": self.query(statement.query, at.catalog, at.namespace, before)}
        program = self.pipeline.program
        program.apply(program.replace_view(made.stored, **given))

    def _view_given(
        self, view: s.CreateView, made: logs.Object, before: logs.Contents
    ) -> dict[str, Any]:
        """What a view is made of, by the names of what :meth:`Pipeline.view` takes."""
        self._functions.note(made.stored, view.query, before)
        frame = self._query_of(view, made.made.catalog, made.made.namespace, before)
        return view_settings(view, frame)

    def _query_of(
        self, view: s.CreateView, catalog: str, namespace: tuple[str, ...], contents: logs.Contents
    ) -> DataFrame:
        """The rows of a view: those of its query, or what its query's change events make."""
        frame = self.query(view.query, catalog, namespace, contents)
        return table_of(frame, view.feed) if view.feed else frame

    def _index(self, made: logs.Object, before: logs.Contents) -> None:
        on = indexed(made, before)
        now = self._now.get(on.stored)
        if now is not None and lacks_columns(on, now):
            shown = self.catalog.tables[on.stored].shown
            assert shown is not None
            frame, called = shown, names_now(made, on, now)
        else:
            frame, called = self.frame_of(on), {}
        columns, include = index_columns(made, on, frame.columns, called)
        if include:
            frame = frame.select(*map(by_name, dict.fromkeys([*columns, *include])))
        self.pipeline.index(frame, *columns, name=made.stored)

    def _sink(self, sink: s.CreateSink, made: logs.Object, before: logs.Contents) -> None:
        """A sink of a query has a view of its own, which SQL does not show."""
        what = f"sink {made.name}"
        if sink.query is not None:
            self._functions.note(made.stored, sink.query, before)
            frame = self.query(sink.query, made.made.catalog, made.made.namespace, before)
            view = made.stored
        else:
            assert sink.view is not None
            on = before.objects.get(sink.view[-1].lower())
            if on is None or on.kind not in _RELATIONS:
                known = ", ".join(o.name for o in before.of(*_RELATIONS)) or "none"
                raise ConfigurationError(
                    f"{what}: there is no table, source or materialized view {sink.view[-1]!r}; "
                    f"there are {known}"
                )
            frame = self.frame_of(on)
            view = on.stored if on.stored in self.catalog.views else made.stored
        into = into_table(sink, made, before) if sink.into is not None else None
        if into is None:
            format_, options = format_and_options(sink)
        if view == made.stored:
            self.pipeline.view(view, frame)
        if into is None:
            self.pipeline.sink(made.stored, view, format_, **options)
            return
        table, written = into
        more = {"key": list(table.key)} if table.key else {}
        check_options(what, sink.options, ("snapshot",))
        spec = sink_spec(made.stored, view, table, {**more, **sink.options})
        self.pipeline.program.apply(AddSink(replace(spec, table=written.stored)))
        objects = {**before.objects, made.name.lower(): made}
        self._check_no_circle(made, written, replace(before, objects=objects))

    def _check_no_circle(
        self, sink: logs.Object, written: logs.Object, contents: logs.Contents
    ) -> None:
        """Refuses a sink whose rows come back to it."""
        reached = {written.stored}
        grown = True
        while grown:
            grown = False
            for each in contents.of(s.VIEW, s.SINK):
                if each.stored in reached or not self._has(each):
                    continue
                read = (
                    self._read_by_sink(each, contents)
                    if each.kind == s.SINK
                    else self._inputs(each, contents)
                )
                if read & reached:
                    into = self.catalog.sinks[each.stored].table if each.kind == s.SINK else None
                    reached |= {each.stored, *([into] if into else [])}
                    grown = True
        if sink.stored in reached:
            raise ConfigurationError(
                f"sink {sink.name} reads what it writes: table {written.name} is among its "
                "inputs, so every barrier would cause another one"
            )

    def query(
        self, query: str, catalog: str, namespace: tuple[str, ...], contents: logs.Contents
    ) -> DataFrame:
        """A query over the pipeline's relations, as a definition."""
        words = {token.value.lower() for token in tokens(query)}
        relations = {
            name: self.frame_of(each)
            for name, each in contents.objects.items()
            if name in words and each.kind in _RELATIONS and self._has(each)
        }
        relations |= {
            name.lower(): self.pipeline.read(name)
            for name in self.catalog.error_rows
            if name.lower() in words and name.lower() not in contents.objects
        }
        depth = 0
        if catalog == CATALOG:
            depth = 2 if [n.lower() for n in namespace] == [self._name.lower()] else 1
        functions = self._functions.in_query(query, contents)
        return definition(self._spark, query, relations, self._name, depth, functions)

    def _has(self, each: logs.Object) -> bool:
        """Whether it is there: nothing reads what was dropped since."""
        now = self.catalog
        own = {s.VIEW: now.views, s.SINK: now.sinks}
        return each.stored in own.get(each.kind, now.tables)

    def frame_of(self, each: logs.Object) -> DataFrame:
        """What stands for a table, source or view in queries."""
        if each.kind == s.VIEW:
            return self.pipeline.read(each.stored)
        shown = self.catalog.tables[each.stored].shown
        assert shown is not None
        statement = each.statement
        if not isinstance(statement, s.CreateRelation) or is_of_server(statement):
            return shown
        if statement.options.get("connector"):
            altered = len(each.altered) < self._altered.get(each.stored, 0)
        else:
            altered = each.kind == s.TABLE and columns_of(statement) != columns_of(shown)
        return self._as_it_was(statement, each.stored) if altered else shown

    def _as_it_was(self, relation: s.CreateRelation, stored: str) -> DataFrame:
        """What stands for a table in statements that were run before it had other columns."""
        columns = columns_of(relation)
        known = self._shown.get((stored, columns))
        earlier = self.catalog.tables[stored].earlier
        if known is None or not sources_in(known) <= earlier:
            if relation.options.get("connector"):
                known = expected(relation, source(self._spark, relation, stored))
                self.pipeline._put_earlier(stored, sources_in(known))
            else:
                schema, names = table_schema(relation), stored_names(relation)
                known = self.pipeline._table_as_it_was(stored, schema, names).drop(ROW_ID)
            self._shown[stored, columns] = known
        return known
