"""Has snapshots decode what is read of them alone: a kept table may have many more columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from groundswell.contract.dataflow.operators import OperatorSpec
from groundswell.contract.dataflow.sources import SnapshotSpec
from groundswell.contract.dataflow.steps import Select, StatelessSpec


def pruned(operators: Sequence[OperatorSpec]) -> tuple[OperatorSpec, ...]:
    """The operators, those that read a stored table without columns that nobody asks for."""
    return tuple(
        _narrowed(op, [reader for reader in operators if op.id in reader.inputs])
        if isinstance(op, SnapshotSpec)
        else op
        for op in operators
    )


def _narrowed(snapshot: SnapshotSpec, readers: Sequence[OperatorSpec]) -> SnapshotSpec:
    wanted = {ref for reader in readers for ref in _asked(reader, snapshot.columns)}
    stored = tuple(zip(snapshot.columns, snapshot.parts, strict=True))
    kept = [each for each in stored if each[0] in wanted] or stored[:1]  # a row needs a column
    columns, parts = zip(*kept, strict=True)
    return replace(snapshot, columns=columns, parts=parts)


def _asked(reader: OperatorSpec, columns: Sequence[str]) -> set[str]:
    if isinstance(reader, StatelessSpec) and isinstance(reader.steps[0], Select):
        return {column.of for column in reader.steps[0].columns if column.of is not None}
    return set(columns)
