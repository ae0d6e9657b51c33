"""Arrow rows as lines of JSON, in the way that the columns of a table of ClickHouse read them."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from ipaddress import IPv4Address, ip_address
from typing import TYPE_CHECKING, Any
from uuid import UUID

from groundswell.errors import SinkRowRefused
from groundswell.sinks.clickhouse_floats import EXACT, Carried, carried
from groundswell.sinks.clickhouse_times import Times, times_of
from groundswell.sinks.columns import shown_row
from groundswell.sinks.plain import plain
from groundswell.sinks.target_types import field_of, parts_of

if TYPE_CHECKING:
    import pyarrow as pa

_WRAPPED = re.compile(r"^(?:Nullable|LowCardinality)\((.*)\)$")
_ARRAY = re.compile(r"^Array\((.*)\)$")
_OF_MANY = re.compile(r"^(Array|Map|Tuple)\((.*)\)$")
_LABEL = re.compile(r"'((?:[^'\\]|\\.)*)'")
_WITH_NULL = ("Nullable(", "LowCardinality(Nullable(", "JSON", "Object", "Dynamic", "Variant")
"""How types begin that can hold a null."""


def bare(kind: str) -> str:
    """A type without ``Nullable`` and ``LowCardinality``."""
    while found := _WRAPPED.match(kind):
        kind = found[1]
    return kind


def _null(target: str, column: Any) -> tuple[int, str] | None:
    """Where the first null is that a type does not hold, also within arrays, and that type."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if column.null_count and not target.startswith(_WITH_NULL):
        return pc.index(pc.is_null(column), True).as_py(), target
    if pa.types.is_map(column.type) or pa.types.is_struct(column.type):
        found = ((at, _null_within(target, v)) for at, v in enumerate(column.to_pylist()))
        return next(((at, kind) for at, kind in found if kind is not None), None)
    array = _ARRAY.match(bare(target))
    if array is None or not pa.types.is_list(column.type):
        return None
    below = _null(array[1], pc.list_flatten(column))
    return None if below is None else (pc.list_parent_indices(column)[below[0]].as_py(), below[1])


def _null_within(target: str, value: Any) -> str | None:
    """The type that does not hold a null which a value of Python has there."""
    if value is None:
        return None if target.startswith(_WITH_NULL) else target
    found = _OF_MANY.match(bare(target))
    if found is None:
        return None
    types = parts_of(found[2])
    if found[1] == "Array":
        pairs = [(types[0], each) for each in value]
    elif found[1] == "Tuple":
        fields = dict(field_of(part, i) for i, part in enumerate(types, 1))
        pairs = [(fields[name], each) for name, each in value.items()]
    else:
        entries = value.items() if isinstance(value, dict) else value
        pairs = [(types[1], each) for _, each in entries]
    return next((kind for of, each in pairs if (kind := _null_within(of, each))), None)


def reader_of(target: str) -> Callable[[str], bool] | None:
    """Says of a text whether a type of ClickHouse reads it; None: it takes each, or none at all."""
    if target.startswith("Enum"):
        labels = {re.sub(r"\\(.)", r"\1", label) for label in _LABEL.findall(target)}
        return labels.__contains__
    of: dict[str, Callable[[str], object]] = {
        "UUID": UUID,
        "IPv4": IPv4Address,
        "IPv6": ip_address,  # an address of version 4 is one of version 6, too
    }
    made = of.get(target)
    if made is None:
        return None

    def reads(text: str) -> bool:
        try:
            made(text)
        except ValueError:
            return False
        return True

    return reads


class Encoder:
    """Makes lines for the columns of one table.

    Args:
        types: of the columns, by name.
        zone: time zone of the server.
        version: of the server.
        table: its name, for messages.
        key: the columns that identify a row, for messages.
    """

    def __init__(
        self,
        types: Mapping[str, str],
        zone: str,
        version: Sequence[int],
        table: str,
        key: Sequence[str],
    ) -> None:
        self._types = types
        self._zone = zone
        self._version = version
        self._table = table
        self._key = key
        ways = {} if tuple(version) >= EXACT else {n: carried(kind) for n, kind in types.items()}
        self._carried = {name: how for name, how in ways.items() if how is not None}

    def carried(self, names: Sequence[str]) -> dict[str, tuple[str, Carried | None]]:
        """In which types the columns travel, and how; empty: all as the table has them."""
        if self._carried.keys().isdisjoint(names):
            return {}
        ways = {name: self._carried.get(name) for name in names}
        return {name: (how.type if how else self._types[name], how) for name, how in ways.items()}

    def check(self, rows: pa.Table) -> None:
        """Refuses nulls, dates and times that their columns cannot hold, before anything is sent.

        Raises:
            SinkRowRefused: names row, column, value and what the column holds.
        """
        for name in rows.column_names:
            self._check_nulls(name, rows)
            self._check_texts(name, rows)
            found = self._misfit(bare(self._types[name]), rows[name].combine_chunks())
            if found is None:
                continue
            at, value, times, wrong = found
            raise SinkRowRefused(
                f"column {name} of table {self._table} is a {times.type}, and {value}, in the row "
                f"{shown_row(rows, at, self._key)}, {wrong}. ClickHouse would store another value: "
                "change it in the query (a null, or a bound within the range), or give the column "
                "a type that holds it"
            )

    def _check_texts(self, name: str, rows: pa.Table) -> None:
        import pyarrow as pa

        reads = reader_of(bare(self._types[name]))
        if reads is None or not pa.types.is_string(rows.schema.field(name).type):
            return
        for at, value in enumerate(rows[name].to_pylist()):
            if value is not None and not reads(value):
                raise SinkRowRefused(
                    f"column {name} of table {self._table} is of type {self._types[name]}, which "
                    f"does not take {value!r} of the row {shown_row(rows, at, self._key)}: correct "
                    "it, or give the column another type"
                )

    def _check_nulls(self, name: str, rows: pa.Table) -> None:
        found = _null(self._types[name], rows[name].combine_chunks())
        if found is None:
            return
        at, kind = found
        raise SinkRowRefused(
            f"column {name} of table {self._table} has a {kind}, which holds no null, and the row "
            f"{shown_row(rows, at, self._key)} has one there. ClickHouse would store another "
            "value: take coalesce(...) in the query, or make the column Nullable"
        )

    def _misfit(self, target: str, column: Any) -> tuple[int, Any, Times, str] | None:
        import pyarrow as pa
        import pyarrow.compute as pc

        if pa.types.is_list(column.type) and (array := _ARRAY.match(target)):
            below = self._misfit(bare(array[1]), pc.list_flatten(column))
            if below is None:
                return None
            return pc.list_parent_indices(column)[below[0]].as_py(), *below[1:]
        if not (pa.types.is_date(column.type) or pa.types.is_timestamp(column.type)):
            return None
        times = times_of(target, self._zone, self._version)
        found = None if times is None else times.misfit(column)
        if times is None or found is None:
            return None
        at, wrong = found
        return at, column[at].cast(pa.string()), times, wrong

    def lines(self, rows: pa.Table, more: Mapping[str, int]) -> Iterator[bytes]:
        """One line a row.

        Args:
            rows: the rows.
            more: columns that are the same in all of them.
        """
        names = rows.column_names
        quoted = [as_json(name) for name in names]
        rest = "".join(f",{as_json(name)}:{value}" for name, value in more.items())
        make = [self._encoder(name, rows.schema.field(name).type) for name in names]
        for batch in rows.to_batches(max_chunksize=16_384):
            columns = [
                ["null" if v is None else encode(v) for v in column.to_pylist()]
                for encode, column in zip(make, batch.columns, strict=True)
            ]
            for row in zip(*columns, strict=True):
                pairs = (f"{name}:{value}" for name, value in zip(quoted, row, strict=True))
                yield f"{{{','.join(pairs)}{rest}}}\n".encode()

    def _encoder(self, name: str, kind: pa.DataType) -> Callable[[Any], str]:
        import pyarrow as pa

        value = self._value(bare(self._types[name]), kind)
        if how := self._carried.get(name):
            return lambda v: as_json(how.value(value(v)))
        if pa.types.is_decimal(kind) and bare(self._types[name]).startswith("Decimal"):
            return lambda v: format(v, "f")  # old servers take no text for a number
        return lambda v: as_json(value(v))

    def _value(self, target: str, kind: pa.DataType) -> Callable[[Any], Any]:
        import pyarrow as pa

        types = pa.types
        if types.is_boolean(kind):
            return (lambda v: v) if target == "Bool" else int
        if types.is_floating(kind):
            return lambda v: v if math.isfinite(v) else str(v)
        if types.is_timestamp(kind) or types.is_date(kind):
            times = times_of(target, self._zone, self._version)
            if times is not None:
                return times.text
        if types.is_list(kind) and (array := _ARRAY.match(target)):
            below = self._value(bare(array[1]), kind.value_type)
            return lambda v: [None if each is None else below(each) for each in v]
        if types.is_nested(kind) and target == "String":
            return lambda v: json.dumps(plain(v, kind), ensure_ascii=False)
        if target == "String" and not types.is_string(kind):
            return lambda v: str(plain(v, kind))
        return lambda v: plain(v, kind)


def as_json(value: Any) -> str:
    """The value as JSON."""
    return json.dumps(value, ensure_ascii=False)
