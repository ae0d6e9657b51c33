"""Columns of Iceberg tables as Spark's, and rows of files as rows of a table's columns.

A file's columns are found by their ids, as the format wants it: a column that was renamed is the
same, and a file from before a column was added has none.
"""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from pyspark.sql import types as t

from groundswell.sinks.extras import optional

if TYPE_CHECKING:
    import pyarrow as pa

Constants = Mapping[int, Any]
"""Values of columns that a file leaves out, by the column's id."""

_PLAIN: dict[str, t.DataType] = {
    "BooleanType": t.BooleanType(),
    "IntegerType": t.IntegerType(),
    "LongType": t.LongType(),
    "FloatType": t.FloatType(),
    "DoubleType": t.DoubleType(),
    "DateType": t.DateType(),
    "TimestampType": t.TimestampNTZType(),
    "TimestamptzType": t.TimestampType(),
    "StringType": t.StringType(),
    "UUIDType": t.StringType(),
    "FixedType": t.BinaryType(),
    "BinaryType": t.BinaryType(),
}


def spark_type(of: Any) -> t.DataType | None:
    """Spark's type of an Iceberg type; None: it cannot be read here."""
    types = optional("pyiceberg.types", "iceberg")
    if isinstance(of, types.DecimalType):
        return t.DecimalType(of.precision, of.scale)
    if isinstance(of, types.StructType):
        fields = [(field.name, spark_type(field.field_type)) for field in of.fields]
        known = [t.StructField(name, type_) for name, type_ in fields if type_ is not None]
        return t.StructType(known) if len(known) == len(fields) else None
    if isinstance(of, types.ListType):
        element = spark_type(of.element_type)
        return None if element is None else t.ArrayType(element)
    if isinstance(of, types.MapType):
        key, value = spark_type(of.key_type), spark_type(of.value_type)
        return None if key is None or value is None else t.MapType(key, value)
    return _PLAIN.get(type(of).__name__)


def has_default(field: Any) -> bool:
    """Whether a column, or a part of it, has a value in rows from before it was added."""
    types = optional("pyiceberg.types", "iceberg")
    if field.initial_default is not None:
        return True
    of = field.field_type
    if isinstance(of, types.StructType):
        return any(map(has_default, of.fields))
    if isinstance(of, types.ListType):
        return has_default(of.element_field)
    return isinstance(of, types.MapType) and (
        has_default(of.key_field) or has_default(of.value_field)
    )


def fitted(
    array: pa.Array, of: Any, to: Any, type_: pa.DataType, constants: Constants | None = None
) -> pa.Array:
    """A file's values as values of a table's type.

    Args:
        array: the values.
        of: the file's Iceberg type.
        to: the table's Iceberg type.
        type_: the Arrow type that is wanted, of the same shape as ``to``.
        constants: of a row's own columns.
    """
    import pyarrow as pa

    types = optional("pyiceberg.types", "iceberg")
    match to:
        case types.StructType():
            return _struct(array, of, to, type_, constants or {})
        case types.ListType():
            values = fitted(array.flatten(), of.element_type, to.element_type, type_.value_type)
            mask = array.is_null()
            return pa.ListArray.from_arrays(_offsets(array), values, type=type_, mask=mask)
        case types.MapType():
            pair = pa.struct([("key", array.type.key_type), ("item", array.type.item_type)])
            lists = array.cast(pa.list_(pair))
            pairs = lists.flatten()
            keys = fitted(pairs.field(0), of.key_type, to.key_type, type_.key_type)
            items = fitted(pairs.field(1), of.value_type, to.value_type, type_.item_type)
            mask = array.is_null()
            return pa.MapArray.from_arrays(_offsets(lists), keys, items, type=type_, mask=mask)
        case types.UUIDType():
            raw = array.storage if isinstance(array, pa.ExtensionArray) else array
            texts = [
                None if each is None else str(uuid.UUID(bytes=each)) for each in raw.to_pylist()
            ]
            return pa.array(texts, type_)
        case _:
            return array.cast(type_)


def _struct(array: Any, of: Any, to: Any, type_: pa.DataType, constants: Constants) -> pa.Array:
    import pyarrow as pa

    places = {field.field_id: i for i, field in enumerate(of.fields)}
    parts = []
    for field, wanted in zip(to.fields, type_, strict=True):
        at = places.get(field.field_id)
        if at is not None:
            source = of.fields[at].field_type
            parts.append(fitted(array.field(at), source, field.field_type, wanted.type))
        else:
            parts.append(_repeated(constants.get(field.field_id), field, wanted.type, len(array)))
    fields = [type_.field(i) for i in range(type_.num_fields)]
    return pa.StructArray.from_arrays(parts, fields=fields, mask=array.is_null())


def _repeated(value: Any, field: Any, type_: pa.DataType, count: int) -> pa.Array:
    """A column that a file does not have: a value of its partition, or null."""
    import pyarrow as pa

    io = optional("pyiceberg.io.pyarrow", "iceberg")
    if value is None:
        return pa.nulls(count, type_)
    own = pa.scalar(value, io.schema_to_pyarrow(field.field_type))
    return fitted(pa.repeat(own, count), field.field_type, field.field_type, type_)


def _offsets(lists: Any) -> pa.Array:
    """Where each list begins in the flattened values, from 0; a null takes none."""
    import pyarrow as pa
    import pyarrow.compute as pc

    lengths = pc.fill_null(pc.list_value_length(lists), 0)
    ends = pc.cumulative_sum(lengths.cast(pa.int32()))
    return pa.concat_arrays([pa.array([0], pa.int32()), ends])
