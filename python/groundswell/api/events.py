"""Texts of other systems as rows: columns, or why a text is no row. Pure expressions over columns.

A text that cannot be read is a row, too. :data:`MALFORMED` holds what is wrong with it, and
:func:`checked` makes views fail on it. If its key can be read it takes the place of the row of its
key, until another text of the key comes. If its key cannot be read, :data:`UNREAD` says which text
it is: a column of the key that is null in all other rows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import and_, or_

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql.types import CharType, DataType, StringType, StructField, StructType, VarcharType

from groundswell import jvm
from groundswell.api.event_values import (
    Field,
    Reading,
    fields,
    is_read_as_it_is,
    raw_row,
    schema_of_columns,
    schema_of_rows,
    stands_for_nothing,
)
from groundswell.api.no_changes import is_no_change
from groundswell.columns import by_name, fitted, with_padding
from groundswell.errors import SourceError
from groundswell.plan.refusals import why_key_type
from groundswell.plan.sources import GONE, MALFORMED, UNREAD

UNCHANGED = "_groundswell_unchanged"
"""Names of columns that stay as they are in the row of the key, if there is one."""
_HIDDEN = (MALFORMED, UNREAD, GONE)
_PAYLOAD = "payload"
_NO_BARE_KEY = r"^(\s*\{|Struct\{|\x00)"
_NO_EVENT = "a malformed Debezium event"
_NO_OP = (
    f"{_NO_EVENT} (without op; rows that ExtractNewRecordState has made are read by key, with "
    "format='upsert' of gs.kafka or gs.upserts)"
)


@dataclass(frozen=True)
class Texts:
    """Where the texts of a stream are.

    Attributes:
        value: the column with the text.
        key: the column with a text of the key alone; None: there is none.
        place: what tells one text from another, for messages; None: the text itself.
    """

    value: Column
    key: Column | None = None
    place: Column | None = None


def row_type(what: str, schema: str | None) -> StructType:
    """The columns of a row, from DDL.

    Raises:
        SourceError: there is none, or it cannot be read.
    """
    if not schema:
        raise SourceError(
            f"{what} needs schema=, the row's columns as DDL: 'id bigint, name string'"
        )
    try:
        found = StructType.fromDDL(schema)
    except Exception as e:
        says = jvm.first_line(e)
        raise SourceError(
            f"{what}: schema={schema!r} is not a list of columns in DDL: {says}"
        ) from e
    if not isinstance(found, StructType) or not found.fields:
        raise SourceError(f"{what}: schema={schema!r} has no columns: write 'name type, ...'")
    return found


def key_names(what: str, row: StructType, key: str | Sequence[str] | None) -> tuple[str, ...]:
    """The names of the key's columns, as the row has them.

    Raises:
        SourceError: there is none, or the row does not have it.
    """
    wanted = (key,) if isinstance(key, str) else tuple(key or ())
    if not wanted:
        raise SourceError(f"{what} needs key=: the column or columns that identify a row")
    lower = {name.lower(): name for name in row.names}
    for name in wanted:
        if str(name).lower() not in lower:
            raise SourceError(
                f"key column {name!r} is not there; the columns are {', '.join(row.names)}"
            )
        if why := why_key_type(row[lower[name.lower()]].dataType.jsonValue()):
            raise SourceError(f"key column {name}: {why}")
    return tuple(dict.fromkeys(lower[name.lower()] for name in wanted))


def debezium_rows(
    df: DataFrame, texts: Texts, row: StructType, key: Sequence[str], reading: Reading
) -> DataFrame:
    """The rows of change events with ``op``, ``before`` and ``after``, with :data:`GONE`.

    Nulls (tombstones), messages (``op`` m), heartbeats, BEGIN and END of transactions and changes
    of the schema are no rows. The message's key stands in for what the event lacks. An
    update that changes the key is two rows, the first of which deletes. :data:`UNCHANGED` is
    there if the row has columns whose values an update may leave out.
    """
    raw = raw_row(row)
    envelope = [
        StructField("op", StringType()),
        StructField("before", raw),
        StructField("after", raw),
    ]
    wrapper = StructField(_PAYLOAD, StructType(envelope))
    whole = [*envelope, StructField("schema", StringType()), wrapper]
    event = df.select(
        _parsed(texts.value, whole).alias("e"), *keys_of_texts(texts, raw, key), *_texts(texts),
    ).select(
        *(F.coalesce(by_name("e", _PAYLOAD, p), by_name("e", p)).alias(p) for p in
          ("op", "before", "after")),
        F.when(by_name("e", _PAYLOAD).isNotNull(), by_name("e", "schema")).alias("schema"),
        "k", "key_text", "text", "place", _corrupt("e").alias("broken"),
    )  # fmt: skip
    said = event.select(
        "*",
        F.when(F.col("broken"), F.lit(_NO_EVENT)).alias("why"),
        schema_of_rows(F.col("schema")).alias("says"),
        schema_of_columns(_schema_of(F.col("key_text"))).alias("key_says"),
        F.when(F.col("op").isNull() & ~F.col("broken"), is_no_change(F.col("text"))).alias("idle"),
    )
    known = fields(row, reading, F.col("says"))
    by_key = fields(StructType([row[n] for n in key]), reading, F.col("key_says"))
    return changed_rows(said, raw, row, key, known, by_key, reading.unavailable_value)


def changed_rows(
    events: DataFrame,
    raw: StructType,
    row: StructType,
    key: Sequence[str],
    known: Mapping[str, Field],
    by_key: Mapping[str, Field],
    unavailable_value: str | None,
) -> DataFrame:
    """The rows of events whose parts are columns already.

    Args:
        events: with ``op``, ``before``, ``after`` and ``k`` as they came, ``text``, ``place``,
            ``broken``, and ``why`` that is so; ``idle`` says of an event without ``op`` that it
            changes no row; others are for ``known`` and ``by_key``.
        raw: the columns as ``before`` and ``after`` have them.
        row: the columns.
        key: names of those that identify a row.
        known: makes values of ``before`` and ``after``.
        by_key: makes values of ``k``.
        unavailable_value: as :class:`~groundswell.api.event_values.Reading` has it.
    """
    op = F.col("op")
    does_nothing = op.eqNullSafe("m") | (op.isNull() & F.coalesce("idle", F.lit(False)))
    said = events.where(F.col("broken") | ~does_nothing)
    moved = op.eqNullSafe("u") & ~F.col("broken") & reduce(or_, (_moved(name) for name in key))
    left_out, values = _left_out(raw, key, unavailable_value)
    gone = F.struct(
        F.lit(True).alias("deletes"),
        F.struct(*(_of(name, "before", "after").alias(name) for name in row.names)).alias("r"),
    )
    new = F.struct(op.eqNullSafe("d").alias("deletes"), F.struct(*values).alias("r"))
    rows = (
        said.select("*", moved.alias("moved"), left_out.alias("left_out"))
        .select("*", F.explode(F.when(F.col("moved"), F.array(gone, new)).otherwise(F.array(new))))
        .select("*", by_name("col", "deletes").alias("deletes"), by_name("col", "r").alias("raw"))
    )
    rows = rows.select("*", _values(known, "raw").alias("r"), _values(by_key, "k").alias("keys"))
    rows = rows.withColumn("lost", _lost(known, _NO_EVENT))
    deletes = F.col("deletes")
    lacks = op.isin("c", "r", "u") & F.col("after").isNull()
    truncates = op.eqNullSafe("t")
    wrong = (
        F.when(truncates, F.lit("a TRUNCATE, which deletes rows without naming them"))
        .when(F.col("broken") & ~deletes, F.col("why"))
        .when(op.isNull(), F.lit(_NO_OP))
        .when(~op.isin("c", "r", "u", "d"), F.concat(F.lit(f"{_NO_EVENT} (op "), op, F.lit(")")))
        .when(lacks, F.lit(_NO_EVENT))
        .when(~deletes, F.col("lost"))
    )  # fmt: skip
    partial = ~deletes & wrong.isNull() & (F.size("left_out") > 0)
    told = F.concat(
        F.lit("a Debezium event without the value of column "), F.array_join("left_out", ", "),
        F.lit(", which is not known from before (read the table from its snapshot on, or set "
              "REPLICA IDENTITY FULL)"),
    )  # fmt: skip
    named = {n: F.coalesce(by_name("r", n), by_name("keys", n)) for n in key}
    # With the row of the key comes whether that could be read, so it takes the place of the words.
    stays = F.when(
        partial & ~F.col("moved"), F.array_append("left_out", F.lit(MALFORMED))
    )  # fmt: skip
    return flat(
        rows.withColumn("corrupt", F.col("broken") | F.col("lost").isNotNull()),
        row, named, F.coalesce(wrong, F.when(partial, told)),
        F.coalesce("why", _unread_key(_NO_EVENT)),
        deletes, truncates, stays if unavailable_value is not None else None,
    )  # fmt: skip


def _of(name: str, *places: str) -> Column:
    return F.coalesce(*(by_name(place, name) for place in places))


def _moved(name: str) -> Column:
    """Whether ``before`` has another value of a key's column than ``after``."""
    old, new = by_name("before", name), by_name("after", name)
    return old.isNotNull() & new.isNotNull() & (old != new)


def _left_out(
    raw: StructType, key: Sequence[str], unavailable_value: str | None
) -> tuple[Column, list[Column]]:
    """Names of the columns whose value an update does not know, and the values that it knows."""
    nothing = F.lit(None).cast("string")
    names: list[Column] = []
    values: list[Column] = []
    for f in raw.fields:
        new = F.when(F.col("op") == "d", by_name("before", f.name)).otherwise(
            by_name("after", f.name)
        )
        word = None if f.name in key else unavailable_value
        old = by_name("before", f.name)
        unknown = stands_for_nothing(by_name("after", f.name), f.dataType, word)
        too = stands_for_nothing(old, f.dataType, word)
        if unknown is not None and too is not None:
            there = old.isNotNull() & ~too
            unknown = F.col("op").eqNullSafe("u") & F.coalesce(unknown, F.lit(False))
            names.append(F.when(unknown & ~there, F.lit(f.name)).otherwise(nothing))
            new = F.when(unknown, F.when(there, old)).otherwise(new)
        values.append(new.alias(f.name))
    return F.array_compact(F.array(*names)) if names else F.array().cast("array<string>"), values


def _schema_of(text: Column) -> Column:
    """The schema that Kafka Connect writes beside a payload, as a text."""
    return F.from_json(text, "schema string").getField("schema")


def upsert_rows(
    df: DataFrame, texts: Texts, row: StructType, key: Sequence[str], reading: Reading
) -> DataFrame:
    """The newest rows by key, with :data:`GONE`: a null instead of a row deletes."""
    rows = _decoded(df, texts, row, reading, keys_of_texts(texts, raw_row(row), key))
    return upserted(rows.withColumn("keys", key_values(texts, row, key, reading)), row, key)


def key_values(texts: Texts, row: StructType, key: Sequence[str], reading: Reading) -> Column:
    """The values of ``k``, which :func:`keys_of_texts` has made; ``key_text`` is the text."""
    of_key = StructType([row[n] for n in key])
    asks = texts.key is not None and not is_read_as_it_is(of_key)
    schema = _schema_of(F.col("key_text")) if asks else F.lit(None).cast("string")
    return _values(fields(of_key, reading, schema_of_columns(schema)), "k")


def upserted(rows: DataFrame, row: StructType, key: Sequence[str]) -> DataFrame:
    """The newest rows by key.

    Args:
        rows: with the columns ``r`` and those of the key ``keys``; what is ``lost`` of them;
            ``broken``, and ``why``; ``text``, which is null where the row is deleted; ``place``;
            ``key_text``.
        row: the columns.
        key: names of those that identify a row.
    """
    deletes = F.col("text").isNull()
    others = [F.when(by_name("keys", n) != by_name("r", n), F.lit(n)) for n in key]
    told = (F.lit("a message whose key has another value of column "), F.coalesce(*others))
    other = F.concat(*told, F.lit(" than its row, "), F.col("key_text"))
    wrong = F.coalesce(F.when(F.col("broken"), F.col("why")).otherwise(F.col("lost")), other)
    named = {n: F.coalesce(by_name("keys", n), by_name("r", n)) for n in key}
    rows = rows.withColumn("corrupt", F.col("broken") | F.col("lost").isNotNull())
    keyless = _unread_key("a message without a key")
    return flat(rows, row, named, wrong, keyless, deletes, other.isNotNull())


def append_rows(df: DataFrame, texts: Texts, row: StructType, reading: Reading) -> DataFrame:
    """One row for each text; nulls are none."""
    return appended(_decoded(df, texts, row, reading, []), row)


def appended(rows: DataFrame, row: StructType) -> DataFrame:
    """One row for each that has a ``text``; the other columns as :func:`upserted` takes them."""
    wrong = F.when(F.col("broken"), F.col("why")).otherwise(F.col("lost"))
    return rows.where("text IS NOT NULL").select(
        *(by_name("r", f.name).alias(f.name) for f in row.fields),
        F.when(wrong.isNotNull(), described(wrong)).alias(MALFORMED),
    )


def _decoded(
    df: DataFrame, texts: Texts, row: StructType, reading: Reading, keys: list[Column]
) -> DataFrame:
    """Rows ``r`` of texts, with what is ``lost`` of them, and whether a text is ``broken``."""
    raw = raw_row(row)
    asks = not is_read_as_it_is(row) and "schema" not in [n.lower() for n in row.names]
    said = [StructField("schema", StringType())] if asks else []
    fields_ = _wrappable(list(raw.fields))
    event = df.select(
        _parsed(texts.value, [*fields_, *said]).alias("e"), *keys, *_texts(texts),
    )  # fmt: skip
    schema = by_name("e", "schema") if asks else F.lit(None).cast("string")
    event = event.select(
        "*", _unwrapped("e", raw.names).alias("raw"), _corrupt("e").alias("broken"),
        schema_of_columns(schema).alias("says"),
    )  # fmt: skip
    known = fields(row, reading, F.col("says"))
    return valued(event.withColumn("why", F.lit("a malformed message")), known)


def valued(rows: DataFrame, known: Mapping[str, Field]) -> DataFrame:
    """Rows with ``r``, the values of ``raw``, and what is ``lost`` of them."""
    rows = rows.withColumn("r", _values(known, "raw"))
    return rows.withColumn("lost", _lost(known, "a malformed message"))


def _values(known: Mapping[str, Field], of: str) -> Column:
    return F.struct(*(f.value(by_name(of, name)).alias(name) for name, f in known.items()))


def _lost(known: Mapping[str, Field], what: str) -> Column:
    """What is wrong with the first column of ``raw`` that has no value in ``r``."""
    return F.coalesce(*(f.lost(by_name("raw", n), by_name("r", n), what) for n, f in known.items()))


def measured(rows: DataFrame, row: StructType, key: Sequence[str]) -> DataFrame:
    """Rows whose texts are no longer than their columns; others are what :data:`MALFORMED` says.

    Args:
        rows: with the columns of ``row``, texts as they came.
        row: the columns with their lengths.
        key: those that identify a row; empty: every row is one more.
    """
    types = {
        f.name: f.dataType for f in row.fields if isinstance(f.dataType, CharType | VarcharType)
    }
    fits = {n: fitted(by_name(n), of) for n, of in types.items()}
    too_long = {n: by_name(n).isNotNull() & fits[n].isNull() for n in fits}
    told = (
        F.when(too_long[n], F.concat(
            F.lit(f"a value that is too long (column {n}, {of.simpleString()}): "), by_name(n)
        ))
        for n, of in types.items()
    )  # fmt: skip
    lost_keys = [F.when(too_long[n], by_name(n)) for n in key if n in fits]
    unread = [F.coalesce(*lost_keys, F.lit(None).cast("string")).alias(UNREAD)] if key else []
    return rows.select(
        *(fits[n].alias(n) if n in fits else by_name(n) for n in rows.columns),
        F.coalesce(*told).alias(MALFORMED),
        *unread,
    )


def checked(table: DataFrame, row: StructType) -> DataFrame:
    """What stands for a source of such rows, failing on what is none; ``row``: its columns."""
    fine = [f"{name} IS NULL" for name in (MALFORMED, UNREAD) if name in table.columns]
    # Of the column UNREAD planning learns that it is no part of the key from here on.
    rows = table.where(f"({' AND '.join(fine)}) OR raise_error({MALFORMED})").drop(*_HIDDEN)
    return with_padding(rows, row)


def flat(
    rows: DataFrame,
    row: StructType,
    keys: Mapping[str, Column],
    wrong: Column,
    keyless: Column,
    deletes: Column,
    unkeyed: Column,
    unchanged: Column | None = None,
) -> DataFrame:
    """The columns of ``r``, with the hidden columns.

    Args:
        rows: with ``r``, ``corrupt``, ``text`` and ``place``.
        row: the columns.
        keys: values of the key's columns.
        wrong: why it is no row; null: it is one.
        keyless: what to say where its key cannot be read.
        deletes: whether it removes the row of its key.
        unkeyed: whether its key does not count.
        unchanged: names of columns whose values stay; None: there are none.
    """
    none = reduce(and_, (c.isNull() for c in keys.values()))
    some = reduce(or_, (c.isNull() for c in keys.values()))
    unread = none | (F.col("corrupt") & some) | unkeyed
    said = F.coalesce(wrong, F.when(unread, keyless))
    return rows.select(
        *(keys.get(f.name, by_name("r", f.name)).alias(f.name) for f in row.fields),
        F.coalesce(deletes, F.lit(False)).alias("deletes"),
        F.when(said.isNotNull(), described(said)).alias(MALFORMED),
        F.when(unread, F.coalesce("place", F.md5("text"), F.lit(""))).alias(UNREAD),
        *([] if unchanged is None else [unchanged.alias(UNCHANGED)]),
    ).select(
        *map(by_name, row.names), MALFORMED, UNREAD,
        (F.col("deletes") & F.col(MALFORMED).isNull()).alias(GONE),
        *([] if unchanged is None else [F.col(UNCHANGED)]),
    )  # fmt: skip


def described(what: Column) -> Column:
    """What is wrong, with the ``place`` and the ``text`` of the message."""
    at = F.coalesce(F.concat(F.lit(" at "), F.col("place")), F.lit(""))
    return F.concat(what, at, F.lit(": "), F.coalesce("text", F.lit("null")))


def _texts(texts: Texts) -> list[Column]:
    nothing = F.lit(None).cast("string")
    place = nothing if texts.place is None else texts.place
    key = nothing if texts.key is None else texts.key
    return [texts.value.alias("text"), place.alias("place"), key.alias("key_text")]


def _unread_key(without: str) -> Column:
    """What to say of a message whose key cannot be read, or is not there."""
    told = F.concat(F.lit("a message whose key cannot be read, "), F.col("key_text"))
    return F.coalesce(told, F.lit(without))


def _parsed(text: Column, fields: list[StructField]) -> Column:
    options = {"mode": "PERMISSIVE", "columnNameOfCorruptRecord": MALFORMED}
    return F.from_json(text, StructType([*fields, StructField(MALFORMED, StringType())]), options)


def _corrupt(event: str) -> Column:
    """Whether a text that is there is no JSON of its schema."""
    bad = by_name(event, MALFORMED).isNotNull() | F.col(event).isNull()
    return F.col("text").isNotNull() & bad


def _wraps(names: Sequence[str]) -> bool:
    """Whether ``payload`` can mean the wrapper of Kafka Connect: no column is called so."""
    return _PAYLOAD not in [name.lower() for name in names]


def _wrappable(fields: list[StructField]) -> list[StructField]:
    """The fields, and the same in ``payload``, as Kafka Connect writes them with schemas."""
    wraps = _wraps([f.name for f in fields])
    return [*fields, StructField(_PAYLOAD, StructType(fields))] if wraps else fields


def _field(event: str, wraps: bool, name: str) -> Column:
    plain = by_name(event, name)
    if not wraps:
        return plain
    wrapper = by_name(event, _PAYLOAD)
    return F.when(wrapper.isNotNull(), by_name(event, _PAYLOAD, name)).otherwise(plain)


def _unwrapped(event: str, names: Sequence[str]) -> Column:
    wraps = _wraps(names)
    return F.struct(*(_field(event, wraps, name).alias(name) for name in names))


def keys_of_texts(texts: Texts, row: StructType, key: Sequence[str]) -> list[Column]:
    """``k``: the key that the text of the key has, a struct of nulls without such a text.

    A key of one column may also stand alone, as ``42``, ``"a"`` or, of a string, ``a``. A struct as
    Kafka Connect's StringConverter shows it, and what a schema registry's encoder wrote, are none.
    """
    fields = [StructField(name, row[name].dataType) for name in key]
    if texts.key is None:
        nulls = (F.lit(None).cast(f.dataType).alias(f.name) for f in fields)
        return [F.struct(*nulls).alias("k")]
    parsed = _parsed(texts.key, _wrappable(fields))
    wraps = _wraps(key)

    def of(name: str) -> Column:
        plain = parsed.getField(name)
        return F.coalesce(parsed.getField(_PAYLOAD).getField(name), plain) if wraps else plain

    found = {name: of(name) for name in key}
    if len(fields) == 1:
        found[key[0]] = F.coalesce(found[key[0]], _alone(texts.key, fields[0].dataType))
    return [F.struct(*(column.alias(name) for name, column in found.items())).alias("k")]


def _alone(text: Column, data_type: DataType) -> Column:
    """A key without an object around it."""
    one = StructType([StructField("k", data_type)])
    wrapped = F.concat(F.lit('{"k":'), text, F.lit("}"))
    found = F.from_json(wrapped, one).getField("k")
    if data_type == StringType():  # a number is its text: from_json would make 100000.0 of 1e5
        found = F.coalesce(F.when(text.startswith('"'), found), text)
    return F.when(~text.rlike(_NO_BARE_KEY), found)
