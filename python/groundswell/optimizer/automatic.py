"""Which indexes a pipeline makes by itself. Pure.

A hash join keeps the rows of both its inputs. Where several joins read one table by one key, each
keeps them again; with indexes all of them share one copy. So an index is made where two different
joins need one table or view by the same columns, together with those that the joins need besides:
a join can only look up if every input has an index. It is made only if that keeps less.

That is decided when views begin. What was made is noted in the checkpoint's definition, with the
views that use it, and is given up with the last of them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations
from math import prod
from typing import Any

from groundswell.optimizer.delta import Leaf
from groundswell.optimizer.delta_planner import trees
from groundswell.optimizer.guesses import selected
from groundswell.plan import nodes as n
from groundswell.plan.definition import digest
from groundswell.plan.indexes import Index, scan_columns
from groundswell.plan.sources import SourceTable
from groundswell.plan.stream import Stream


@dataclass(frozen=True)
class Automatic:
    """An index that a pipeline makes by itself.

    Attributes:
        table: the source, table or view.
        columns: that it is looked up by, in the order of their names.
        keeps: all columns that it has of the table, in the order of their names.
        views: those that use it.
    """

    table: str
    columns: tuple[str, ...]
    keeps: tuple[str, ...]
    views: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """What it is called."""
        return "_".join(("auto", self.table, "by", *self.columns))

    def json(self) -> dict[str, list[str] | str]:
        """What the definition notes."""
        return {
            "table": self.table,
            "columns": list(self.columns),
            "keeps": list(self.keeps),
            "views": list(self.views),
        }

    @staticmethod
    def of(noted: Mapping[str, Any]) -> Automatic:
        """What a definition has noted."""
        columns, keeps, views = (tuple(noted[key]) for key in ("columns", "keeps", "views"))
        return Automatic(noted["table"], columns, keeps, views)


@dataclass(frozen=True)
class _Need:
    """One table by some columns, as one join reads it; ``rows``: the share that it keeps.

    An index keeps the rows that a filter leaves out, too.
    """

    table: SourceTable
    columns: tuple[str, ...]
    keeps: frozenset[str]
    rows: float


def automatic(
    streams: Mapping[str, Stream],
    begin: Collection[str],
    there: Iterable[Index] = (),
    noted: Iterable[Automatic] = (),
) -> list[Automatic]:
    """The indexes to make for views that begin.

    Args:
        streams: of views, by name.
        begin: names of those that begin.
        there: indexes that were asked for.
        noted: those that were made for other views.
    """
    joins: dict[str, list[_Need]] = {}
    for name in begin:
        for top, leaves in trees(streams[name]):
            joins.setdefault(digest(top), _needs(leaves))
    wanted: dict[tuple[str, tuple[str, ...]], set[str]] = {}
    for join, needs in joins.items():
        for need in needs:
            wanted.setdefault((need.table.name, need.columns), set()).add(join)
    several = {join for users in wanted.values() if len(users) > 1 for join in users}
    needs = [need for join in joins if join in several for need in joins[join]]
    covered = [
        *((i.table, i.columns, frozenset(c.name for c in scan_columns(i.root))) for i in there),
        *((i.table, i.columns, frozenset(i.keeps)) for i in noted),
    ]
    new: dict[tuple[str, tuple[str, ...]], set[str]] = {}
    for need in needs:
        if not any(_covers(each, need) for each in covered):
            new.setdefault((need.table.name, need.columns), set()).update(need.keeps)
    if len(new) >= _kept_by_hash_joins(joins[join] for join in several):
        return []
    return [
        Automatic(table, columns, tuple(sorted(keeps))) for (table, columns), keeps in new.items()
    ]


def _covers(index: tuple[str, tuple[str, ...], frozenset[str]], need: _Need) -> bool:
    table, columns, keeps = index
    return table == need.table.name and set(columns) == set(need.columns) and need.keeps <= keeps


def _kept_by_hash_joins(joins: Iterable[Sequence[_Need]]) -> float:
    """Copies of tables: each join has one of each input."""
    return sum(
        sum({(need.table.name, need.keeps): need.rows for need in needs}.values())
        for needs in joins
    )


def _needs(leaves: Sequence[Leaf]) -> list[_Need]:
    """Each input by what it has in common with each other one."""
    found: dict[_Need, None] = {}
    for leaf, other in permutations(leaves, 2):
        common = leaf.classes.keys() & other.classes.keys()
        if common:
            names = {c.ref: c.name for c in leaf.scan.node.output}
            columns = {names[leaf.classes[number]] for number in common}
            read = {names[ref] for ref in leaf.scanned if ref in names}
            assert leaf.scan.source is not None
            conditions = [s.node.condition for s in leaf.steps if isinstance(s.node, n.Filter)]
            need = _Need(
                leaf.scan.source,
                tuple(sorted(columns)),
                frozenset(read | columns),
                prod(selected(condition.sql) for condition in conditions),
            )
            found[need] = None
    return list(found)
