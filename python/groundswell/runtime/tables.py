"""Tables that people write to: each write is one file, taken whole at one barrier.

Layout::

    <location>/groundswell/tables/<name>/table.json     columns, key, conflict mode
    <location>/groundswell/tables/<name>/rows/*.parquet  one write each, until it is in the state
    <location>/groundswell/tables/<name>/staging/        writes that are not finished; those of
                                                         dead writers go after a day

A write is durable when the call returns: its file has been moved to ``rows`` by one rename, and
the pipeline, now or when it is started next, takes it as it takes the files of any source. A crash
before the rename leaves nothing. Writers may be other processes; of two writes that do not overlap
the later one counts as later, by the files' times.
"""

from __future__ import annotations

import json
import time
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from pyspark.errors import AnalysisException, PySparkException
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql.types import (
    BooleanType,
    DataType,
    NullType,
    StructField,
    StructType,
)

from groundswell import jvm
from groundswell.catalog import columns_of_tables as columns
from groundswell.catalog.names import check_name
from groundswell.catalog.table_spec import DELETE, TableSpec, as_struct
from groundswell.columns import by_name
from groundswell.errors import ConfigurationError, SourceError
from groundswell.listing import Listed
from groundswell.plan.sources import version_text
from groundswell.runtime.field_names import check_fields
from groundswell.runtime.new_columns import (
    renamed,
    with_more,
    with_type,
    without_columns,
)
from groundswell.runtime.python_rows import Rows, frame_of
from groundswell.runtime.record.location import FOLDER, TABLES
from groundswell.runtime.record.table import ROWS, STAGING, load

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from groundswell.runtime.transactions import Transaction


Change = Callable[[TableSpec], "Table"]
"""Makes a table of a pipeline what it is to be."""


class Table(Listed):
    """A table of a pipeline that this process, and others, write to.

    Attributes:
        name: its name.
        df: stands for the table in queries; None if the table was opened for writing only.
        source: the key of what it stands for; "" likewise.
        noted: whether the location says that it has these columns.

    Examples:
        >>> stories = p.table("stories", "id bigint, title string", key="id")
        >>> query = p.view("titles", stories.df.select("title")).start()
        >>> stories.insert([(1, "rain"), (2, "sun")])
        >>> stories.upsert(spark.createDataFrame([(2, "snow")], stories.df.schema))
        >>> stories.delete(spark.createDataFrame([(1,)], "id bigint"))
        >>> query.processAllAvailable()
        >>> [row.title for row in query.view("titles").collect()]
        ['snow']
        >>> query.stop()
    """

    INSIDE = frozenset({"completed", "is_kept", "noted", "source", "spec"})

    def __init__(
        self,
        spark: SparkSession,
        folder: jvm.JvmFolder,
        name: str,
        spec: TableSpec,
        within: Transaction | None = None,
    ) -> None:
        self._within = within
        self._spark = spark
        self._folder = folder
        self._spec = spec
        self._schema = spec.struct()
        self.name = name
        self.df: DataFrame | None = None
        self.source = ""
        self.noted = True
        self._change: Change | None = None

    @property
    def spec(self) -> TableSpec:
        """What it is."""
        return self._spec

    @property
    def is_kept(self) -> bool:
        """Whether its rows stay for views that are added later."""
        return bool(self._spec.keep)

    def has(self, column: str) -> bool:
        """Whether there is a column of that name."""
        return column in self._schema.names

    def addColumns(
        self, columns: StructType | str, defaults: Mapping[str, str] | None = None
    ) -> None:
        """Adds columns, behind those that there are, now or while the pipeline runs.

        Rows of before have null in them, or the default. The table's own rows are written again
        with it, beside the barriers of a running query; no view is computed again. Views go on with
        the columns that they read; ``df`` has the new ones for queries to come.

        Args:
            columns: as StructType or DDL; ``NOT NULL`` needs a default.
            defaults: by name of a column, a value as SQL has it: ``{"score": "0"}``. A function, as
                ``now()``, is evaluated once, here.

        Raises:
            SourceError: there is such a column, or a default is none of its type.
            DefinitionChanged: the table has a ``ttl``; the query goes on as before.
            ConfigurationError: the table was opened for writing only.

        Examples:
            >>> votes = p.table("votes", "story bigint, user string")
            >>> query = p.view("counts", votes.df.groupBy("story").count()).start()
            >>> votes.insert([(1, "ann")])
            >>> votes.addColumns("weight int", {"weight": "1"})
            >>> votes.insert([(1, "bob", 5)])
            >>> weights = votes.df.groupBy("story").agg(F.sum("weight").alias("w"))
            >>> query.addView("weights", weights)
            >>> query.processAllAvailable()
            >>> query.view("weights").collect(), query.view("counts").collect()
            ([Row(story=1, w=6)], [Row(story=1, count=2)])
            >>> query.stop()
        """
        more = as_struct(columns)
        self._become(self._changed(with_more(self.name, self._spec, more, defaults or {})))

    def dropColumns(self, *names: str) -> None:
        """Drops columns, now or while the pipeline runs.

        The table's own rows are written again without them, as with :meth:`addColumns`. Epochs of
        before still have them.

        Args:
            names: of the columns.

        Raises:
            ConfigurationError: views or indexes read one of them: all of these are named; or the
                table was opened for writing only.
            SourceError: there is no such column, or it is of the key or version.
            DefinitionChanged: the table has a ``ttl``.

        Examples:
            >>> votes = p.table("votes", "story bigint, user string")
            >>> query = p.view("counts", votes.df.groupBy("story").count()).start()
            >>> votes.dropColumns("user")
            >>> votes.df.columns
            ['story']
            >>> query.stop()
        """
        self._become(self._changed(without_columns(self.name, self._spec, names)))

    def widenColumn(self, name: str, type: DataType | str) -> None:  # noqa: A002
        """Gives a column a wider type, now or while the pipeline runs.

        That is: a whole number with more bytes, ``float`` to ``double``, a decimal with more digits
        on either side, a longer ``varchar``, or ``varchar`` to ``string``.

        Args:
            name: of the column.
            type: as DataType or DDL, such as ``"bigint"``.

        Raises:
            SourceError: there is no such column, it is of the key, or the type is not wider.
            ConfigurationError: views or indexes read the column: all of these are named.
            DefinitionChanged: the table has a ``ttl``.

        Examples:
            >>> votes = p.table("votes", "story int, user string")
            >>> votes.widenColumn("story", "bigint")
            >>> votes.df.dtypes
            [('story', 'bigint'), ('user', 'string')]
        """
        try:
            wanted = as_struct(f"c {type}")["c"].dataType if isinstance(type, str) else type
        except SourceError:
            raise SourceError(
                f"table {self.name}, column {name}: {type!r} is not a type of Spark's. Write one "
                "as 'bigint', 'double' or 'decimal(20, 2)'"
            ) from None
        self._become(self._changed(with_type(self.name, self._spec, name, wanted)))

    def renameColumn(self, old: str, new: str) -> None:
        """Gives a column another name, now or while the pipeline runs.

        No row is written again. Views go on with the column, under the names that they have.

        Args:
            old: its name.
            new: the one that it gets.

        Raises:
            SourceError: there is no such column, or it is of the key or version, or the new name is
                taken.
            ConfigurationError: the table was opened for writing only.

        Examples:
            >>> votes = p.table("votes", "story bigint, user string")
            >>> votes.renameColumn("user", "voter")
            >>> votes.df.columns
            ['story', 'voter']
        """
        self._become(self._changed(renamed(self.name, self._spec, old, new)))

    def _changed(self, spec: TableSpec) -> Table:
        if self._change is None:
            raise ConfigurationError(
                f"table {self.name} was opened to write to: change it in the program that runs the "
                "pipeline, with what p.table(...) returned, or with ALTER TABLE in SQL"
            )
        return self._change(spec)

    def _become(self, other: Table) -> None:
        self._spec, self._schema, self.df = other._spec, other._schema, other.df
        self.source, self.noted = other.source, other.noted

    def insert(self, rows: Rows, once: str | None = None) -> None:
        """Adds rows; of a key that is there the table's conflict mode decides.

        Args:
            rows: all columns of the table: a DataFrame, a list of tuples or dicts, or data of
                pandas, pyarrow or polars. Columns go by name, values of tuples by position. A NaN
                of pandas, which means no value there, is a null.
            once: names the write; of writes of one name the table takes the first one only.

        Raises:
            SourceError: null is in the key or a ``NOT NULL`` column, or a value is too long or of
                another type.
        """
        self._write(self._frame(rows), False, once=once)

    def upsert(self, rows: Rows) -> None:
        """Puts each row in the place of the one of its key.

        Args:
            rows: all columns of the table, held as for :meth:`insert`.

        Raises:
            SourceError: if the table has no key, or :meth:`insert` would not take the rows.
        """
        self._keyed("upsert")
        self._write(self._frame(rows), False)

    def delete(self, rows: Rows) -> None:
        """Removes the rows of these keys; other columns than key and version are not looked at.

        Of a table with a version a row is removed whose version is not above the one given here.

        Args:
            rows: held as for :meth:`insert`; a list may have whole rows or keys alone, with the
                version behind the key, where there is one.

        Raises:
            SourceError: if the table has no key, or has a version and ``df`` does not say which.
        """
        self._keyed("delete")
        version = self._spec.version
        df = self._frame(rows, keys=(*self._spec.key, *version))
        if lacking := [name for name in version if name not in df.columns]:
            raise SourceError(
                f"table {self.name} has version={version_text(version)!r}, and a delete without a "
                f"version would remove nothing; the rows have {', '.join(df.columns)}: add "
                f"{', '.join(lacking)}"
            )
        # a name that the rows lack is left to the check: `user` alone is a function
        names = [n for n in dict.fromkeys((*self._spec.key, *version)) if n in df.columns]
        self._write(df.select(*map(by_name, names)), True)

    def change(self, rows: Rows, gone: str, once: str | None = None) -> None:
        """Upserts and deletes in one write, which one barrier takes.

        Args:
            rows: all columns of the table, and one more, held as for :meth:`insert`.
            gone: name of that one: of rows for which it is true the key is removed.
            once: names the write; of writes of one name the table takes the first one only.

        Raises:
            SourceError: if the table has no key, or the columns are others.
        """
        self._keyed("change")
        df = self._frame(rows, more=(StructField(gone, BooleanType()),))
        self._write(df.drop(gone), by_name(gone), df, once)

    def completed(self, rows: DataFrame) -> DataFrame:
        """The rows with the columns that they lack: the default is in them, or null."""
        lacking = [n for n in self._schema.names if n not in rows.columns]
        values = {n: F.expr(self._spec.defaults.get(n, "NULL")) for n in lacking}
        return rows.withColumns(values) if values else rows

    def _frame(
        self, rows: Rows, keys: Sequence[str] = (), more: Sequence[StructField] = ()
    ) -> DataFrame:
        schema = StructType([*columns.stored(self._schema).fields, *more])
        jvm.check_session(self._spark)
        return frame_of(self._spark, f"table {self.name}", rows, schema, keys)

    def _keyed(self, what: str) -> None:
        if not self._spec.key:
            raise SourceError(
                f"table {self.name} has no key, so rows can only be inserted; {what} needs one: "
                "pipeline.table(name, schema, key=...), or PRIMARY KEY in SQL"
            )

    def _write(
        self,
        df: DataFrame,
        delete: bool | Column,
        rows_of: DataFrame | None = None,
        once: str | None = None,
    ) -> None:
        wanted = self._schema.names
        names = set(df.columns)
        lacks = [n for n in (self._spec.key if delete is True else wanted) if n not in names]
        more = [] if delete is True else sorted(names - set(wanted))
        if lacks or more:
            raise SourceError(
                f"table {self.name} has the columns {', '.join(wanted)}; the rows "
                + (
                    f"lack {', '.join(lacks)}: they have {', '.join(df.columns)}"
                    if lacks
                    else f"have {', '.join(more)}, too"
                )
            )
        for field in self._schema.fields:
            given = df.schema[field.name].dataType if field.name in names else NullType()
            check_fields(self.name, field, given)
        chosen = [by_name(n) if n in names else F.lit(None).alias(n) for n in wanted]
        chosen += [F.lit(delete).alias(DELETE)] if self._spec.key else []
        name = f"{time.time_ns():020d}-{uuid.uuid4().hex[:12]}"
        within, staging = self._within, f"{self._folder.location}/{STAGING}/{name}"
        part = jvm.StagedPart(self._spark, within.folder(name) if within else staging)
        try:
            rows = jvm.exact((rows_of or df).select(*chosen), self._spec.written())
        except AnalysisException as e:
            raise SourceError(f"table {self.name}: {jvm.first_line(e)}") from None
        gone = F.coalesce(by_name(DELETE), F.lit(False)) if self._spec.key else F.lit(False)
        checks = [] if delete is True else self._rules(gone)
        # Spark takes a file of one path once, also if the file went and came again.
        target = f"{self._folder.location}/{ROWS}/{once or name}.parquet"
        with jvm.storage_errors(
            f"write to table {self.name} in {part.folder}",
            "write again. Nothing of this write was stored",
        ):
            try:
                checked = columns.guarded(rows, checks) if checks else rows
                checked = columns.fit(checked, self._schema)
                if self._spec.stored:
                    checked = checked.toDF(*self._spec.read().names)
                part.writer(checked).mode("append").parquet(part.folder)
            except PySparkException:
                if checks:
                    columns.explain(self.name, rows, checks)
                raise
            if within:
                within.add(self, name)
            else:
                part.publish(target, once=once is not None)

    def _rules(self, gone: Column) -> list[columns.Rule]:
        return columns.rules(self._schema, self._spec.key, gone, self._spec.checks)

    def __repr__(self) -> str:
        return f"Table({self.name}: {self._schema.simpleString()})"


def home(spark: SparkSession, location: str, name: str) -> jvm.JvmFolder:
    """The folder of a table."""
    root = jvm.JvmFolder.open(spark, jvm.qualify(spark, location))
    return root.child(FOLDER).child(TABLES).child(name)


@jvm.classic_only(
    "gs.table",
    "INSERT INTO, UPDATE, DELETE FROM or MERGE INTO groundswell.<pipeline>.<table>",
)
def open_table(
    spark: SparkSession,
    location: str | Path,
    name: str,
    schema: StructType | None = None,
    stored: Mapping[str, str] | None = None,
    within: Transaction | None = None,
) -> Table:
    """A table of a pipeline, to write to from any process.

    Args:
        spark: the session to write with.
        location: the pipeline's checkpointLocation.
        name: of the table.
        schema: the columns that are written, by somebody who knows that they are to be others.
            Default: those that the table has.
        stored: with ``schema``: of columns that were renamed, the names that they began with.
        within: the transaction that its writes are part of; default: each write is one.

    Raises:
        ConfigurationError: if there is no such table.

    Examples:
        >>> _ = p.table("votes", "story bigint, user string")
        >>> votes = gs.table(spark, location, "votes")
        >>> votes.insert([(1, "ann")])
    """
    check_name("table", name)
    location = str(location)
    folder = home(spark, location, name)
    found = load(folder)
    if found is None:
        raise ConfigurationError(
            f"{location} has no table {name!r}; make it with gs.pipeline(...).table(...)"
        )
    if schema is not None:
        found = replace(found, schema=json.loads(schema.json()), stored=stored or {})
    return Table(spark, folder, name, found, within)
