"""Fields within columns of a write: they go by position, so their names have to be the same."""

from __future__ import annotations

from pyspark.sql.types import ArrayType, DataType, MapType, StructField, StructType

from groundswell.errors import SourceError


def check_fields(table: str, field: StructField, given: DataType) -> None:
    """Refuses structs whose fields are not those of a table's column.

    Args:
        table: its name.
        field: the column.
        given: the type that the rows have in it.

    Raises:
        SourceError: the fields within have other names, or another order.
    """
    if _are_named(given, field.dataType):
        return
    said = (
        f"the fields in {field.name} are {', '.join(wanted)}, in this order; the rows have "
        f"{', '.join(_fields(given))}"
        if (wanted := _fields(field.dataType))
        else f"column {field.name} is of type {field.dataType.simpleString()}, and the rows have "
        f"{given.simpleString()}"
    )
    raise SourceError(f"table {table}: {said}")


def _are_named(given: DataType, wanted: DataType) -> bool:
    """Whether structs have the fields of those that they are written to; a null has no fields."""
    match given, wanted:
        case StructType(), StructType():
            pairs = list(zip(given.fields, wanted.fields, strict=False))
            return len(given.fields) == len(wanted.fields) and all(
                g.name.lower() == w.name.lower() and _are_named(g.dataType, w.dataType)
                for g, w in pairs
            )
        case ArrayType(), ArrayType():
            return _are_named(given.elementType, wanted.elementType)
        case MapType(), MapType():
            return _are_named(given.keyType, wanted.keyType) and _are_named(
                given.valueType, wanted.valueType
            )
        case StructType(), _:
            return False
        case _:
            return True  # Spark casts it, or says why not


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
