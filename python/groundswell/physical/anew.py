"""Which views can be computed anew within a barrier, and the two dataflows that do it. Pure.

All is told from the operators of the dataflow that follows changes, and keeps their ids and states.
Views that share a state with each other, through what reads what or through equal parts, form a
*unit*: they are computed anew together or not at all. In a barrier that computes units anew

- *the rest* takes the batch: it keeps the tables of all sources, and follows the other views;
- then *the anew* flow reads these tables as they are after the barrier, begins the states of the
  units' operators again, and replaces the rows of their views: what differs is written and told.

Operators fold what comes, so a state that took all rows of its inputs in one barrier is one that
may be followed from. Where that is not so, or the rows of an input are not kept, a unit says why.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from groundswell.physical.builder import described
from groundswell.physical.recursion import KINDS as RECURSIVE

Operators = Sequence[Mapping[str, Any]]

FOLDING = frozenset(
    {
        "stateless",
        "union",
        "net",
        "join",
        "aggregate",
        "window",
        "first_rows",
        "top_n",
        "top_n_local",
    }
)
"""Operators that may begin again with all rows of their inputs."""
OF_SOURCES = frozenset({"source", "normalize", "keep", "signs"})
"""What is done to the rows of a source, whatever views read it."""
TABLES = frozenset({"source", "normalize"})
"""Where the rows of a source are kept; what fills these is no part of a view."""
LOOKING_UP = frozenset({"lookup", "arrange", "touched"})
BOUNDS = ("watermark", "leftBound", "rightBound")


@dataclass(frozen=True)
class Unit:
    """Views that are computed anew together.

    Attributes:
        views: their names, in order.
        operators: ids of what they need, down to the tables of the sources.
        sources: by id of the source: its name, of those that they read.
        tables: the states that hold the rows of their sources.
        states: the states that must be there before they can be computed anew.
        cannot: why they cannot be; empty: they can.
    """

    views: tuple[str, ...]
    operators: frozenset[int]
    sources: Mapping[str, str]
    tables: tuple[str, ...]
    states: tuple[str, ...]
    cannot: str = ""


def units(operators: Operators) -> tuple[Unit, ...]:
    """The units of a dataflow, in the order of their first views."""
    by_id = {op["id"]: op for op in operators}
    kept = {op["input"] for op in operators if op["op"] == "keep"}
    roots = [op for op in operators if op["op"] in ("materialize", "arrange")]
    below = {root["id"]: _below(root, by_id, TABLES) for root in roots}
    made: list[list[Mapping[str, Any]]] = []
    for root in roots:
        own = _stateful(below[root["id"]], by_id)
        joined = [root]
        for unit in [u for u in made if any(own & _stateful(below[r["id"]], by_id) for r in u)]:
            made.remove(unit)
            joined = [*unit, *joined]
        made.append(joined)
    return tuple(
        _unit(sorted(unit, key=lambda r: int(r["id"])), below, by_id, kept)
        for unit in sorted(made, key=lambda unit: min(int(r["id"]) for r in unit))
        if any(root["op"] == "materialize" for root in unit)
    )


def rest_of(operators: Operators, anew: Iterable[Unit]) -> list[Mapping[str, Any]]:
    """What takes the batch while units are computed anew: all but what only they need."""
    by_id = {op["id"]: op for op in operators}
    gone = {view for unit in anew for view in unit.views}
    wanted: set[int] = set()
    for op in operators:
        is_root = op["op"] in ("materialize", "arrange") and op.get("view") not in gone
        if is_root or op["op"] in OF_SOURCES:
            wanted |= _below(op, by_id)
    return [op for op in operators if op["id"] in wanted]


def anew_of(
    operators: Operators, anew: Iterable[Unit], types: Mapping[str, Any]
) -> list[Mapping[str, Any]]:
    """What computes units from the tables of their sources.

    Args:
        operators: of the whole dataflow.
        anew: the units; all of them can be computed anew.
        types: of the columns of the sources, by ref, as ``DataType.json`` has them.
    """
    wanted = {id_ for unit in anew for id_ in unit.operators}
    made: list[Mapping[str, Any]] = []
    for op in operators:
        if op["id"] not in wanted:
            continue
        if op["op"] == "normalize":
            made.append(_snapshot(op, op["state"], op["key"], [], types))
        elif op["op"] == "source":
            row_id = op["rowId"] or []
            made.append(_snapshot(op, f"source-{op['name']}", [], row_id, types))
        elif op["op"] == "materialize":
            made.append({**op, "replace": True, "anew": True})
        else:
            made.append({**op, "anew": True} if op.get("state") else op)
    return made


def _snapshot(
    op: Mapping[str, Any],
    state: str,
    key: Sequence[str],
    row_id: Sequence[str],
    types: Mapping[str, Any],
) -> Mapping[str, Any]:
    """Reads the table of a source in the place of what keeps it."""
    fields = [ref for ref in op["columns"] if ref not in row_id]
    return {
        "id": op["id"],
        "op": "snapshot",
        "columns": [*fields, *row_id],
        "from": state,
        "parts": [
            *(["row", i] for i in range(len(fields))),
            *(["key", i] for i in range(len(row_id))),
        ],
        "keyTypes": [types[ref] for ref in key] or ["long" for _ in row_id],
        "rowTypes": [types[ref] for ref in fields],
    }


def _inputs(op: Mapping[str, Any]) -> list[int]:
    given = [op.get(name) for name in ("input", "left", "right")] + list(op.get("inputs", ()))
    return [i for i in given if i is not None]


def _below(
    root: Mapping[str, Any], by_id: Mapping[int, Mapping[str, Any]], ends: Collection[str] = ()
) -> frozenset[int]:
    """What a root needs, itself included; of operators of the kinds ``ends`` no inputs."""
    found: set[int] = set()
    waiting = [int(root["id"])]
    while waiting:
        id_ = waiting.pop()
        if id_ not in found:
            found.add(id_)
            waiting += [] if by_id[id_]["op"] in ends else _inputs(by_id[id_])
    return frozenset(found)


def _stateful(ids: Iterable[int], by_id: Mapping[int, Mapping[str, Any]]) -> set[int]:
    """What of it makes views a unit if they share it."""
    return {i for i in ids if "state" in by_id[i] and by_id[i]["op"] not in OF_SOURCES}


def _unit(
    roots: Sequence[Mapping[str, Any]],
    below: Mapping[int, frozenset[int]],
    by_id: Mapping[int, Mapping[str, Any]],
    kept: set[int],
) -> Unit:
    wanted = frozenset(i for root in roots for i in below[root["id"]])
    ops = [by_id[i] for i in sorted(wanted)]
    sources: dict[str, str] = {}
    tables = []
    for op in ops:
        if op["op"] in OF_SOURCES:
            read = by_id[op["input"]] if op["op"] in ("normalize", "signs") else op
            sources[read["source"]] = read["name"]
            tables.append(op.get("state", f"source-{read['name']}"))
    return Unit(
        tuple(root["view"] for root in roots if root["op"] == "materialize"),
        wanted,
        sources,
        tuple(tables),
        tuple(op["state"] for op in ops if "state" in op and op["op"] not in OF_SOURCES),
        next((why for op in ops if (why := _why_not(op, kept))), ""),
    )


def _why_not(op: Mapping[str, Any], kept: set[int]) -> str:
    """Why what has this operator cannot be computed anew; empty: it can."""
    kind, text = op["op"], described(op) or op["op"]
    if kind == "source":
        if op.get("eventTime") or op.get("late"):
            return f"source {op['name']} has a watermark, which ends rows of it"
        return "" if op["id"] in kept else f"the rows of source {op['name']} are not kept"
    if kind == "normalize":
        if op.get("watermark") or op.get("life"):
            return f"rows of source {op['source']} end by a watermark or ttl"
        return ""
    if kind == "materialize":
        if op["appendOnly"] or op["anywhere"]:
            return f"view {op['view']} keeps its rows in the order in which they came"
        return ""
    if kind in LOOKING_UP:
        return f"index {op['name']} is kept of it" if kind == "arrange" else "it joins by indexes"
    if kind in RECURSIVE:
        return f"it is recursive ({text})"
    if kind not in FOLDING:
        return f"what {kind.replace('_', ' ')} gives depends on when rows came ({text})"
    if any(op.get(bound) for bound in BOUNDS):
        return f"a watermark ends state of it ({text})"
    return ""
