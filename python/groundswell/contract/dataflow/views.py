"""Views as they are kept."""

from __future__ import annotations

from dataclasses import dataclass

from groundswell.contract.dataflow.operators import KeyedSpec, StatefulSpec


@dataclass(frozen=True, kw_only=True)
class MaterializeSpec(StatefulSpec, KeyedSpec, kind="materialize"):
    """Keeps a view's rows.

    Attributes:
        view: its name.
        fields: refs of the columns that readers see.
        changelog: whether the changes of an epoch are kept for a sink.
        append_only: whether no row is ever taken back: rows are written unread.
        anywhere: whether all changes of a key are made in one partition and nobody reads by key:
            rows stay in the partition of the operator below, if that has as many.
        replace: whether the input is all rows of the view: what differs is the change.
    """

    view: str
    fields: tuple[str, ...]
    changelog: bool = False
    append_only: bool = False
    anywhere: bool = False
    replace: bool = False
