"""A planned view as text without ids that differ from run to run: what a checkpoint belongs to.

Two streams with the same text compute the same rows from the same inputs, in the same columns. So
the text is also what names an operator's state (:func:`digest`): views that share a part share its
state, and adding or dropping a view leaves the states of all others where they are.

What becomes of rows that expressions cannot digest is no part of it: as long as none was set aside,
states hold the same.

Every field of a node is written, whatever the node; columns are numbered in the order in which
they first appear. A field that has its default value is left out: a node may get new ones.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from dataclasses import MISSING, fields, is_dataclass, replace
from typing import Any

from groundswell.plan import nodes as n
from groundswell.plan.explain import describe, key_text
from groundswell.plan.stream import Stream, scans

_REF = re.compile(r"[ah]\d+")
_PLAIN = {
    "action",
    "canon",
    "constraint",
    "fn",
    "hidden",
    "kind",
    "name",
    "owner",
    "recursion",
    "text",
    "time",
    "type",
    "use",
    "view",
    "window",
}
"""Fields of strings that say something; other strings may be refs."""
_UNSTABLE = {
    "id",
    "output",
    "children",
    "source",
    "refs",
    "reads",
    "sql",
    "divert",
    "retracts",
    "rounds",
}


def definition(stream: Stream) -> list[str]:
    """One line an operator, indented by depth, then the columns and the key."""
    text = _Text()
    lines: list[str] = []

    def visit(below: Stream, depth: int) -> None:
        for child in below.inputs:
            visit(child, depth + 1)
        lines.append("  " * depth + text.line(below))

    visit(stream, 0)
    lines.reverse()
    lines.append(
        "columns "
        + text.columns(stream.node)
        + f" by {n.without_ids(key_text(stream))}"
        + "".join(f" {text.number(ref)}" for ref in stream.key or ())
    )
    return lines


def digest(stream: Stream) -> str:
    """Stands for the whole definition, those of the views that it reads included."""
    parts = [*definition(stream), *(digest(s.view) for s in scans(stream) if s.view is not None)]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:12]


def has_failures(view: Iterable[str]) -> bool:
    """Whether a definition is that of rows that fail in another view: some are only called so."""
    return any(line.strip().startswith(n.Failures.__name__) for line in view)


def diverts(view: Iterable[str]) -> bool:
    """Whether it is that of rows that expressions cannot digest, not of expectations alone."""
    own = [line for line in view if has_failures([line])]
    return any("; constraint " not in line for line in own)


class _Text:
    def __init__(self) -> None:
        self._numbers: dict[str, str] = {}

    def number(self, ref: str) -> str:
        return self._numbers.setdefault(ref, f"c{len(self._numbers)}")

    def line(self, stream: Stream) -> str:
        node = stream.node
        if isinstance(node, n.Placeholder):
            return f"{describe(stream)} -> {self.columns(node)}"
        branches = [[(to, ref) for to, ref in branch.columns] for branch in stream.branches]
        return " -> ".join(
            part
            for part in (
                type(node).__name__,
                self.fields(node),
                self.value(branches) if branches else "",
                "" if isinstance(node, n.Project) else " ".join(map(self.number, _refs(node))),
            )
            if part
        )

    def columns(self, node: n.Node) -> str:
        return ", ".join(
            f"{n.without_ids(c.name)}: {c.type} {self.number(c.ref)}" for c in node.output
        )

    def fields(self, value: Any) -> str:
        return "; ".join(
            f"{f.name} {self.field(f.name, getattr(value, f.name))}"
            for f in fields(value)
            if f.name not in _UNSTABLE
            and (f.default is MISSING or getattr(value, f.name) != f.default)
        )

    def field(self, name: str, value: Any) -> str:
        if name == "labels":
            return ", ".join(f"{self.number(ref)} {label}" for ref, label in value)
        return value if name in _PLAIN and isinstance(value, str) else self.value(value)

    def value(self, value: Any) -> str:
        match value:
            case n.Expression():
                read = " ".join(map(self.number, value.reads or value.refs))
                out = f" as {self.number(value.out)}" if value.out else ""
                return f"{value.meaning} [{read}]{out}"
            case n.Call():
                return f"{value.canon or value.sql} <{self.fields(replace(value, canon=''))}>"
            case list() | tuple():
                return f"({', '.join(map(self.value, value))})"
            case str() if _REF.fullmatch(value):
                return self.number(value)
            case n.Column():
                return f"<{self.fields(replace(value, name=n.without_ids(value.name)))}>"
            case _ if is_dataclass(value):
                return f"<{self.fields(value)}>"
            case _:
                return str(value)


def _refs(node: n.Node) -> list[str]:
    return [c.ref for c in node.output]
