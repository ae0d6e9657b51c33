"""Streams behind ``WITH (connector = ...)``: Spark's readers, with RisingWave's names, too.

A connector is one of Spark's formats. Its options are Spark's own; :data:`ALIASES` has other names
for them. An option or connector that there is not is refused with the nearest name that there is.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql.types import StructType

from groundswell import jvm, suggestions
from groundswell.api.decoded_events import check_columns
from groundswell.api.event_values import PLACEHOLDER, Reading
from groundswell.api.events import checked, key_names, measured
from groundswell.api.sources import appends, upserts
from groundswell.api.watermarks import check_watermark, with_watermark
from groundswell.catalog.columns_of_tables import loose
from groundswell.columns import by_name, is_measured, quoted
from groundswell.errors import ConfigurationError
from groundswell.plan.sources import UNREAD
from groundswell.sources.kafka import OPTIONS as KAFKA_OPTIONS
from groundswell.sources.kafka import stream as kafka_stream
from groundswell.sources.kafka import table_of
from groundswell.sql.connecting.lakes import LAKES, lake_table
from groundswell.sql.connecting.message_registries import ENCODES, registry_of, registry_options
from groundswell.sql.connecting.references import resolved
from groundswell.sql.parsing import statements as s

TABLE_OPTIONS = ("conflict", "version", "ttl")
"""Options of every table with a key, whatever feeds it."""

EVENT_OPTIONS = ("timestamps", "decimals", "unavailable_value")
"""What values mean in messages without a schema; the last one is of ``FORMAT DEBEZIUM``."""

_FILES = (
    "path",
    "maxFilesPerTrigger",
    "maxBytesPerTrigger",
    "latestFirst",
    "fileNameOnly",
    "maxFileAge",
    "maxCachedFiles",
    "cleanSource",
    "sourceArchiveDir",
    "pathGlobFilter",
    "recursiveFileLookup",
    "modifiedBefore",
    "modifiedAfter",
    "ignoreCorruptFiles",
    "ignoreMissingFiles",
)
_TEXTS = (
    "mode",
    "encoding",
    "lineSep",
    "dateFormat",
    "timestampFormat",
    "timestampNTZFormat",
    "locale",
    "timeZone",
    "columnNameOfCorruptRecord",
)
_JSON = (
    "multiLine",
    "allowComments",
    "allowSingleQuotes",
    "primitivesAsString",
    "dropFieldIfAllNull",
)
_CSV = (
    "sep",
    "delimiter",
    "quote",
    "escape",
    "comment",
    "header",
    "nullValue",
    "emptyValue",
    "ignoreLeadingWhiteSpace",
    "ignoreTrailingWhiteSpace",
    "multiLine",
    "enforceSchema",
)


@dataclass(frozen=True)
class Connector:
    """A format of Spark's that streams.

    Attributes:
        format: as Spark has it.
        options: that it takes.
        needs: one of these must be given.
        schema: whether the statement must list the columns.
        prefix: options that begin with it are handed on unseen.
        secret: options that a statement may only refer to, as ``OPTION_env`` or ``OPTION_file``.
    """

    format: str
    options: tuple[str, ...]
    needs: tuple[str, ...] = ()
    schema: bool = True
    prefix: str = ""
    secret: tuple[str, ...] = ()


CONNECTORS: dict[str, Connector] = {
    "json": Connector("json", (*_FILES, *_TEXTS, *_JSON), ("path",)),
    "csv": Connector("csv", (*_FILES, *_TEXTS, *_CSV), ("path",)),
    "parquet": Connector("parquet", (*_FILES, "mergeSchema"), ("path",)),
    "orc": Connector("orc", (*_FILES, "mergeSchema"), ("path",)),
    "text": Connector("text", (*_FILES, "wholetext", "lineSep"), ("path",), schema=False),
    "kafka": Connector(
        "kafka",
        KAFKA_OPTIONS,
        ("subscribe", "subscribePattern", "assign"),
        schema=False,
        prefix="kafka.",
    ),
    "delta": Connector(
        "delta", ("path", "appends", "max_versions", "new_columns"), ("path",), schema=False
    ),
    "iceberg": Connector(
        "iceberg",
        (
            "table",
            "path",
            "catalog",
            "type",
            "warehouse",
            "branch",
            "appends",
            "max_snapshots",
            "new_columns",
        ),
        ("table", "path"),
        schema=False,
        secret=("uri", "credential"),
    ),
    "rate": Connector("rate", ("rowsPerSecond", "rampUpTime", "numPartitions"), schema=False),
}
_FILE = ("file", "posix_fs", "s3", "gcs", "azblob")
ALIASES = {
    "topic": "subscribe",
    "posix_fs.root": "path",
    "match_pattern": "pathGlobFilter",
    "properties.bootstrap.server": "kafka.bootstrap.servers",
    "scan.startup.mode": "startingOffsets",
    "scan.startup.timestamp.millis": "startingTimestamp",
}


def nearest(name: str, known: Iterable[str]) -> str:
    """``; did you mean 'x'?`` where some known name is like it, and what there is."""
    names = list(known)
    like = suggestions.nearest(name, names)
    hint = f" Did you mean {like!r}?" if like else ""
    return f"{hint} There are {', '.join(sorted(names, key=str.lower))}"


def check_options(what: str, given: Iterable[str], known: Collection[str]) -> None:
    """Refuses an option that there is not.

    Raises:
        ConfigurationError: with the nearest that there is.
    """
    lower = {name.lower() for name in known}
    for name in given:
        if name.lower() not in lower:
            raise ConfigurationError(f"{what} has no option {name!r}.{nearest(name, known)}")


def schema_of(relation: s.CreateRelation) -> StructType:
    """The columns that the statement lists, as views have them."""
    return loose(declared_schema(relation))


def declared_schema(relation: s.CreateRelation) -> StructType:
    """The columns that the statement lists, with their lengths and ``NOT NULL``."""
    ddl = ", ".join(
        f"{quoted(column.name)} {column.type}{' NOT NULL' if column.required else ''}"
        for column in relation.columns
    )
    try:
        found = StructType.fromDDL(ddl)
    except Exception as e:
        what = jvm.first_line(e)
        raise ConfigurationError(f"{relation.kind} {relation.name[-1]}: {what}") from e
    assert isinstance(found, StructType)
    return found


def source(spark: SparkSession, relation: s.CreateRelation, stored: str) -> DataFrame:
    """What stands for a relation with a connector in queries.

    Raises:
        ConfigurationError: no such connector, option or format.
    """
    connector, options = _connector(relation)
    check_connector(relation)
    what = f"{relation.kind} {relation.name[-1]}"
    if relation.columns:
        check_watermark(spark, relation.watermark, declared_schema(relation), what)
    if connector.format == "kafka" and relation.columns:
        return _topic(_stream(spark, relation, connector, options), relation, stored)
    if connector.format in LAKES:
        declared = declared_schema(relation) if relation.columns else StructType()
        other = ("delete", *TABLE_OPTIONS)
        return lake_table(spark, relation, declared, connector.format, options, other, stored)
    rows = _decoded(_stream(spark, relation, connector, options), relation, connector)
    rows = with_watermark(rows, relation.watermark, what)
    given = {o.lower(): v for o, v in relation.options.items()}
    declared = declared_schema(relation) if connector.schema else StructType()
    measures = any(map(is_measured, declared.fields))
    if measures:
        rows = measured(rows, declared, relation.key)
    if not relation.key:
        table = appends(rows, name=stored)
        return checked(table, declared) if measures else table
    table = upserts(
        rows,
        (*relation.key, UNREAD) if measures else relation.key,
        delete=given.get("delete"),
        conflict=given.get("conflict", "overwrite"),
        version=given.get("version"),
        ttl=given.get("ttl"),
        name=stored,
    )
    return checked(table, declared) if measures else table


def _topic(rows: DataFrame, relation: s.CreateRelation, stored: str) -> DataFrame:
    """What stands for a topic of Kafka whose messages are rows."""
    what = f"{relation.kind} {relation.name[-1]}"
    format_ = relation.format or "PLAIN"
    if format_ not in ("PLAIN", "UPSERT", "DEBEZIUM"):
        raise ConfigurationError(f"{what}: FORMAT is PLAIN, UPSERT or DEBEZIUM, not {format_}")
    if format_ != "PLAIN" and not relation.key:
        raise ConfigurationError(f"{what}: FORMAT {format_} needs a PRIMARY KEY")
    given = {o.lower(): v for o, v in relation.options.items()}
    row = declared_schema(relation)
    meaning = "debezium" if format_ == "DEBEZIUM" else "upsert" if relation.key else "json"
    registry = registry_of(relation)
    other = ("delete", *TABLE_OPTIONS) if meaning == "debezium" else EVENT_OPTIONS[2:]
    if registry is not None:
        check_columns(what, row)
        other = (*other, *EVENT_OPTIONS[:2])
    if own := [o for o in other if o in given]:
        form = (
            f"FORMAT {format_}"
            if registry is None
            else f"FORMAT {format_} ENCODE {relation.encode}"
        )
        kind = " Only FORMAT DEBEZIUM does." if own == ["unavailable_value"] else ""
        raise ConfigurationError(f"{what}: {form} does not take {', '.join(own)}.{kind}")
    return table_of(
        rows,
        meaning,
        row,
        key_names(what, row, relation.key) if relation.key else (),
        keyed_messages=format_ != "PLAIN",
        delete=given.get("delete"),
        conflict=given.get("conflict", "overwrite"),
        version=given.get("version"),
        ttl=given.get("ttl"),
        watermark=relation.watermark,
        reading=reading_of(what, given, row),
        registry=registry,
        name=stored,
    )


def reading_of(what: str, given: Mapping[str, str], row: StructType) -> Reading:
    """What a statement says of values that messages leave open.

    Args:
        what: the relation, for messages.
        given: the statement's options, names in lower case.
        row: its columns.

    Raises:
        ConfigurationError, SourceError: an option has no such value, or names no column.
    """
    texts = {name: given[name] for name in EVENT_OPTIONS if name in given}
    units = texts.get("timestamps")
    by_column = None if units is None or "=" not in units else _pairs(what, units)
    reading = Reading(
        by_column or units,
        texts.get("decimals", Reading.decimals),
        texts.get("unavailable_value", PLACEHOLDER) or None,
    )
    reading.check(what, row)
    return reading


def _pairs(what: str, text: str) -> dict[str, str]:
    """``column = unit`` with commas between, by column."""
    found = [part.partition("=") for part in text.split(",")]
    pairs = {name.strip(): unit.strip() for name, _, unit in found}
    if len(pairs) < len(found) or not all((*pairs, *pairs.values())):
        raise ConfigurationError(
            f"{what}: timestamps must be a unit, as 'micros', or a unit by column, as "
            f"'created = millis, changed = micros', got {text!r}"
        )
    return pairs


def _connector(relation: s.CreateRelation) -> tuple[Connector, dict[str, str]]:
    """The connector, and the options that are its own, as Spark calls them."""
    what = f"{relation.kind} {relation.name[-1]}"
    given = {_alias(key): value for key, value in relation.options.items()}
    name = given.pop("connector", "").lower()
    if not name:
        raise ConfigurationError(
            f"{what}: WITH (...) has no connector.{nearest('', [*CONNECTORS, 'file'])}"
        )
    if name in _FILE:
        name = given.pop("format", relation.encode or "").lower()
        if name not in CONNECTORS:
            raise ConfigurationError(
                f"{what}: files need format = 'json', 'csv', 'parquet', 'orc' or 'text' in "
                f"WITH (...), got {name!r}"
            )
    if name not in CONNECTORS:
        raise ConfigurationError(
            f"{what}: there is no connector {name!r}."
            f"{nearest(name, [*CONNECTORS, 'file', 'postgres', 'mysql'])}"
        )
    connector = CONNECTORS[name]
    own = {"delete", *TABLE_OPTIONS} if relation.key else set()
    secrets = [f"{name}{end}" for name in connector.secret for end in ("", "_env", "_file")]
    if connector.format == "kafka" and relation.columns:
        own |= {*EVENT_OPTIONS, *registry_options(relation)}
    check_options(
        f"{what}: connector {name!r}",
        [o for o in given if not (connector.prefix and o.startswith(connector.prefix))],
        [*connector.options, *own, *secrets],
    )
    lower = {o.lower() for o in given}
    if connector.needs and not lower & {o.lower() for o in connector.needs}:
        raise ConfigurationError(
            f"{what}: connector {name!r} needs the option {' or '.join(connector.needs)}"
        )
    if connector.schema and not relation.columns:
        raise ConfigurationError(f"{what}: connector {name!r} needs the columns, (name type, ...)")
    return connector, {o: v for o, v in given.items() if o.lower() not in own}


def check_connector(relation: s.CreateRelation) -> None:
    """Refuses a relation whose connector, format or options there are not; asks no server.

    Raises:
        ConfigurationError: with the nearest that there is.
    """
    connector, _ = _connector(relation)
    encode = relation.encode or "JSON"
    if connector.format == "kafka" and encode not in ENCODES:
        raise ConfigurationError(
            f"{relation.kind} {relation.name[-1]}: ENCODE is {', '.join(ENCODES[:-1])} or "
            f"{ENCODES[-1]}, not {encode}"
        )
    if connector.format == "kafka" and encode != ENCODES[0] and not relation.columns:
        raise ConfigurationError(
            f"{relation.kind} {relation.name[-1]}: ENCODE {encode} needs the columns, (name type, "
            "...); an error names those of the subject where one is wrong"
        )


def _alias(option: str) -> str:
    if option.startswith("properties.") and option not in ALIASES:
        return "kafka." + option.removeprefix("properties.")
    return ALIASES.get(option, option)


def _started(options: Mapping[str, str]) -> dict[str, str]:
    """RisingWave's mode ``timestamp`` says only that a time is given, too."""
    return {o: v for o, v in options.items() if (o, v.lower()) != ("startingOffsets", "timestamp")}


def _stream(
    spark: SparkSession,
    relation: s.CreateRelation,
    connector: Connector,
    options: Mapping[str, str],
) -> DataFrame:
    given = resolved(f"{relation.kind} {relation.name[-1]}", options)
    if connector.format == "kafka":
        return kafka_stream(spark, _started(given))
    if connector.options[0] == "path":
        _make_folder(spark, given)
    reader = spark.readStream.format(connector.format).options(**given)
    if connector.schema:
        reader = reader.schema(schema_of(relation))
    try:
        return reader.load()
    except Exception as e:
        what = jvm.first_line(e)
        raise ConfigurationError(
            f"{relation.kind} {relation.name[-1]}: connector {connector.format!r} says: {what}"
        ) from e


def _make_folder(spark: SparkSession, options: Mapping[str, str]) -> None:
    """Makes a folder that does not exist yet: a stream often starts before its first file."""
    path = next(value for name, value in options.items() if name.lower() == "path")
    if not set(path) & set("*?[{"):
        jvm.make_folder(spark, path)


def _decoded(rows: DataFrame, relation: s.CreateRelation, connector: Connector) -> DataFrame:
    """The statement's columns, out of what the connector gives."""
    what = f"{relation.kind} {relation.name[-1]}"
    format_ = relation.format or "PLAIN"
    if format_ not in ("PLAIN", "UPSERT", "DEBEZIUM"):
        raise ConfigurationError(f"{what}: FORMAT is PLAIN, UPSERT or DEBEZIUM, not {format_}")
    if connector.schema or not relation.columns:
        if format_ != "PLAIN":
            raise ConfigurationError(f"{what}: FORMAT {format_} needs columns and messages in JSON")
        return rows
    return rows.select(*_cast(rows, relation, what))


def _cast(rows: DataFrame, relation: s.CreateRelation, what: str) -> list[Column]:
    missing = [c.name for c in relation.columns if c.name not in rows.columns]
    if missing:
        raise ConfigurationError(
            f"{what}: the connector has no column {', '.join(missing)}; "
            f"it has {', '.join(rows.columns)}"
        )
    return [by_name(c.name).cast(c.type).alias(c.name) for c in relation.columns]
