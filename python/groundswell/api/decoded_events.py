"""Messages whose schemas a registry has, as rows: their columns are decoded already.

Columns have the types of their table, so nothing is left open. Only lengths of texts are measured.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql.types import CharType, StringType, StructField, StructType, VarcharType

from groundswell import jvm
from groundswell.api.event_values import Field, Reading
from groundswell.api.events import (
    Texts,
    appended,
    changed_rows,
    keys_of_texts,
    upserted,
    valued,
)
from groundswell.columns import by_name, is_measured
from groundswell.contract.messages import MessageSpec, RegistryAccess
from groundswell.errors import SourceError

_VALUE, _KEY = "_groundswell_value", "_groundswell_key"
_PARTS = ("op", "before", "after")
_SHOWN_BYTES = 48


@dataclass(frozen=True)
class Registered:
    """What a registry says of a topic.

    Attributes:
        access: to the registry.
        encoding: of values: ``avro`` or ``protobuf``.
        subject: of values.
        version: of their schema: a number, or ``latest``.
        message: Protobuf's name of the message; None: the first one of the schema.
        key_encoding: of keys; ``json``: they are texts, as with messages in JSON.
        key_subject: of keys.
    """

    access: RegistryAccess
    encoding: str
    subject: str
    version: str = "latest"
    message: str | None = None
    key_encoding: str = "json"
    key_subject: str = ""

    def spec(self, columns: StructType, shape: str) -> MessageSpec:
        """How values, or keys, are read."""
        key = shape == "key"
        return MessageSpec(
            self.access,
            self.key_encoding if key else self.encoding,
            self.key_subject if key else self.subject,
            "latest" if key else self.version,
            None if key else self.message,
            shape,
            columns.jsonValue(),
        )


class Measured(Field):
    """A column whose values are there already; a text of it may be too long."""

    def value(self, raw: Column) -> Column:
        """The value, as its column has it; null if the text is too long."""
        return super().value(raw) if self._measures else raw

    def lost(self, raw: Column, value: Column, what: str) -> Column:
        """What is wrong with a text that became no value; null if nothing is."""
        return super().lost(raw, value, what) if self._measures else F.lit(None).cast("string")

    @property
    def _measures(self) -> bool:
        return isinstance(self.type, CharType | VarcharType)


def decoded_debezium(
    df: DataFrame,
    texts: Texts,
    of: Registered,
    row: StructType,
    key: Sequence[str],
    word: str | None,
) -> DataFrame:
    """The rows of change events, as :func:`~groundswell.api.events.debezium_rows` has them."""
    known = _measured(row)
    rows = _decoded(df, texts, of, row, key, "envelope", "a malformed Debezium event")
    events = rows.select(
        "*", *(by_name(_VALUE, "row", p).alias(p) for p in _PARTS),
        F.col("text").isNull().alias("idle"),
    )  # fmt: skip
    by_key = {name: known[name] for name in key}
    return changed_rows(events, _plain(row), row, key, known, by_key, word)


def decoded_upserts(
    df: DataFrame, texts: Texts, of: Registered, row: StructType, key: Sequence[str]
) -> DataFrame:
    """The newest rows by key, as :func:`~groundswell.api.events.upsert_rows` has them."""
    rows = _decoded(df, texts, of, row, key, "row", "a malformed message")
    rows = rows.withColumn("raw", by_name(_VALUE, "row"))
    known = _measured(row)
    keys = F.struct(*(known[n].value(by_name("k", n)).alias(n) for n in key))
    return upserted(valued(rows, known).withColumn("keys", keys), row, key)


def decoded_appends(df: DataFrame, texts: Texts, of: Registered, row: StructType) -> DataFrame:
    """One row for each message, as :func:`~groundswell.api.events.append_rows` has them."""
    rows = _decoded(df, texts, of, row, (), "row", "a malformed message")
    return appended(valued(rows.withColumn("raw", by_name(_VALUE, "row")), _measured(row)), row)


def check_columns(what: str, row: StructType) -> None:
    """Refuses lengths of texts within other columns, which nobody would measure.

    Raises:
        SourceError: with the column.
    """
    for f in row.fields:
        if not is_measured(f) and "char(" in f.dataType.simpleString():
            raise SourceError(
                f"{what}: column {f.name} has a length within it, {f.dataType.simpleString()}: "
                "write string there"
            )


def _measured(row: StructType) -> dict[str, Field]:
    return {f.name: Measured(f.name, f.dataType, Reading(), F.lit(None)) for f in row.fields}


def _plain(row: StructType) -> StructType:
    """The columns as messages have them: texts without lengths, and each may be null."""
    return StructType(
        [StructField(f.name, StringType() if is_measured(f) else f.dataType) for f in row.fields]
    )


def _decoded(
    df: DataFrame,
    texts: Texts,
    of: Registered,
    row: StructType,
    key: Sequence[str],
    shape: str,
    what: str,
) -> DataFrame:
    """Messages with ``k``, ``text``, ``place``, ``broken`` and ``why``."""
    plain = _plain(row)
    of_key = StructType([plain[name] for name in key])
    rows = jvm.decoded_messages(df, "value", _VALUE, of.spec(plain, shape))
    wrong = [by_name(_VALUE, "wrong")]
    keys = keys_of_texts(texts, plain, key)
    if key and texts.key is not None and of.key_encoding != "json":
        rows = jvm.decoded_messages(rows, "key", _KEY, of.spec(of_key, "key"))
        keys = [by_name(_KEY, "row").alias("k")]
        of_keys = F.concat(F.lit("its key: "), by_name(_KEY, "wrong"))
        wrong.append(of_keys)
    why = F.coalesce(*wrong)
    place = F.lit(None).cast("string") if texts.place is None else texts.place
    key_text = F.lit(None).cast("string") if texts.key is None else texts.key
    value = F.col("value")
    shown = F.concat(
        F.lit("0x"), F.lower(F.hex(F.substring(value, 1, _SHOWN_BYTES))),
        F.when(F.length(value) > _SHOWN_BYTES, F.lit("...")).otherwise(F.lit("")),
    )  # fmt: skip
    return rows.select(
        _VALUE, *keys, shown.alias("text"), place.alias("place"), key_text.alias("key_text"),
        why.isNotNull().alias("broken"),
        F.concat(F.lit(f"{what} ("), why, F.lit(")")).alias("why"),
    )  # fmt: skip
