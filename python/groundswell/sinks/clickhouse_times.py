"""Dates and times of a ClickHouse column: what it can hold, and the texts that say them.

ClickHouse stores another value where one is out of a column's range, and says nothing. So each
value is checked here before it is sent.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

_TYPE = re.compile(
    r"(?P<name>DateTime64|DateTime|Date32|Date)"
    r"(?:\((?P<digits>\d+)?(?:, *)?(?:'(?P<zone>[^']+)')?\))?"
)
_EPOCH = datetime(1970, 1, 1)
_MICRO = timedelta(microseconds=1)
_DAYS = 86_400_000_000
# Texts of fewer digits are not taken for seconds since 1970, larger numbers not for whole seconds.
_AS_SECONDS = (100_000_000, 9_908_870_400)


@dataclass(frozen=True)
class Times:
    """A column of a date or time type.

    Attributes:
        type: as ClickHouse says it.
        is_date: whether it holds days, no times.
        digits: how many decimals of a second it holds.
        zone: whose clock its texts show.
        first: the first clock time that it holds.
        last: the last one.
    """

    type: str
    is_date: bool
    digits: int
    zone: ZoneInfo
    first: datetime
    last: datetime

    @property
    def range(self) -> str:
        """What it can hold, for messages."""
        if self.is_date:
            return f"{self.first.date()} to {self.last.date()}"
        return f"{self.first} to {self.last} ({self.zone.key})"

    def misfit(self, column: Any) -> tuple[int, str] | None:
        """The first value that the column cannot hold.

        Args:
            column: dates or timestamps of Arrow, in one array or in chunks.

        Returns:
            Where it is, and what is wrong with it; None: all can be held.
        """
        import pyarrow as pa
        import pyarrow.compute as pc

        kind = column.type
        with_zone = pa.types.is_timestamp(kind) and kind.tz is not None
        micros = _micros(column)
        first, last = self._micros_of(self.first, with_zone), self._micros_of(self.last, with_zone)
        out = pc.or_(pc.less(micros, first), pc.greater(micros, last))
        at = _first(out)
        if at is not None:
            return at, f"is out of its range, {self.range}"
        unit = 10 ** max(0, 6 - self.digits)
        if unit > 1:
            whole = pc.multiply(pc.divide(micros, unit), unit)
            at = _first(pc.not_equal(whole, micros))
            if at is not None:
                held = f"{self.digits} decimals" if self.digits else "no fraction"
                return at, f"has more decimals of a second than it holds ({held})"
        return None if self.zone.key in ("UTC", "Etc/UTC") else self._unclear(micros, with_zone)

    def _micros_of(self, clock: datetime, with_zone: bool) -> int:
        value = _utc(clock, self.zone) if with_zone else clock
        return (value - _EPOCH) // _MICRO

    def _unclear(self, micros: Any, with_zone: bool) -> tuple[int, str] | None:
        """The first value whose clock time the zone skips or has twice, if it must go as a text."""
        for at, value in enumerate(micros.to_pylist()):
            if value is None:
                continue
            plain = _EPOCH + value * _MICRO
            if not with_zone:
                utc = _utc(plain, self.zone)
                if _local(utc, self.zone) != plain:
                    return at, f"is a time that clocks in {self.zone.key} skip"
            elif not _is_number(plain):
                clock = _local(plain, self.zone)
                if _utc(clock, self.zone) != _utc(clock, self.zone, fold=1):
                    return at, f"is a time that clocks in {self.zone.key} show twice"
        return None

    def text(self, value: date) -> str:
        """A date or time as ClickHouse reads it, with a year of four digits."""
        if self.is_date:
            return value.isoformat()
        if not isinstance(value, datetime):
            value = datetime.combine(value, time())
        if value.tzinfo is None:
            utc = _utc(value, self.zone)
        else:
            utc = value.astimezone(UTC).replace(tzinfo=None)
        if _is_number(utc):
            shown = str((utc - _EPOCH) // timedelta(seconds=1))
        else:
            shown = _local(utc, self.zone).replace(microsecond=0).isoformat(" ")
        digits = min(self.digits, 6)
        return f"{shown}.{f'{utc.microsecond:06d}'[:digits]}" if digits else shown


def times_of(kind: str, server_zone: str, version: Sequence[int]) -> Times | None:
    """The facts of a column's type; None: it is none of dates or times.

    Args:
        kind: the type, as ``DateTime64(6, 'UTC')``.
        server_zone: the zone of types that name none.
        version: of the server: later ones hold more.
    """
    found = _TYPE.fullmatch(kind)
    if found is None:
        return None
    name, zone = found["name"], ZoneInfo(found["zone"] or server_zone)
    version = tuple(version)
    wide = (datetime(1900, 1, 1), datetime(2299, 12, 31, 23, 59, 59, 999_999))
    narrow = (datetime(1925, 1, 1), datetime(2283, 11, 11, 23, 59, 59, 999_999))
    if name == "Date":
        return Times(kind, True, 0, zone, _EPOCH, datetime(2149, 6, 6))
    if name == "Date32":
        first, last = wide if version >= (22, 8) else narrow
        return Times(kind, True, 0, zone, first, datetime.combine(last, time()))
    if name == "DateTime":
        last = _EPOCH + timedelta(seconds=2**32 - 1)
        return Times(kind, False, 0, zone, _local(_EPOCH, zone), _local(last, zone))
    digits = int(found["digits"] or 3)
    if version >= (21, 4):
        first, last = wide if version >= (22, 8) else narrow
    else:
        first, last = _local(_EPOCH, zone), datetime(2105, 12, 31, 23, 59, 59, 999_999)
    if digits == 9:  # counts nanoseconds in 64 bits
        last = min(last, _local(datetime(2262, 4, 11, 23, 47, 16), zone))
    return Times(kind, False, digits, zone, first, last)


def _micros(column: Any) -> Any:
    """Dates or timestamps as microseconds since 1970: of UTC, or of a clock without a zone."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if pa.types.is_date(column.type):
        days = pc.cast(pc.cast(column, pa.date32()), pa.int32())
        return pc.multiply(pc.cast(days, pa.int64()), pa.scalar(_DAYS, pa.int64()))
    return pc.cast(pc.cast(column, pa.timestamp("us", column.type.tz)), pa.int64())


def _first(wrong: Any) -> int | None:
    """Where the first true is."""
    import pyarrow.compute as pc

    at = pc.index(wrong, True).as_py()
    return None if at < 0 else int(at)


def _is_number(utc: datetime) -> bool:
    first, last = _AS_SECONDS
    return first <= (utc - _EPOCH) // timedelta(seconds=1) < last


def _utc(clock: datetime, zone: ZoneInfo, fold: int = 0) -> datetime:
    """What clocks in UTC show when those of a zone show this."""
    return clock.replace(tzinfo=zone, fold=fold).astimezone(UTC).replace(tzinfo=None)


def _local(utc: datetime, zone: ZoneInfo) -> datetime:
    return utc.replace(tzinfo=UTC).astimezone(zone).replace(tzinfo=None, fold=0)
