"""Columns of a target that hold only some values of the view's, and the rows that do not fit.

A start refuses such a column (:func:`holding.check_holds`), unless the sink's option ``narrowing``
is ``fail``: then each value is looked at before the epoch is written, and a row with one that the
column would change is refused.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from typing import TYPE_CHECKING, Any
from uuid import UUID

from pyspark.sql import types as t

from groundswell.errors import SinkRowRefused
from groundswell.sinks.columns import shown_row
from groundswell.sinks.holding import (
    Fields,
    Held,
    Instant,
    ListOf,
    MapOf,
    Numbers,
    Text,
    Uuids,
    check_holds,
    lacks,
)
from groundswell.sinks.options import SinkOption

if TYPE_CHECKING:
    import pyarrow as pa

REFUSE, FAIL = "refuse", "fail"
NARROWING = SinkOption(
    "narrowing",
    "what happens to a column of the target that does not hold every value of the view's type: "
    "refuse: the start is refused; fail: the column is taken, and a row with a value that it does "
    "not hold is refused before its epoch is written, see on_failure",
    str,
    REFUSE,
    choices=(REFUSE, FAIL),
)


@dataclass(frozen=True)
class _Narrow:
    """A narrower column: the target's table and type, what that holds, and the view's type."""

    table: str
    type: str
    held: Held
    kind: t.DataType


@dataclass
class Narrowing:
    """The columns of one target.

    Attributes:
        option: ``refuse`` or ``fail``.
        columns: the narrower ones that were taken, by name.
    """

    option: str
    columns: dict[str, _Narrow] = field(default_factory=dict)

    def take(self, table: str, column: t.StructField, type_: str, held: Held) -> None:
        """Take a column of the target, or refuse it.

        Args:
            table: kind and name of the target, as errors say it.
            column: the view's.
            type_: the target's type of that column, in its own words.
            held: what that type holds.

        Raises:
            SinkError: it does not hold every value of the view's, and that is not wanted or cannot
                be seen of a value.
        """
        kind = column.dataType
        narrower = lacks(held, kind) is not None
        if not (self.option == FAIL and _is_checkable(held, kind)):
            check_holds(table, column, type_, held)
        if narrower or _is_inexact(held):
            self.columns[column.name] = _Narrow(table, type_, held, kind)

    def check(self, rows: pa.Table, key: Sequence[str]) -> None:
        """Refuse rows with a value that its column would change.

        Args:
            rows: to be written, or the keys of rows to be deleted.
            key: the columns that name a row; none: a row is shown as a whole.

        Raises:
            SinkRowRefused: names column, both types, value and row.
        """
        for name, narrow in self.columns.items():
            if name not in rows.column_names or _surely_fit(narrow.held, rows[name]):
                continue
            for at, value in enumerate(rows[name].to_pylist()):
                if not _fits(narrow.held, narrow.kind, value):
                    raise SinkRowRefused(
                        f"column {name} of {narrow.table} is of type {narrow.type}, which does not "
                        f"hold {value} of the row {shown_row(rows, at, key)}. Correct the row at "
                        f"its source, bound {name} in the query, or give the column a wider type"
                    )


def _is_checkable(held: Held, kind: t.DataType) -> bool:
    """Whether it can be seen of each value that the target would change it."""
    match kind, held:
        case t.ArrayType(), ListOf():
            return _is_checkable(held.element, kind.elementType)
        case t.MapType(), MapOf():
            return _is_checkable(held.key, kind.keyType) and _is_checkable(
                held.value, kind.valueType
            )
        case t.StructType(), Fields():
            there = dict(held.fields)
            return all(
                f.name in there and _is_checkable(there[f.name], f.dataType) for f in kind.fields
            )
        case ((t.FloatType() | t.DoubleType()), Numbers()):
            return bool(held.bits) or held.scale is None
        case t.DecimalType(), Numbers():  # no target takes 3.00 for a whole number
            return bool(held.bits) or held.scale != 0 or kind.scale == 0
        case (t.IntegralType(), Numbers()) | (
            (t.TimestampType() | t.TimestampNTZType()),
            Instant(),
        ):
            return True
        case _:
            return lacks(held, kind) is None


def _fits(held: Held, kind: t.DataType, value: Any) -> bool:
    """Whether a target holds a value as it is."""
    if value is None:
        return True
    match held:
        case ListOf() if isinstance(kind, t.ArrayType):
            return all(_fits(held.element, kind.elementType, each) for each in value)
        case MapOf() if isinstance(kind, t.MapType):
            return _all_fit((held.key, kind.keyType, k) for k, _ in value) and _all_fit(
                (held.value, kind.valueType, v) for _, v in value
            )
        case Fields() if isinstance(kind, t.StructType):
            there = dict(held.fields)
            return _all_fit((there[f.name], f.dataType, value[f.name]) for f in kind.fields)
        case Numbers() if isinstance(kind, t.NumericType):
            return _number_fits(held, value)
        case Text() if held.length is not None and isinstance(value, str):
            return len(value) <= held.length or not value.endswith(" ")
        case Uuids():
            return _is_uuid(value)
        case Instant() if isinstance(value, datetime):
            return value.microsecond % int(10 ** max(0, 6 - held.digits)) == 0
        case _:
            return True


def _is_inexact(held: Held) -> bool:
    """Whether a target changes some texts that it takes, which is seen of each."""
    match held:
        case Text():
            return held.length is not None
        case ListOf():
            return _is_inexact(held.element)
        case _:
            return isinstance(held, Uuids)


def _surely_fit(held: Held, column: Any) -> bool:
    """Whether no text of a column is longer than the target's are."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if not isinstance(held, Text) or held.length is None or not pa.types.is_string(column.type):
        return False
    longest = pc.max(pc.utf8_length(column)).as_py()
    return longest is None or longest <= held.length


def _is_uuid(text: str) -> bool:
    """Whether a text is a UUID in the one form in which targets give it back."""
    try:
        return str(UUID(text)) == text
    except ValueError:
        return False


def _all_fit(values: Iterable[tuple[Held, t.DataType, Any]]) -> bool:
    return all(_fits(*each) for each in values)


def _number_fits(held: Numbers, value: int | float | Decimal) -> bool:
    if held.bits:
        return _float_fits(held.bits, value)
    if isinstance(value, float):
        return held.scale is None
    low = held.least is None or held.least <= int(value)
    high = held.most is None or int(value) <= held.most
    return low and high and (held.scale is None or _scale(value) <= held.scale)


def _float_fits(bits: int, value: int | float | Decimal) -> bool:
    """Floats give back decimals of 6 or 15 digits; other numbers must stay as they are."""
    if isinstance(value, Decimal):
        return len(value.normalize().as_tuple().digits) <= (6 if bits == 24 else 15)
    try:
        there = float(value)
        if bits == 24:
            (there,) = struct.unpack("f", struct.pack("f", there))
    except OverflowError:
        return False
    return bool(there == value or value != value)  # a NaN is one


def _scale(value: int | Decimal) -> int:
    """How many digits after the point are not zeros at the end."""
    if isinstance(value, int):
        return 0
    exponent = value.normalize().as_tuple().exponent
    assert isinstance(exponent, int)
    return max(0, -exponent)
