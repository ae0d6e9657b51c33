"""Rows that Python holds, as DataFrames: lists of tuples or dicts, and whatever speaks Arrow."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, Row, SparkSession
from pyspark.sql.types import (
    ArrayType,
    DataType,
    DecimalType,
    DoubleType,
    FloatType,
    MapType,
    StructField,
    StructType,
)

from groundswell.errors import SourceError

if TYPE_CHECKING:
    import pyarrow as pa

Rows = Any
"""A DataFrame; a list of tuples, dicts or Rows; pandas, pyarrow or polars; all that has Arrow's
``__arrow_c_stream__``."""


def frame_of(
    spark: SparkSession, what: str, rows: Rows, schema: StructType, keys: Sequence[str] = ()
) -> DataFrame:
    """Make a DataFrame of rows, whatever holds them.

    Args:
        spark: the session.
        what: the table, for messages.
        rows: see :data:`Rows`. Values of tuples go by position, all others by name.
        schema: the columns that there are. Its ``NOT NULL`` and lengths are not looked at here.
        keys: the columns that suffice, as those of a delete. None: a row has all columns.

    Raises:
        SourceError: they are no rows, or a value does not have its column's type.
    """
    if isinstance(rows, DataFrame):
        return rows
    if hasattr(rows, "__arrow_c_stream__") or _is_pandas(rows):
        return _frame_of_arrow(spark, what, _arrow(what, rows))
    if isinstance(rows, str | bytes | Mapping) or not isinstance(rows, Iterable):
        raise SourceError(
            f"{what} takes a DataFrame, a list of tuples or dicts, or data of pandas, pyarrow or "
            f"polars, got {type(rows).__name__}"
        )
    given = list(rows)
    fields = _fields(what, given, schema, keys)
    try:
        values = [
            tuple(
                _value(v, f.dataType, f.name)
                for v, f in zip(_values(row, fields), fields, strict=True)
            )
            for row in given
        ]
        return spark.createDataFrame(values, StructType(fields))
    except (PySparkException, TypeError, ValueError, OverflowError) as e:
        raise SourceError(f"{what}: {str(e).splitlines()[0]}") from e


def _is_pandas(rows: Rows) -> bool:
    """Whether it is a pandas DataFrame, of releases too that do not speak Arrow."""
    return type(rows).__module__.partition(".")[0] == "pandas" and hasattr(rows, "columns")


def _arrow(what: str, rows: Rows) -> pa.Table:
    import pyarrow as pa

    try:
        if _is_pandas(rows):
            return pa.Table.from_pandas(rows, preserve_index=False)
        return pa.table(rows)
    except (pa.ArrowException, TypeError, ValueError) as e:
        raise SourceError(f"{what}: {'; '.join(map(str, e.args))}") from e


def _frame_of_arrow(spark: SparkSession, what: str, table: pa.Table) -> DataFrame:
    """Times without a zone are ``timestamp_ntz``: the write casts them to what a column has."""
    import pyarrow as pa
    from pyspark.sql.pandas.types import from_arrow_schema

    for at, field in enumerate(table.schema):
        kind = _known(field.type)
        if kind == field.type:
            continue
        try:
            made = table[field.name].cast(kind)
        except pa.ArrowException as e:
            raise SourceError(f"{what}, column {field.name}: {str(e).splitlines()[0]}") from e
        table = table.set_column(at, pa.field(field.name, kind, field.nullable), made)
    try:
        schema = from_arrow_schema(table.schema, prefer_timestamp_ntz=True)
        return spark.createDataFrame(table, schema)
    except (PySparkException, pa.ArrowException, TypeError, ValueError) as e:
        raise SourceError(f"{what}: {str(e).splitlines()[0]}") from e


def _known(kind: pa.DataType) -> pa.DataType:
    """The type of Arrow that Spark has, with all values of one that it may not have."""
    import pyarrow as pa

    types = pa.types
    if types.is_struct(kind):
        return pa.struct([f.with_type(_known(f.type)) for f in kind])
    if types.is_map(kind):
        return pa.map_(_known(kind.key_type), _known(kind.item_type))
    if types.is_dictionary(kind):
        return _known(kind.value_type)
    if types.is_list(kind) or types.is_large_list(kind) or types.is_fixed_size_list(kind):
        below = _known(kind.value_type)
        return kind if below == kind.value_type else pa.list_(below)
    if types.is_decimal(kind) and kind.precision <= 38:
        return pa.decimal128(kind.precision, kind.scale)
    if types.is_duration(kind):
        return pa.duration("us")
    wider: dict[Callable[[pa.DataType], bool], pa.DataType] = {
        types.is_uint8: pa.int16(),
        types.is_uint16: pa.int32(),
        types.is_uint32: pa.int64(),
        types.is_uint64: pa.decimal128(20, 0),
        types.is_float16: pa.float32(),
        types.is_date64: pa.date32(),
        types.is_string_view: pa.string(),
        types.is_binary_view: pa.binary(),
    }
    return next((to for holds, to in wider.items() if holds(kind)), kind)


def _fields(
    what: str, rows: Sequence[Any], schema: StructType, keys: Sequence[str]
) -> list[StructField]:
    """The columns that all rows have, nullable: who takes them says which null is wrong."""
    shapes = {_shape(row) for row in rows} or {tuple(schema.names)}
    columns = {f.name: StructField(f.name, f.dataType, True, f.metadata) for f in schema.fields}
    if len(shapes) > 1:
        texts = sorted(
            f"{shape} values" if isinstance(shape, int) else f"({', '.join(shape)})"
            for shape in shapes
        )
        raise SourceError(f"{what}: the rows do not have the same columns: {'; '.join(texts)}")
    (shape,) = shapes
    if isinstance(shape, int):
        found = next((n for n in (schema.names, list(keys)) if n and len(n) == shape), None)
        if found is None:
            wanted = " or ".join(f"({', '.join(n)})" for n in (list(keys), schema.names) if n)
            raise SourceError(f"{what}: a row is {wanted}, and the rows have {shape} values")
        return [columns[name] for name in found]
    if more := [name for name in shape if name not in columns]:
        raise SourceError(
            f"{what} has the columns {', '.join(schema.names)}; the rows have "
            f"{', '.join(more)}, too"
        )
    return [columns[name] for name in shape]


def _shape(row: Any) -> int | tuple[str, ...]:
    """The names of a row's columns, in the order of names; or how many values it has."""
    if isinstance(row, Mapping):
        return tuple(sorted(map(str, row)))
    if isinstance(row, Row) and hasattr(row, "__fields__"):
        return tuple(sorted(row.__fields__))
    return len(row) if isinstance(row, tuple | list) else 1


def _values(row: Any, fields: Sequence[StructField]) -> Sequence[Any]:
    if isinstance(row, Mapping) or (isinstance(row, Row) and hasattr(row, "__fields__")):
        return [row[f.name] for f in fields]
    return row if isinstance(row, tuple | list) else (row,)


def _value(value: Any, of: DataType, where: str) -> Any:
    """A value as Spark takes it from Python: fields go by name, and whole numbers are numbers.

    Args:
        value: of a row, or within another one.
        of: its column's type.
        where: what it is called, as ``address.street``.

    Raises:
        ValueError: a field is none of the struct's, or a decimal is no number.
    """
    if value is not None and type(value).__module__ == "numpy":
        value = value.tolist()
    match of, value:
        case FloatType() | DoubleType(), int() if not isinstance(value, bool):
            return float(value)
        case DecimalType(), int() if not isinstance(value, bool):
            return Decimal(value)
        case DecimalType(), Decimal() if not value.is_finite():
            raise ValueError(f"{where} is {value}, which no decimal of Spark is: take a null")
        case DecimalType(), float() if math.isnan(value):
            raise ValueError(f"{where} is NaN, which no decimal of Spark is: take a null")
        case StructType(), _:
            return _struct(value, of, where)
        case ArrayType(), list() | tuple():
            return [_value(each, of.elementType, where) for each in value]
        case MapType(), Mapping():
            pairs = value.items()
            return {_value(k, of.keyType, where): _value(v, of.valueType, where) for k, v in pairs}
        case _:
            return value


def _struct(value: Any, of: StructType, where: str) -> Any:
    if isinstance(value, Row) and hasattr(value, "__fields__"):
        value = value.asDict()
    if isinstance(value, Mapping):
        if more := [str(name) for name in value if name not in of.names]:
            raise ValueError(
                f"{where} has the fields {', '.join(of.names)}; the rows have {', '.join(more)}, "
                "too"
            )
        return tuple(_value(value.get(f.name), f.dataType, f"{where}.{f.name}") for f in of.fields)
    if isinstance(value, tuple | list) and len(value) == len(of.fields):
        pairs = zip(value, of.fields, strict=True)
        return tuple(_value(v, f.dataType, f"{where}.{f.name}") for v, f in pairs)
    return value
