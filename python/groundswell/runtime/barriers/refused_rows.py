"""Which rows of an epoch a target refuses: found by halves, so that the rest can be delivered."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from groundswell.errors import SinkRowRefused
from groundswell.format.python_values import python_values
from groundswell.plan.sources import CHANGE_TYPE
from groundswell.sinks.changes import MINUS, Changes
from groundswell.sinks.keys import hashable
from groundswell.sinks.plain import rows_of

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame

_SHOWN = 60
Group = list[int]
"""Positions of the rows of one key; where there is no key, of one row."""


class Part(Changes):
    """Some rows of an epoch.

    Args:
        table: the rows, with ``_change_type``.
        whole: the epoch.
    """

    def __init__(self, table: pa.Table, whole: Changes) -> None:
        self.__dict__["table"] = table  # as if it had been read
        self._rows = table.num_rows
        self._whole = whole

    @cached_property
    def frame(self) -> DataFrame:  # type: ignore[override]
        """The same rows for sinks that write with Spark."""
        frame = self._whole.frame
        return frame.sparkSession.createDataFrame(self.table, frame.schema)


@dataclass(frozen=True)
class Refused:
    """A row that the target refuses.

    Attributes:
        row: its columns as plain values; of an update the new row.
        name: its key, or all its columns, as errors show them.
        reason: what the target said.
    """

    row: dict[str, Any]
    name: str
    reason: str

    @property
    def text(self) -> str:
        """What happened, as an error says it."""
        return f"{self.reason.rstrip('.')}. The row is {self.name}"


def split(
    changes: Changes,
    key: Sequence[str],
    refuses: Callable[[Part], SinkRowRefused | None],
    most: int | None = None,
) -> tuple[Part, list[Refused]]:
    """Parts an epoch into what the target takes and the rows that it refuses.

    Args:
        changes: the epoch.
        key: the columns that identify a row; none: each row is one of its own.
        refuses: tries some rows, without a commit; says why the target refuses them.
        most: of how many refused rows to look for; None: all.

    Returns:
        What is to be delivered, and what is refused. A row that the target has already, and whose
        new value it refuses, is deleted: so the target holds the view without the refused rows.
    """
    table = changes.table
    kinds = table[CHANGE_TYPE].to_pylist()
    groups = _groups(table, key)

    def tried(some: list[Group]) -> SinkRowRefused | None:
        return refuses(_part(table, some, changes))

    found = _found(groups, tried, most)
    bad = {id(group) for group, _ in found}
    minus = [[i for i in group if kinds[i] in MINUS] for group, _ in found] if key else []
    minus = [group for group in minus if group]
    if most is None and minus:
        never = {id(group) for group, _ in _found(minus, tried, None)}
        minus = [group for group in minus if id(group) not in never]
    kept = [g for g in groups if id(g) not in bad] + minus
    return _part(table, kept, changes), [
        _refused(table, group, key, kinds, error) for group, error in found
    ]


def _part(table: pa.Table, groups: list[Group], whole: Changes) -> Part:
    import pyarrow as pa

    at = pa.array([i for group in groups for i in group], pa.int64())
    return Part(table.take(at), whole)


def _found(
    groups: list[Group],
    tried: Callable[[list[Group]], SinkRowRefused | None],
    most: int | None,
) -> list[tuple[Group, SinkRowRefused]]:
    found: list[tuple[Group, SinkRowRefused]] = []
    left = [groups] if groups else []
    while left and (most is None or len(found) < most):
        some = left.pop()
        error = tried(some)
        if error is None:
            continue
        if len(some) == 1:
            found.append((some[0], error))
        else:
            half = len(some) // 2
            left += [some[half:], some[:half]]
    return found


def _groups(table: pa.Table, key: Sequence[str]) -> list[Group]:
    if not key:
        return [[i] for i in range(table.num_rows)]
    columns = [map(hashable, python_values(table[name])) for name in key]
    found: dict[tuple[Any, ...], Group] = {}
    for i, values in enumerate(zip(*columns, strict=True)):
        found.setdefault(values, []).append(i)
    return list(found.values())


def _refused(
    table: pa.Table, group: Group, key: Sequence[str], kinds: list[str], error: SinkRowRefused
) -> Refused:
    at = next((i for i in group if kinds[i] not in MINUS), group[0])
    (row,) = rows_of(table.slice(at, 1).drop_columns([CHANGE_TYPE]))
    cells = [f"{name} = {_short(row[name])}" for name in (key or row)]
    return Refused(row, ", ".join(cells), str(error))


def _short(value: Any) -> str:
    shown = repr(value)
    return shown if len(shown) <= _SHOWN else f"{shown[:_SHOWN]}..."
