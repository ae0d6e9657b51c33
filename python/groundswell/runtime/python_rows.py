"""Rows that Python holds, as DataFrames: lists of tuples or dicts, and whatever speaks Arrow."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, Row, SparkSession
from pyspark.sql.types import (
    DataType,
    DecimalType,
    DoubleType,
    FloatType,
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
        return spark.createDataFrame(_arrow(what, rows))
    if isinstance(rows, str | bytes | Mapping) or not isinstance(rows, Iterable):
        raise SourceError(
            f"{what} takes a DataFrame, a list of tuples or dicts, or data of pandas, pyarrow or "
            f"polars, got {type(rows).__name__}"
        )
    given = list(rows)
    fields = _fields(what, given, schema, keys)
    values = [
        tuple(_value(v, f.dataType) for v, f in zip(_values(row, fields), fields, strict=True))
        for row in given
    ]
    try:
        return spark.createDataFrame(values, StructType(fields))
    except (PySparkException, TypeError, ValueError) as e:
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


def _value(value: Any, of: DataType) -> Any:
    """Whole numbers for columns of other numbers, which Spark does not take from Python."""
    if isinstance(value, int) and not isinstance(value, bool):
        if isinstance(of, FloatType | DoubleType):
            return float(value)
        if isinstance(of, DecimalType):
            return Decimal(value)
    return value
