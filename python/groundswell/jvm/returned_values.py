"""Results of functions of rows; pickled by value, for workers may have Spark only."""

from __future__ import annotations

import datetime
import decimal
from collections.abc import Callable, Mapping
from typing import Any

from pyspark.sql import types as t

_PLAIN = (int, float, str, bytes, bytearray, decimal.Decimal, datetime.date, datetime.timedelta)
_BITS = {t.ByteType: 7, t.ShortType: 15, t.IntegerType: 31, t.LongType: 63}
_SHOWN = 100

Take = Callable[[Any], Any]


class OfType:
    """A function whose results have the type that it is declared with.

    Spark makes null of a result of another type, and takes the lowest bits of a whole number that
    is too great.

    Attributes:
        function: of the values of a row.
        name: of the function, for messages.
        returns: its type.
    """

    def __init__(self, function: Callable[..., Any], name: str, returns: t.DataType) -> None:
        self.function = function
        self.name = name
        self.returns = returns
        self._take = taker(returns)

    def __call__(self, *values: Any, **named: Any) -> Any:
        """Calls it for a row.

        Raises:
            TypeError: the result has another type.
        """
        found = self.function(*values, **named)
        if found is None or self._take is None:
            return found
        try:
            return self._take(found)
        except _OtherTypeError as e:
            within = (
                "" if e.of == self.returns else f", in its result {self.returns.simpleString()}"
            )
            raise TypeError(
                f"function {self.name} gave {_shown(e.value)} where {e.of.simpleString()} is "
                f"declared{within}"
            ) from None


class _OtherTypeError(Exception):
    """A value that is not of a type."""

    def __init__(self, value: Any, of: t.DataType) -> None:
        super().__init__()
        self.value = value
        self.of = of


def taker(of: t.DataType) -> Take | None:
    """What makes a value of a type of one that is not null; None: Spark takes it as it is.

    Values of libraries, such as numpy's, go to Spark as they are, and so does what is in them.
    """
    match of:
        case t.ByteType() | t.ShortType() | t.IntegerType() | t.LongType():
            most = 1 << _BITS[type(of)]
            return _checked(of, lambda v: isinstance(v, int) and -most <= v < most, int)
        case t.FloatType() | t.DoubleType():
            return _checked(of, lambda v: isinstance(v, int | float), float)
        case t.DecimalType():
            return _checked(of, lambda v: isinstance(v, int | decimal.Decimal), decimal.Decimal)
        case t.BooleanType():
            return _checked(of, lambda v: isinstance(v, bool), bool)
        case t.StringType():
            return _checked(of, lambda v: not isinstance(v, bytes | bytearray), _same)
        case t.TimestampType() | t.TimestampNTZType():
            return _checked(of, lambda v: isinstance(v, datetime.datetime), _same)
        case t.DateType():
            return _checked(of, lambda v: isinstance(v, datetime.date), _same)
        case t.ArrayType():
            return _checked(of, lambda v: isinstance(v, list | tuple), _elements(of))
        case t.MapType():
            return _checked(of, lambda v: isinstance(v, dict), _entries(of))
        case t.StructType():
            return _checked(of, lambda v: isinstance(v, dict | list | tuple), _fields(of))
        case _:
            return None


def _checked(of: t.DataType, fits: Callable[[Any], bool], take: Take) -> Take:
    others = (*_PLAIN, list, tuple, dict, set, frozenset)

    def taken(value: Any) -> Any:
        if fits(value):
            return take(value)
        if isinstance(value, others):
            raise _OtherTypeError(value, of)
        return value

    return taken


def _same(value: Any) -> Any:
    return value


def _each(take: Take | None) -> Take:
    return lambda value: value if value is None or take is None else take(value)


def _elements(of: t.ArrayType) -> Take:
    element = _each(taker(of.elementType))
    return lambda values: [element(value) for value in values]


def _entries(of: t.MapType) -> Take:
    key, value = _each(taker(of.keyType)), _each(taker(of.valueType))
    return lambda given: {key(k): value(v) for k, v in given.items()}


def _fields(of: t.StructType) -> Take:
    fields = {field.name: _each(taker(field.dataType)) for field in of.fields}
    takes = list(fields.values())

    def taken(given: Any) -> Any:
        if isinstance(given, Mapping):
            return {k: fields[k](v) if k in fields else v for k, v in given.items()}
        if len(given) != len(takes):
            raise _OtherTypeError(given, of)
        names = getattr(given, "__fields__", None)
        if names is not None:  # a Row, whose fields may stand in another order
            found = [fields[n](v) if n in fields else v for n, v in zip(names, given, strict=True)]
            return t.Row(*names)(*found)
        return tuple(take(v) for take, v in zip(takes, given, strict=True))

    return taken


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= _SHOWN else text[:_SHOWN] + "..."
