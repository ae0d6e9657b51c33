"""Shared indexes: a table or view by some of its columns, kept once for all that look it up."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from groundswell.errors import ConfigurationError
from groundswell.plan import nodes as n
from groundswell.plan.definition import digest
from groundswell.plan.stream import Stream


@dataclass(frozen=True)
class Statistics:
    """What is known of an index.

    Attributes:
        rows: how many it has.
        keys: distinct index keys among them, estimated.
        hot: hashes of the keys that have very many rows.
    """

    rows: float
    keys: float
    hot: tuple[int, ...] = ()


@dataclass(frozen=True)
class Index:
    """A planned index.

    Attributes:
        name: what the user calls it.
        root: the frame that was indexed: a scan, perhaps with columns left out.
        scan: the occurrence of the table or view.
        columns: names of the index columns, as the table has them.
        refs: what it keeps, in order: the columns of the frame, then what else is in the key.
    """

    name: str
    root: Stream
    scan: Stream
    columns: tuple[str, ...]
    refs: tuple[str, ...]

    @property
    def table(self) -> str:
        """Name of the source or view."""
        assert self.scan.source is not None
        return self.scan.source.name

    @property
    def kept(self) -> tuple[n.Column, ...]:
        """The columns behind ``refs``."""
        by_ref = {c.ref: c for c in self.scan.columns}
        return tuple(by_ref[ref] for ref in self.refs)

    @property
    def key(self) -> tuple[str, ...]:
        """Refs of the table's stream key."""
        assert self.scan.key is not None
        return self.scan.key

    @property
    def by(self) -> tuple[str, ...]:
        """Refs of the index columns."""
        refs = {c.name: c.ref for c in self.scan.node.output}
        return tuple(refs[name] for name in self.columns)

    @property
    def state(self) -> str:
        """Name of its state: equal indexes are one."""
        names = {c.ref: c.name for c in self.scan.columns}
        text = [digest(self.scan), *self.columns, "of", *(names[ref] for ref in self.refs)]
        return f"index-{hashlib.sha256(chr(10).join(text).encode()).hexdigest()[:12]}"

    def hidden(self) -> tuple[str, ...]:
        """Names of what it keeps only to tell rows apart."""
        shown = {c.ref for c in scan_columns(self.root)}
        return tuple(c.name for c in self.kept if c.ref not in shown)


def plan_index(name: str, root: Stream, columns: tuple[str, ...]) -> Index:
    """Checks what is to be indexed.

    Args:
        name: of the index.
        root: the planned frame.
        columns: names of its columns.

    Raises:
        ConfigurationError: if the frame is no table or view, or has no such column.
    """
    scan = root
    while isinstance(scan.node, n.Project) and all(e.column for e in scan.node.exprs):
        scan = scan.input
    if scan.source is None:
        raise ConfigurationError(
            f"index {name}: only a source, a table or a view can be indexed, with columns left out "
            "or not; make the query a view of the pipeline, and index pipeline.read(view)"
        )
    shown = scan_columns(root)
    names = {c.name: inner for c, inner in zip(root.node.output, shown, strict=True)}
    missing = [c for c in columns if c not in names]
    if missing or not columns or len(set(columns)) < len(columns):
        raise ConfigurationError(
            f"index {name} on ({', '.join(columns)}): name some columns once each; "
            f"{scan.source.name} has {', '.join(names)}"
        )
    refs = dict.fromkeys((*(c.ref for c in shown), *(scan.key or ())))
    return Index(name, root, scan, tuple(names[c].name for c in columns), tuple(refs))


def scan_columns(root: Stream) -> tuple[n.Column, ...]:
    """The scan's columns behind those of a frame that only leaves columns out."""
    if not isinstance(root.node, n.Project):
        return root.node.output
    inner = dict(
        zip((c.ref for c in root.input.node.output), scan_columns(root.input), strict=True)
    )
    return tuple(inner[str(e.column)] for e in root.node.exprs)
