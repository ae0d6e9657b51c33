"""Views whose rows have a longest life. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from groundswell.durations import UNITS, micros_of
from groundswell.errors import ConfigurationError
from groundswell.plan import nodes as n
from groundswell.plan.stream import Kind, Stream


@dataclass(frozen=True)
class Ttl:
    """How long a view keeps a row.

    Attributes:
        micros: microseconds of the barriers' clock.
        column: since the time in that column; None: since the row came, or changed last.
    """

    micros: int
    column: str | None = None


def check_ttl(ttl: str | timedelta | None, column: str | None) -> Ttl | None:
    """What the user said.

    Args:
        ttl: as ``"90 minutes"`` (milliseconds to weeks; a day is 24 hours), or a timedelta.
        column: name of a timestamp column, or None.

    Raises:
        ConfigurationError: if it is no such time, or a column without a time.
    """
    if ttl is None:
        if column is not None:
            raise ConfigurationError(f"ttl_column={column!r} needs ttl=, as ttl='1 hour'")
        return None
    micros = 0
    if isinstance(ttl, timedelta):
        micros = ttl // timedelta(microseconds=1)
    elif isinstance(ttl, str):
        micros = micros_of(ttl)
    if micros <= 0:
        raise ConfigurationError(
            f"ttl must be a number and one of {', '.join(UNITS)}, as '90 minutes', or a "
            f"timedelta above zero; got {ttl!r}"
        )
    return Ttl(micros, column)


def check_life(ttl: str | timedelta | None) -> int:
    """The same of a table's rows: microseconds since their last write; 0: for ever."""
    life = check_ttl(ttl, None)
    return life.micros if life else 0


def expire(root: Stream, ttl: Ttl) -> Stream:
    """The view whose rows are taken back when they are too old.

    Raises:
        ConfigurationError: if the view has no such timestamp column.
    """
    if ttl.column is None:
        life: n.Node = n.Expire(
            id=root.node.id,
            output=root.node.output,
            children=(root.node,),
            life_micros=ttl.micros,
        )
        return Stream(life, (root,), root.columns, root.key, Kind.RETRACT)
    found = {c.name: c for c in root.node.output}.get(ttl.column)
    if found is None or found.type != "timestamp":
        raise ConfigurationError(
            f"ttl_column={ttl.column!r} must be a timestamp column of the view; its columns are "
            + ", ".join(f"{c.name} {c.type}" for c in root.node.output)
        )
    time = n.Expression(
        id="",
        sql=found.name,
        type=found.type,
        nullable=found.nullable,
        refs=(found.ref,),
        deterministic=True,
        out=None,
        plain=True,
        reads=(found.ref,),
        canon="ttl",
    )
    node = n.Temporal(
        id=root.node.id,
        output=root.node.output,
        children=(root.node,),
        time=time,
        offset_micros=-ttl.micros,
        inclusive=False,
    )
    return Stream(node, (root,), root.columns, root.key, Kind.RETRACT)
