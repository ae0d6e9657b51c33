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

import copy
import json
import time
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from pyspark.errors import PySparkException
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql.types import (
    ArrayType,
    BooleanType,
    DataType,
    MapType,
    StructField,
    StructType,
)

from groundswell import jvm
from groundswell.catalog.names import check_name
from groundswell.columns import TIMES, by_name
from groundswell.errors import ConfigurationError, SourceError
from groundswell.listing import Listed
from groundswell.plan.refusals import why_key_type
from groundswell.plan.sources import (
    Mode,
    SourceTable,
    Version,
    version_columns,
    version_text,
)
from groundswell.runtime import columns_of_tables as columns
from groundswell.runtime.planning.changes import diff
from groundswell.runtime.planning.sources import declare, declared, marked
from groundswell.runtime.python_rows import Rows, frame_of
from groundswell.runtime.record.location import FOLDER, read_document, upgrade, write_document

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

DOCUMENT = "table.json"
KIND = "table"
DELETE = "_groundswell_delete"
TABLES = "tables"
STAGING = "staging"
ROWS = "rows"


@dataclass(frozen=True)
class TableSpec:
    """What a table is: ``schema`` as Spark's JSON, ``key`` empty for a table of appends.

    ``life_micros``: how long a row stays after it was last written; 0: for ever. ``keep``: whether
    its rows stay for views that are added later; None: as the table that is there says, or yes.
    """

    schema: Mapping[str, Any]
    key: tuple[str, ...]
    conflict: str = "overwrite"
    version: tuple[str, ...] = ()
    life_micros: int = 0
    keep: bool | None = None

    def struct(self) -> StructType:
        """Of a copy: PySpark writes into the JSON of collated columns that it reads."""
        return StructType.fromJson(copy.deepcopy(dict(self.schema)))

    def lines(self) -> list[str]:
        """What it is, in SQL's words."""
        columns = [
            f"{f.name} {f.dataType.simpleString()}{'' if f.nullable else ' NOT NULL'}"
            for f in self.struct().fields
        ]
        options = {
            "key": ", ".join(self.key),
            "version": version_text(self.version),
            "conflict": self.conflict if self.key else None,
            "ttl": f"{self.life_micros} microseconds" if self.life_micros else None,
            "keep": None if self.keep is None or self.key else self.keep,
        }
        return [*columns, *(f"{name} = {value}" for name, value in options.items() if value)]

    def written(self) -> StructType:
        """The columns of a write's file; where there is a key, one tells whether it deletes."""
        hidden = [StructField(DELETE, BooleanType())] if self.key else []
        return StructType([*columns.stored(self.struct()).fields, *hidden])

    def is_stricter(self, other: TableSpec) -> bool:
        """Whether the other is the same without lengths and ``NOT NULL``, as releases noted it."""
        plain = columns.loose(self.struct()).json()
        return replace(self, schema=json.loads(plain)) == other


class Table(Listed):
    """A table of a pipeline that this process, and others, write to.

    Attributes:
        name: its name.
        df: stands for the table in queries; None if the table was opened for writing only.

    Examples:
        >>> stories = p.table("stories", "id bigint, title string", key="id")
        >>> query = p.view("titles", stories.df.select("title")).start()
        >>> stories.insert(spark.createDataFrame([(1, "rain"), (2, "sun")], stories.df.schema))
        >>> stories.upsert(spark.createDataFrame([(2, "snow")], stories.df.schema))
        >>> stories.delete(spark.createDataFrame([(1,)], "id bigint"))
        >>> query.processAllAvailable()
        >>> [row.title for row in query.view("titles").collect()]
        ['snow']
        >>> query.stop()
    """

    def __init__(
        self, spark: SparkSession, folder: jvm.JvmFolder, name: str, spec: TableSpec
    ) -> None:
        self._spark = spark
        self._folder = folder
        self._spec = spec
        self._schema = spec.struct()
        self.name = name
        self.df: DataFrame | None = None

    @property
    def is_kept(self) -> bool:
        """Whether its rows stay for views that are added later."""
        return bool(self._spec.keep)

    def has(self, column: str) -> bool:
        """Whether there is a column of that name."""
        return column in self._schema.names

    def insert(self, rows: Rows, once: str | None = None) -> None:
        """Adds rows; of a key that is there the table's conflict mode decides.

        Args:
            rows: all columns of the table: a DataFrame, a list of tuples or dicts, or data of
                pandas, pyarrow or polars. Columns go by name, values of tuples by position.
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
        names = dict.fromkeys((*self._spec.key, *version))
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

    def _frame(
        self, rows: Rows, keys: Sequence[str] = (), more: Sequence[StructField] = ()
    ) -> DataFrame:
        schema = StructType([*columns.stored(self._schema).fields, *more])
        return frame_of(self._spark, f"table {self.name}", rows, schema, keys)

    def _keyed(self, what: str) -> None:
        if not self._spec.key:
            raise SourceError(
                f"table {self.name} has no key, so rows can only be inserted; {what} needs "
                "pipeline.table(name, schema, key=...)"
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
                + (f"lack {', '.join(lacks)}" if lacks else f"have {', '.join(more)}, too")
            )
        for field in self._schema.fields:
            given = _fields(df.schema[field.name].dataType) if field.name in names else []
            if given and given != _fields(field.dataType):
                raise SourceError(
                    f"table {self.name}: the fields in {field.name} are "
                    f"{', '.join(_fields(field.dataType))}, in this order; the rows have "
                    f"{', '.join(given)}"
                )
        chosen = [by_name(n) if n in names else F.lit(None).alias(n) for n in wanted]
        chosen += [F.lit(delete).alias(DELETE)] if self._spec.key else []
        name = f"{time.time_ns():020d}-{uuid.uuid4().hex[:12]}"
        part = jvm.StagedPart(self._spark, f"{self._folder.location}/{STAGING}/{name}")
        rows = jvm.exact((rows_of or df).select(*chosen), self._spec.written())
        gone = F.coalesce(by_name(DELETE), F.lit(False)) if self._spec.key else F.lit(False)
        checks = [] if delete is True else columns.rules(self._schema, self._spec.key, gone)
        # Spark takes a file of one path once, also if the file went and came again.
        target = f"{self._folder.location}/{ROWS}/{once or name}.parquet"
        with jvm.storage_errors(
            f"write to table {self.name} in {part.folder}",
            "write again. Nothing of this write was stored",
        ):
            try:
                checked = columns.guarded(rows, checks) if checks else rows
                part.writer(checked).mode("append").parquet(part.folder)
            except PySparkException:
                if checks:
                    columns.explain(self.name, rows, checks)
                raise
            part.publish(target, once=once is not None)

    def __repr__(self) -> str:
        return f"Table({self.name}: {self._schema.simpleString()})"


def _fields(type_: DataType) -> list[str]:
    """Names of the fields within, in order; Spark casts structs by position."""
    match type_:
        case StructType():
            return [n for f in type_.fields for n in (f.name.lower(), *_fields(f.dataType))]
        case ArrayType():
            return _fields(type_.elementType)
        case MapType():
            return _fields(type_.keyType) + _fields(type_.valueType)
        case _:
            return []


def home(spark: SparkSession, location: str, name: str) -> jvm.JvmFolder:
    """The folder of a table."""
    root = jvm.JvmFolder.open(spark, jvm.qualify(spark, location))
    return root.child(FOLDER).child(TABLES).child(name)


@jvm.classic_only(
    "gs.table",
    "INSERT INTO, UPDATE, DELETE FROM or MERGE INTO groundswell.<pipeline>.<table>",
)
def open_table(spark: SparkSession, location: str, name: str) -> Table:
    """A table of a pipeline, to write to from any process.

    Raises:
        ConfigurationError: if there is no such table.

    Examples:
        >>> _ = p.table("votes", "story bigint, user string")
        >>> votes = gs.table(spark, location, "votes")
        >>> votes.insert(spark.createDataFrame([(1, "ann")], "story bigint, user string"))
    """
    check_name("table", name)
    folder = home(spark, location, name)
    found = _load(folder)
    if found is None:
        raise ConfigurationError(
            f"{location} has no table {name!r}; make it with gs.pipeline(...).table(...)"
        )
    return Table(spark, folder, name, found)


def make_table(
    spark: SparkSession, location: str, name: str, spec: TableSpec, clean: bool = True
) -> Table:
    """A table, new or as it was, and what stands for it in queries.

    Args:
        spark: the session that keeps it.
        location: the pipeline's checkpointLocation.
        name: its name.
        spec: what it is.
        clean: whether Spark deletes a write's file when it has recorded the barrier that took it;
            with checkpoints at every k-th barrier it may not.
    """
    check_name("table", name)
    schema = spec.struct()
    for column in (*spec.key, *spec.version):
        if column not in schema.names:
            raise SourceError(f"table {name} has no column {column!r}: {schema.simpleString()}")
    for column in spec.key:
        if reason := why_key_type(json.loads(schema[column].dataType.json())):
            raise SourceError(f"key column {column}: {reason}")
    folder = home(spark, location, name)
    found = _load(folder)
    if spec.keep is None:
        spec = replace(spec, keep=True if found is None else found.keep)
    if found is None:
        columns.check_types(name, schema, spark.conf.get(TIMES, "false") == "true")
    if found is None or (found != spec and spec.is_stricter(found)):
        write_document(
            folder,
            DOCUMENT,
            KIND,
            {
                "schema": dict(spec.schema),
                "key": list(spec.key),
                "conflict": spec.conflict,
                "version": version_text(spec.version),
                "lifeMicros": spec.life_micros,
                "keep": spec.keep,
            },
        )
    elif found != spec:
        raise ConfigurationError(
            f"table {name} is there with another definition (- is there, + is asked for):"
            f"{diff(found.lines(), spec.lines())}\nGo back: open it as it is there. Anew: give the "
            "table another name, or start with another checkpointLocation."
        )
    else:
        upgrade(folder, DOCUMENT, KIND)
    rows = f"{folder.location}/{ROWS}"
    jvm.make_folder(spark, rows)
    stream = (
        spark.readStream.schema(spec.written())
        .option("maxFileAge", "36500d")  # nothing that was written may be too old to be read
        .option("ignoreCorruptFiles", "false")  # or be left out, whatever the session's settings
        .option("ignoreMissingFiles", "false")
        .option("cleanSource", "delete" if clean else "off")
        .parquet(jvm.literal(rows))
    )
    source, stand_in = jvm.stand_in(stream)
    mode = Mode.UPSERT if spec.key else Mode.APPEND
    jvm_id = jvm.jvm_id(spark)
    declare(
        jvm_id,
        SourceTable(
            source,
            name,
            mode,
            spec.key,
            DELETE if spec.key else None,
            whole=bool(spec.keep),
            conflict=spec.conflict,
            version=spec.version,
            life_micros=spec.life_micros,
            kept=bool(spec.keep) and not spec.key,
        ),
    )
    table = Table(spark, folder, name, spec)
    table.df = stand_in.drop(DELETE) if spec.key else stand_in

    def with_watermark(eventTime: str, delayThreshold: str) -> DataFrame:
        _, of_stream = jvm.stand_in(stream.withWatermark(eventTime, delayThreshold))
        (described,) = jvm.Capture([of_stream]).description.sources
        own = declared(jvm_id, source)
        assert own is not None
        new = marked(own, described.watermark)
        if own.event_time is not None and own != new:
            raise SourceError(
                f"table {name} has a watermark on {own.event_time} already, "
                f"{own.delay_millis} ms behind the newest; a table has one, for all views"
            )
        declare(jvm_id, new)
        assert table.df is not None
        return table.df

    frame: Any = table.df
    frame.withWatermark = with_watermark
    return table


def keep_whole(spark: SparkSession, frame: Any) -> str:
    """Has all columns of a keyed source kept, for readers; gives its name.

    Raises:
        ConfigurationError: the frame is another query, or has no key or name.
    """
    jvm_id = jvm.jvm_id(spark)
    read = jvm.Capture([frame]).description.sources if isinstance(frame, DataFrame) else ()
    table = declared(jvm_id, read[0].key) if len(read) == 1 else None
    if table is None or not table.key or not table.name:
        raise ConfigurationError(
            "keep takes a table with a key, or gs.upserts(...) with key= and name=; rows "
            "without a key are kept by a view"
        )
    declare(jvm_id, replace(table, whole=True, readable=True))
    return table.name


def table_spec(
    schema: StructType | str,
    key: str | Sequence[str] | None,
    conflict: str,
    version: Version,
    life_micros: int = 0,
    keep: bool | None = None,
) -> TableSpec:
    """What the user said, checked as far as it can be without a session's types."""
    struct = StructType.fromDDL(schema) if isinstance(schema, str) else schema
    keys = () if key is None else (key,) if isinstance(key, str) else tuple(key)
    if life_micros and not keys:
        raise SourceError(
            "a table with a ttl needs key=: without one no row is written again. Give the views of "
            "it a ttl, or WHERE ts > now() - INTERVAL ..."
        )
    if keep is False and keys:
        raise SourceError(
            "a table with a key keeps its rows, or an upsert could not take the old one back: "
            "leave keep=False out, or the key"
        )
    return TableSpec(
        json.loads(struct.json()), keys, conflict, version_columns(version), life_micros, keep
    )


def _load(folder: jvm.JvmFolder) -> TableSpec | None:
    document = read_document(folder, DOCUMENT, KIND)
    if document is None:
        return None
    return TableSpec(
        document["schema"],
        tuple(document["key"]),
        document["conflict"],
        version_columns(document["version"]),
        document.get("lifeMicros", 0),
        document.get("keep", bool(document["key"])),
    )
