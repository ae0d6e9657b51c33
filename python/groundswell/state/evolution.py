"""Columns of an older schema as columns of the newest, by Avro's rules of schema resolution.

Fields are found by name, missing ones are null, others are dropped; whole numbers widen to longer
ones and to floating point, float to double, strings and binaries turn into each other. This is what
the state store itself does when Spark reads such rows.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

from groundswell.errors import InvalidArgument
from groundswell.state.types import arrow_type, bytes_column, is_string

_WIDER = {
    "integer": ("long", "float", "double"),
    "long": ("float", "double"),
    "float": ("double",),
}


def promoted(column: pa.Array, old: Any, new: Any, name: str) -> pa.Array:
    """The column as one of the newer type.

    Args:
        column: of the arrow type that ``old`` has.
        old: a Spark type as in its ``DataType.json``, parsed.
        new: likewise.
        name: the column's, for messages.

    Raises:
        InvalidArgument: values of the one type cannot be read as the other.
    """
    target = arrow_type(new, name)
    if column.type == target:
        return column
    kinds = _kind(old), _kind(new)
    if kinds == ("struct", "struct"):
        return _struct(column, old, new, target)
    if kinds == ("array", "array"):
        items = promoted(column.values, old["elementType"], new["elementType"], f"{name}.element")
        return pa.ListArray.from_arrays(column.offsets, items, mask=column.is_null())
    if kinds == ("map", "map"):
        keys = promoted(column.keys, old["keyType"], new["keyType"], f"{name}.key")
        items = promoted(column.items, old["valueType"], new["valueType"], f"{name}.value")
        missing = np.append(column.is_null().to_numpy(zero_copy_only=False), False)
        offsets = pa.array(column.offsets.to_numpy(), pa.int32(), mask=missing)
        return pa.MapArray.from_arrays(offsets, keys, items)
    if isinstance(old, str) and new in _WIDER.get(old, ()):
        return column.cast(target, safe=False)  # as Java rounds: a long may be no double
    if is_string(old) and new == "binary":
        return column.cast(target)
    if old == "binary" and is_string(new):
        return bytes_column(column.to_pylist(), new)
    raise InvalidArgument(f"column {name!r} was written as {old} and cannot be read as {new}")


def _kind(data_type: Any) -> str:
    return data_type["type"] if isinstance(data_type, dict) else str(data_type)


def _struct(column: pa.StructArray, old: Any, new: Any, target: pa.StructType) -> pa.Array:
    parts = column.flatten()
    known = {f["name"]: (part, f["type"]) for f, part in zip(old["fields"], parts, strict=True)}
    found = []
    for i, field in enumerate(new["fields"]):
        name = field["name"]
        if name in known:
            part, written = known[name]
            found.append(promoted(part, written, field["type"], name))
        else:
            found.append(pa.nulls(len(column), target.field(i).type))
    return pa.StructArray.from_arrays(found, fields=list(target), mask=column.is_null())
