"""Arrow rows as lines of JSON, in the way that the columns of a table of ClickHouse read them."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo

from groundswell.sinks.plain import plain

if TYPE_CHECKING:
    import pyarrow as pa

_ZONE = re.compile(r"^DateTime(64)?(?:\((?:\d+)?(?:, )?(?:'([^']+)')?\))?$")


class Encoder:
    """Makes lines for the columns of one table.

    Args:
        types: of the columns, by name.
        zone: time zone of the server.
    """

    def __init__(self, types: Mapping[str, str], zone: str) -> None:
        self._types = types
        self._zone = zone

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

        value = self._value(name, kind)
        if pa.types.is_decimal(kind) and self._types[name].startswith("Decimal"):
            return lambda v: format(v, "f")  # old servers take no text for a number
        return lambda v: as_json(value(v))

    def _value(self, name: str, kind: pa.DataType) -> Callable[[Any], Any]:
        import pyarrow as pa

        target = self._types[name]
        types = pa.types
        if types.is_boolean(kind):
            return (lambda v: v) if target == "Bool" else int
        if types.is_floating(kind):
            return lambda v: v if math.isfinite(v) else str(v)
        if types.is_timestamp(kind) and (found := _ZONE.match(target)):
            zone = ZoneInfo(found[2] or self._zone)
            return lambda v: _time(v, zone, found[1] is not None)
        if types.is_date(kind) and target.startswith("DateTime"):
            return lambda v: f"{v.isoformat()} 00:00:00"
        if types.is_nested(kind) and target == "String":
            return lambda v: json.dumps(plain(v, kind), ensure_ascii=False)
        if target == "String" and not types.is_string(kind):
            return lambda v: str(plain(v, kind))
        return lambda v: plain(v, kind)


def as_json(value: Any) -> str:
    """The value as JSON."""
    return json.dumps(value, ensure_ascii=False)


def _time(value: datetime, zone: ZoneInfo, fine: bool) -> str:
    """Seconds since 1970, which no time zone can be wrong about; before, what clocks showed."""
    if value.tzinfo is not None:
        seconds = int(value.replace(microsecond=0).timestamp())
        if seconds >= 100_000_000:  # fewer digits are not taken for seconds
            return f"{seconds}.{value.microsecond:06d}" if fine else str(seconds)
        value = value.astimezone(UTC).astimezone(zone)
    text = value.strftime("%Y-%m-%d %H:%M:%S")
    return f"{text}.{value.microsecond:06d}" if fine else text
