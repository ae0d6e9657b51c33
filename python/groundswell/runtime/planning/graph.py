"""The dataflow of a run as a small document, for people who look at a pipeline without a JVM.

Counters of an epoch are by the ids of operators; this says what these operators are. Each run notes
it once, before its first barrier. Nothing that is computed depends on it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from groundswell.contract.dataflow.operators import OperatorSpec, ReadingSpec, StatefulSpec
from groundswell.contract.dataflow.rows import DivertedSpec
from groundswell.contract.dataflow.sources import SourceSpec
from groundswell.contract.dataflow.views import MaterializeSpec
from groundswell.physical.builder import described
from groundswell.runtime.record import removal
from groundswell.runtime.record.location import (
    Folder,
    owned_name,
    read_owned,
    write_document,
)

NAME = "graph"
KIND = "graph"
MOST_OPERATORS = 2000
MOST_TEXT = 240


@dataclass(frozen=True)
class Operator:
    """One operator of a dataflow.

    Attributes:
        id: as in the counters of epochs.
        op: its kind, as ``join``.
        inputs: ids of the operators whose rows it takes.
        text: what it does, in SQL's words; cut where it is long.
        state: the state that it keeps, if it keeps one.
        reads: the state of an index that it looks up, or of a recursion that it reads, if it does.
        view: the view that it holds, if it does.
        source: the name of the source that it reads, if it does.
        constraint: the expectation whose failing rows it counts, if it does.
        owner: what that is an expectation of: a view, source or table.
    """

    id: int
    op: str
    inputs: tuple[int, ...] = ()
    text: str = ""
    state: str | None = None
    reads: str | None = None
    view: str | None = None
    source: str | None = None
    constraint: str = ""
    owner: str = ""


@dataclass(frozen=True)
class Graph:
    """The dataflow of a run.

    Attributes:
        since: the first epoch whose counters are by these ids.
        operators: in topological order.
        sinks: by name: ``view`` and ``format``; of a ``foreachBatch`` the name is the view's.
    """

    since: int = 0
    operators: tuple[Operator, ...] = ()
    sinks: Mapping[str, Mapping[str, str]] | None = None


def graph_of(
    operators: Sequence[OperatorSpec],
    since: int,
    sinks: Mapping[str, Mapping[str, str]],
) -> Graph:
    """What to note of a dataflow, as :class:`~groundswell.physical.lower.Dataflow` has it."""
    return Graph(since, tuple(_operator(op) for op in operators[:MOST_OPERATORS]), sinks)


def _operator(op: OperatorSpec) -> Operator:
    text = described(op)
    return Operator(
        id=op.id,
        op=op.KIND,
        inputs=op.inputs,
        text=text if len(text) <= MOST_TEXT else text[: MOST_TEXT - 1] + "…",
        state=op.state if isinstance(op, StatefulSpec) else None,
        reads=op.reads if isinstance(op, ReadingSpec) else None,
        view=op.view if isinstance(op, MaterializeSpec) else None,
        source=op.name if isinstance(op, SourceSpec) else None,
        constraint=op.constraint if isinstance(op, DivertedSpec) else "",
        owner=op.owner if isinstance(op, DivertedSpec) else "",
    )


def store(home: Folder, graph: Graph, token: int) -> None:
    """Notes the dataflow of a run, as an owner."""
    content = {
        "since": graph.since,
        "operators": [_json(op) for op in graph.operators],
        "sinks": {name: dict(sink) for name, sink in (graph.sinks or {}).items()},
    }
    write_document(home, owned_name(NAME, token), KIND, content)
    removal.owned(home, NAME, token)


def _json(op: Operator) -> dict[str, Any]:
    fields: Iterable[tuple[str, Any]] = vars(op).items()
    return {name: value for name, value in fields if value not in (None, "", ())}


def load(home: Folder) -> Graph | None:
    """The dataflow of the last run; None if an older release ran it."""
    document = read_owned(home, NAME, KIND)
    if document is None:
        return None
    operators = tuple(
        Operator(**{**op, "inputs": tuple(op.get("inputs", ()))}) for op in document["operators"]
    )
    return Graph(document["since"], operators, document["sinks"])
