"""What a delta join is: inputs, what is attached to them, and a term for each that changes. Pure.

Made by :mod:`groundswell.optimizer.delta_planner`, built by :mod:`groundswell.physical.delta`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import Enum

from groundswell.optimizer.chains import Candidate, Chain
from groundswell.optimizer.cost import Estimate
from groundswell.plan import nodes as n
from groundswell.plan.stream import Stream


@dataclass(frozen=True)
class Leaf:
    """An input of a delta join.

    Attributes:
        position: among all inputs, left to right.
        stream: the input.
        required: refs that it must deliver.
        scan: the table or view below it.
        scanned: refs that the scan must deliver.
        steps: filters and projections between the two, from the scan up.
        classes: equality class -> ref of the scan.
        outer: equality class -> ref of the input.
    """

    position: int
    stream: Stream
    required: frozenset[str]
    scan: Stream
    scanned: frozenset[str]
    steps: tuple[Stream, ...]
    classes: Mapping[int, str]
    outer: Mapping[int, str]

    @property
    def table(self) -> str:
        """Name of the table or view."""
        assert self.scan.source is not None
        return self.scan.source.name


@dataclass(frozen=True)
class Attachment:
    """The right side of a join that is not inner.

    Attributes:
        leaf: the input; its classes are the positions of the join keys.
        left: what its join keys must equal, by position: refs of what is to its left.
        residual: what else must hold of a match.
        index: what it is looked up by, for given rows to its left.
        added: the column that says whether there is a match (existence), or that there is a row to
            the left (full outer).
    """

    kind: n.JoinKind
    leaf: Leaf
    left: tuple[str, ...]
    residual: n.Expression | None
    index: Candidate
    added: str | None = None


class Start(Enum):
    """What a term begins with."""

    CHANGES = "changes of"
    TOUCHED = "keys touched in"
    """Its keys that changed: rows that have them may gain or lose their match."""
    UNMATCHED = "unmatched changes of"
    """Right rows of a full outer join."""
    ALONE = "right rows by keys touched in"
    """The same, of the left input: right rows may gain or lose their match."""


@dataclass(frozen=True)
class Term:
    """What the changes of one input, beside all others, change of the join.

    Attributes:
        input: the one that changes.
        chain: the first lookups, over ``leaves``; its last relation may be the keys to start with.
        leaves: what the chain looks up: the leaves, and attachments that must have a match here.
        matched: positions of the latter.
        touched: classes of the columns of the keys to start with.
        back: index that right rows by themselves look up the left input by.
    """

    start: Start
    input: Leaf
    chain: Chain
    leaves: tuple[Leaf, ...]
    matched: frozenset[int] = frozenset()
    touched: tuple[int, ...] = ()
    back: Candidate | None = None


@dataclass(frozen=True)
class DeltaJoin:
    """How a tree of joins is computed.

    Attributes:
        leaves: the inputs of inner joins, left to right.
        attachments: the others, in the order in which they are joined.
        terms: by input, left to right; one for a leaf.
        aliases: refs that projections between the joins gave columns: new -> old.
        conditions: residual conditions of inner joins and filters, innermost first.
        cost: against that of hash joins, if they can be compared.
    """

    leaves: tuple[Leaf, ...]
    attachments: tuple[Attachment, ...]
    terms: tuple[Term, ...]
    aliases: Mapping[str, str]
    conditions: tuple[n.Expression, ...]
    cost: Estimate | None = None

    @property
    def indexes(self) -> tuple[str, ...]:
        """Names of the indexes that are looked up."""
        looked = [s.index.name for t in self.terms for s in t.chain.steps]
        return tuple(dict.fromkeys((*looked, *(a.index.name for a in self.attachments))))

    def resolve(self, ref: str) -> str:
        """The column of an input behind a column of the join."""
        return resolve(self.aliases, ref)

    def text(self) -> list[str]:
        """One line a term."""
        lines = []
        for term in reversed(self.terms):
            parts = [f"{term.start.value} {term.input.table}"]
            if term.chain.source is not None:
                parts[0] += f" (by {term.chain.source})"
            for step in term.chain.steps:
                new = term.leaves[step.relation].position > term.input.position
                move = "shuffled to " if step.shuffle else ""
                parts.append(
                    f"{move}{step.index.name} ({'new' if new else 'old'}, "
                    f"~{step.rows:.3g} rows a change"
                    f"{f', {len(step.index.hot)} hot keys' if step.index.hot else ''})"
                )
            lines.append(" -> ".join([*parts, *self._attached(term)]))
        return lines

    def _attached(self, term: Term) -> Iterator[str]:
        for each in self.attachments:
            at, changed = each.leaf.position, term.input.position
            if at in term.matched or (at, term.start) == (changed, Start.UNMATCHED):
                continue
            if term.start is Start.ALONE and each.kind is n.JoinKind.FULL_OUTER:
                continue
            when = "old and new" if at == changed else "new" if at > changed else "old"
            yield f"{each.kind.value} {each.index.name} ({when})"


def resolve(aliases: Mapping[str, str], ref: str) -> str:
    """The column behind a chain of names."""
    while ref in aliases:
        ref = aliases[ref]
    return ref
