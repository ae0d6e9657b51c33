"""A tree of equi-joins as one join of all its inputs. Pure."""

from __future__ import annotations

from dataclasses import dataclass, field

from groundswell.plan import nodes as n
from groundswell.plan.required import required_of_inputs
from groundswell.plan.stream import Stream


def is_equi_join(stream: Stream) -> bool:
    """Whether it is a join on something equal."""
    return isinstance(stream.node, n.Join) and bool(stream.node.left_keys)


def _is_inner(stream: Stream) -> bool:
    return isinstance(stream.node, n.Join) and stream.node.kind is n.JoinKind.INNER


@dataclass(frozen=True)
class Input:
    """One input, and the refs that it must deliver."""

    position: int
    stream: Stream
    required: frozenset[str]


@dataclass(frozen=True)
class Attached:
    """The right side of a join that is not inner; see ``delta.Attachment``."""

    kind: n.JoinKind
    input: Input
    left: tuple[str, ...]
    right: tuple[str, ...]
    residual: n.Expression | None
    added: str | None


@dataclass
class JoinTree:
    """What was found in the tree.

    Attributes:
        inputs: of inner joins.
        attached: right sides of the other joins.
        equal: pairs of refs that inner joins make equal.
        aliases: refs that projections between the joins gave columns: new -> old.
        conditions: residual conditions of inner joins and filters, innermost first.
    """

    inputs: list[Input] = field(default_factory=list)
    attached: list[Attached] = field(default_factory=list)
    equal: list[tuple[str, str]] = field(default_factory=list)
    aliases: dict[str, str] = field(default_factory=dict)
    conditions: list[n.Expression] = field(default_factory=list)

    def add(self, stream: Stream, required: frozenset[str]) -> bool:
        """False if the tree cannot be a delta join."""
        node = stream.node
        if isinstance(node, n.Join) and is_equi_join(stream):
            return self._join(stream, node, required_of_inputs(stream, required))
        if not _over_join(stream):
            self.inputs.append(self._input(stream, required))
            return True
        if isinstance(node, n.Project):
            for expr in node.exprs:
                if expr.out is not None and expr.out != expr.column:
                    self.aliases[expr.out] = str(expr.column)
        (below,) = required_of_inputs(stream, required)
        if not self.add(stream.input, below):
            return False
        if isinstance(node, n.Filter):
            self.conditions.append(node.condition)
        return True

    def _join(self, stream: Stream, node: n.Join, needs: tuple[frozenset[str], ...]) -> bool:
        left, right = ([key.column for key in keys] for keys in (node.left_keys, node.right_keys))
        pairs = [
            (a, b) for a, b in zip(left, right, strict=True) if a is not None and b is not None
        ]
        if len(pairs) < len(left):
            return False
        if _is_inner(stream):
            self.equal += pairs
            if not all(self.add(s, refs) for s, refs in zip(stream.inputs, needs, strict=True)):
                return False
            self.conditions += [node.residual] if node.residual else []
            return True
        if not self.add(stream.inputs[0], needs[0]) or not _is_plain(stream.inputs[1]):
            return False
        full = node.kind is n.JoinKind.FULL_OUTER
        if full and (len(self.inputs), len(self.attached)) != (1, 0):
            return False
        added = stream.columns[-1].ref if full else node.exists.ref if node.exists else None
        self.attached.append(
            Attached(
                node.kind,
                self._input(stream.inputs[1], needs[1]),
                tuple(a for a, _ in pairs),
                tuple(b for _, b in pairs),
                node.residual,
                added,
            )
        )
        return True

    def _input(self, stream: Stream, required: frozenset[str]) -> Input:
        return Input(len(self.inputs) + len(self.attached), stream, required)


def _over_join(stream: Stream) -> bool:
    """Whether only filters and plain projections are between it and a join."""
    node = stream.node
    if isinstance(node, n.Project) and not all(e.column is not None for e in node.exprs):
        return False
    if isinstance(node, n.Project | n.Filter):
        return is_equi_join(stream.input) or _over_join(stream.input)
    return False


def _is_plain(stream: Stream) -> bool:
    """Whether it has rows of a table or view as they are: nulls in their place stay nulls."""
    while isinstance(stream.node, n.Project | n.Filter):
        if isinstance(stream.node, n.Project) and not all(e.column for e in stream.node.exprs):
            return False
        stream = stream.input
    return stream.source is not None
