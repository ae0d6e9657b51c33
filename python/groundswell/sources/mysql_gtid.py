"""Positions in the binlog as sets of transactions (GTID), of MariaDB and of MySQL. Pure.

MariaDB numbers transactions by domain, and a position has the last one of each: ``0-1-100``. MySQL
numbers them by server, and a position has all of them, as intervals: ``3e11fa47-...:1-23:30``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

MARIADB, MYSQL = "mariadb", "mysql"
_Intervals = tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class Position:
    """A set of transactions that were read.

    Attributes:
        flavor: ``mariadb`` or ``mysql``.
        last: of MariaDB, by domain: server and number of the last transaction.
        sets: of MySQL, by server: intervals of numbers, both ends in, in order and apart.
    """

    flavor: str
    last: Mapping[int, tuple[int, int]] = field(default_factory=dict)
    sets: Mapping[str, _Intervals] = field(default_factory=dict)

    @staticmethod
    def parse(flavor: str, text: str) -> Position:
        """A position as the server writes it."""
        parts = [part for part in "".join(text.split()).split(",") if part]
        if flavor == MARIADB:
            found = [tuple(map(int, part.split("-"))) for part in parts]
            return Position(flavor, {domain: (server, n) for domain, server, n in found})
        sets: dict[str, _Intervals] = {}
        for part in parts:
            server, *given = part.lower().split(":")
            ends = [tuple(map(int, (each.split("-") * 2)[:2])) for each in given]
            sets[server] = _joined([*sets.get(server, ()), *((a, b) for a, b in ends)])
        return Position(flavor, sets=sets)

    @property
    def text(self) -> str:
        """As the server writes it."""
        if self.flavor == MARIADB:
            return ",".join(f"{domain}-{s}-{n}" for domain, (s, n) in sorted(self.last.items()))
        return ",".join(
            f"{server}:" + ":".join(f"{a}-{b}" if a != b else f"{a}" for a, b in ends)
            for server, ends in sorted(self.sets.items())
        )

    def has(self, gtid: str) -> bool:
        """Whether a transaction is in it."""
        return self.covers(Position.parse(self.flavor, gtid))

    def covers(self, other: Position) -> bool:
        """Whether all transactions of another position are in it."""
        if self.flavor == MARIADB:
            return all(
                domain in self.last and self.last[domain][1] >= n
                for domain, (_, n) in other.last.items()
            )
        return all(
            any(first <= a and b <= last for first, last in self.sets.get(server, ()))
            for server, ends in other.sets.items()
            for a, b in ends
        )

    def also(self, gtid: str) -> Position:
        """The same with one more transaction."""
        more = Position.parse(self.flavor, gtid)
        if self.flavor == MARIADB:
            return Position(self.flavor, {**self.last, **more.last})
        sets = dict(self.sets)
        for server, ends in more.sets.items():
            sets[server] = _joined([*sets.get(server, ()), *ends])
        return Position(self.flavor, sets=sets)


def _joined(ends: list[tuple[int, int]]) -> _Intervals:
    """Intervals in order, with those that touch as one."""
    found: list[tuple[int, int]] = []
    for first, last in sorted(ends):
        if found and first <= found[-1][1] + 1:
            found[-1] = found[-1][0], max(found[-1][1], last)
        else:
            found.append((first, last))
    return tuple(found)
