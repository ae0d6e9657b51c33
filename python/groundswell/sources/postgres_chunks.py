"""The tables of a server in chunks of pages, for a snapshot that comes in parts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from groundswell.runtime.planning.sources import Size
from groundswell.sources.postgres_server import PgPlan, connected

_PAGES = 8192
"""Of a table, read by one task of the snapshot at most: 64 MB."""


@dataclass(frozen=True)
class Chunk:
    """Some pages of a table, and about what they have.

    Attributes:
        number: of the table.
        first: page.
        last: page behind the last; None: there is no later one.
        size: of them.
    """

    number: int
    first: int
    last: int | None
    size: Size


def chunks_of(connection: Any, plan: PgPlan, most: Size) -> list[Chunk]:
    """The tables of a plan in chunks of pages that are within a limit, if a page is."""
    found: list[Chunk] = []
    for number, table in enumerate(plan.tables):
        size, block, rows, kind = connection.execute(
            "SELECT coalesce((SELECT sum(pg_relation_size(relid)) FROM pg_partition_tree(c.oid)), "
            "pg_relation_size(c.oid))::bigint, "
            "current_setting('block_size')::int, "
            "CASE WHEN relpages > 0 THEN greatest(reltuples, 0) / relpages ELSE 0 END::float8, "
            "relkind FROM pg_class c WHERE oid = %s::regclass",
            [table.qualified],
        ).fetchone()
        pages = max(-(-size // block), 1)
        step = pages if kind != "r" else _PAGES
        for limit, each in ((most.bytes, block), (most.rows, rows)):
            if limit and each and kind == "r":
                step = min(step, max(int(limit // each), 1))
        for first in range(0, pages, step):
            taken = min(step, pages - first)
            end = first + step if first + step < pages else None
            part = Size(round(rows * taken), taken * block if size else 0)
            found.append(Chunk(number, first, end, part))
    return found


def backlog(plan: PgPlan) -> Size:
    """What the tables of a plan have now."""
    with connected(plan) as connection:
        return sum((chunk.size for chunk in chunks_of(connection, plan, Size())), Size())
