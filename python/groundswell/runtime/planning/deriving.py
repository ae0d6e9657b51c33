"""From queries to streams: what is planned of each view, all of them together. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from groundswell.catalog.names import named_like_rows
from groundswell.catalog.view import View
from groundswell.errors import ConfigurationError
from groundswell.plan import nodes as n
from groundswell.plan.definition import definition
from groundswell.plan.divert import DIVERT, SUFFIX, diverting, enforced, failures
from groundswell.plan.expiry import expire
from groundswell.plan.explain import describe
from groundswell.plan.indexes import Index, plan_index
from groundswell.plan.narrowing import as_before, narrowed
from groundswell.plan.recursion import is_recursive, named
from groundswell.plan.required import gone_columns
from groundswell.plan.sources import Mode, SourceTable
from groundswell.plan.stream import Hidden, Kind, Stream, derive, scans
from groundswell.plan.unread import with_shown
from groundswell.plan.watermarks import WINDOW_CLOSE, window_close


@dataclass
class DerivedViews:
    """The streams of views and indexes.

    Attributes:
        views: by name; a view comes after those that it reads.
        tables: all sources, and views that are read, by id.
        hidden: made up columns.
        streams: of the views, and of the rows that they set aside.
        diverted: by the name of the view that has the rows which another sets aside, the other.
        indexes: by name.
    """

    views: Mapping[str, View]
    tables: Mapping[str, SourceTable]
    hidden: Hidden
    streams: dict[str, Stream] = field(default_factory=dict)
    diverted: dict[str, str] = field(default_factory=dict)
    indexes: dict[str, Index] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        views: Mapping[str, View],
        tables: Mapping[str, SourceTable],
        roots: Mapping[str, n.Node],
        indexes: Mapping[str, tuple[n.Node, Sequence[str]]],
    ) -> DerivedViews:
        """All of them.

        Args:
            views: by name.
            tables: by id.
            roots: the views' queries.
            indexes: by name, what is indexed, and the names of the index columns.

        Raises:
            ConfigurationError: if one reads a view that is not there.
        """
        made = cls(views, tables, Hidden())
        made._add_views(roots)
        made._add_indexes(indexes)
        return made

    def _add_views(self, roots: Mapping[str, n.Node]) -> None:
        tables, hidden, streams = self.tables, self.hidden, self.streams
        for name, root in roots.items():
            _check_views(name, root, tables, streams)
            view = self.views[name]
            diverts = view.errors == DIVERT
            taken_back = _retracting(root, tables, streams) if diverts else ()
            root = named(diverting(root, diverts, taken_back), tables, streams)
            streams[name] = with_shown(derive(enforced(root), tables, hidden, streams))
            if view.emit == WINDOW_CLOSE:
                streams[name] = window_close(streams[name])
            if view.ttl is not None:
                streams[name] = expire(streams[name], view.ttl)
            aside = failures(root, hidden, tables, diverts)
            if aside is not None:
                if name + SUFFIX in roots:
                    raise named_like_rows(f"view {name + SUFFIX}", name, "one")
                self.diverted[name + SUFFIX] = name
                streams[name + SUFFIX] = derive(aside, tables, hidden, streams)

    def _add_indexes(self, roots: Mapping[str, tuple[n.Node, Sequence[str]]]) -> None:
        for name, (root, columns) in roots.items():
            _check_views(f"index {name}", root, self.tables, self.streams)
            named_root = named(root, self.tables, self.streams)
            stream = derive(named_root, self.tables, self.hidden, self.streams)
            self.indexes[name] = plan_index(name, stream, tuple(columns))


def _retracting(
    root: n.Node, tables: Mapping[str, SourceTable], streams: Mapping[str, Stream]
) -> frozenset[int]:
    """The aggregations whose input has rows that are taken back, or sessions that become one."""
    found: set[int] = set()

    def look(stream: Stream) -> None:
        for below in stream.inputs:
            look(below)
        node = stream.node
        if isinstance(node, n.Aggregate) and (
            node.session or stream.input.kind is not Kind.APPEND_ONLY
        ):
            found.add(node.id)

    if not is_recursive(root):  # such a view does not divert
        look(derive(enforced(root), tables, Hidden(), streams))
    return frozenset(found)


def is_free(view: View) -> bool:
    """Whether the rows of a view depend on its query alone."""
    return view.errors != DIVERT and view.emit != WINDOW_CLOSE and view.ttl is None


def narrowed_roots(
    planned: DerivedViews,
    roots: Mapping[str, n.Node],
    begun: Mapping[str, Sequence[str]],
    keep: bool = True,
) -> tuple[dict[str, n.Node], set[str]]:
    """The queries that are what they were but for columns that their sources have got since.

    Args:
        planned: what the queries are now.
        roots: the queries.
        begun: the definitions of the views that are there, by name.
        keep: whether a view of all columns keeps those that it began with.

    Returns:
        By view, the query over the columns that its sources had, for those whose definition is
        equal only so; and the names of those among them that read none of the others.
    """
    found: dict[str, n.Node] = {}
    unread: set[str] = set()
    sources: dict[str, set[str]] = {}
    for stream in planned.streams.values():
        for scan in scans(stream):
            if isinstance(scan.node, n.Placeholder) and scan.view is None:
                sources.setdefault(scan.node.source, set()).add(describe(scan))
    tables = {id_ for id_, table in planned.tables.items() if table.columns}
    for name, root in roots.items():
        before = begun.get(name)
        if before is None or definition(planned.streams[name]) == list(before):
            continue
        for make in (narrowed, as_before) if keep else (narrowed,):
            narrow = make(root, before, sources, tables)
            if narrow == root:
                continue
            others = {**roots, **found, name: narrow}
            tried = DerivedViews.of(planned.views, planned.tables, others, {})
            if definition(tried.streams[name]) == list(before):
                found[name] = narrow
                unread |= {name} if make is narrowed else set()
                break
    return found, unread


def whole_leaves(roots: Iterable[n.Node], tables: Mapping[str, SourceTable]) -> list[n.Placeholder]:
    """The sources of which all columns are kept, one occurrence of each.

    A view that is planned with fewer columns of one leaves the others to be kept.
    """
    found: dict[str, n.Placeholder] = {}

    def visit(node: n.Node) -> None:
        if isinstance(node, n.Placeholder) and tables[node.source].whole and node.use is None:
            found.setdefault(node.source, node)
        for child in node.children:
            visit(child)

    for root in roots:
        visit(root)
    return list(found.values())


def check_columns(planned: DerivedViews) -> None:
    """Refuses views and indexes of columns that their tables have no more, or of another type.

    Raises:
        ConfigurationError: with all of them.
    """
    readers: dict[tuple[str, str], list[str]] = {}
    roots = {f"view {name}": stream for name, stream in planned.streams.items()}
    roots |= {f"index {name}": index.root for name, index in planned.indexes.items()}
    for reader, root in roots.items():
        for column in gone_columns(root):
            readers.setdefault(column, []).append(reader)
    if readers:
        told = [
            f"{', '.join(by)} read{'s' if len(by) == 1 else ''} column {column} of table {table}"
            for (table, column), by in sorted(readers.items())
        ]
        raise ConfigurationError(
            f"{'; '.join(told)}, which is to be dropped or to have another type. Drop or replace "
            "what reads it first"
        )


def later_columns(stream: Stream, columns: Mapping[str, Sequence[str]]) -> str:
    """What a view of all columns lacks, since its sources have got it later; empty: nothing.

    Args:
        stream: the view.
        columns: by id, those that each source has now.
    """
    shown = {c.ref for c in stream.node.output}
    told = []
    for scan in scans(stream):
        if scan.source is None or scan.view is not None:
            continue
        hidden = scan.source.hidden
        own = {c.name: c.ref for c in scan.node.output if c.name not in hidden}
        later = [c for c in columns.get(scan.source.id, ()) if c not in own and c not in hidden]
        if later and shown.issuperset(own.values()):
            told.append(f"{', '.join(later)}, which {scan.source.name} has got since")
    return "; ".join(dict.fromkeys(told))


def _check_views(
    name: str, node: n.Node, tables: Mapping[str, SourceTable], streams: Mapping[str, Stream]
) -> None:
    if isinstance(node, n.Placeholder):
        table = tables[node.source]
        if table.mode is Mode.VIEW and table.name not in streams:
            raise ConfigurationError(
                f"view {name or 'of this query'} reads view {table.name!r}, which is not in its "
                "pipeline; add it there first with pipeline.view(...)"
            )
    for child in node.children:
        _check_views(name, child, tables, streams)
