"""The document around the operators."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from groundswell.contract.codec import Int
from groundswell.contract.dataflow.operators import HiddenColumn, OperatorSpec


@dataclass(frozen=True)
class DataflowSpec:
    """What one pipeline runs.

    Attributes:
        root: the pipeline's folder.
        states: what the states' folder is in.
        rescaled: whether states had another number of partitions before.
        partitions: of every state.
        tasks: how many a stage may have, for it runs beside another dataflow; 0: it does not.
        refs: the columns that the planner made up, by ref.
        operators: in topological order.
    """

    root: str
    states: str
    rescaled: bool
    partitions: Int
    tasks: Int
    refs: Mapping[str, HiddenColumn]
    operators: tuple[OperatorSpec, ...]
