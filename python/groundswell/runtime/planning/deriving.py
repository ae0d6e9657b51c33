"""From queries to streams: what is planned of each view, all of them together. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from groundswell.catalog.view import View
from groundswell.errors import ConfigurationError
from groundswell.optimizer.delta_planner import delta_joins
from groundswell.optimizer.sharing import Shaped, Sharing, shape
from groundswell.plan import nodes as n
from groundswell.plan.definition import definition
from groundswell.plan.divert import DIVERT, SUFFIX, diverting, failures
from groundswell.plan.expiry import expire
from groundswell.plan.explain import describe
from groundswell.plan.indexes import Index, plan_index
from groundswell.plan.narrowing import narrowed
from groundswell.plan.recursion import is_recursive, named
from groundswell.plan.sources import Mode, SourceTable
from groundswell.plan.stream import Hidden, Stream, derive, scans
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
            root = diverting(root) if diverts else root
            root = named(root, tables, streams)
            streams[name] = derive(root, tables, hidden, streams)
            if view.emit == WINDOW_CLOSE:
                streams[name] = window_close(streams[name])
            if view.ttl is not None:
                streams[name] = expire(streams[name], view.ttl)
            aside = failures(root, hidden, tables) if diverts else None
            if aside is not None:
                if name + SUFFIX in roots:
                    raise ConfigurationError(
                        f"views {name!r} and {name + SUFFIX!r}: the second name is that of the "
                        'rows that the first, with errors="divert", sets aside; give one another '
                        "name"
                    )
                self.diverted[name + SUFFIX] = name
                streams[name + SUFFIX] = derive(aside, tables, hidden, streams)

    def _add_indexes(self, roots: Mapping[str, tuple[n.Node, Sequence[str]]]) -> None:
        for name, (root, columns) in roots.items():
            _check_views(f"index {name}", root, self.tables, self.streams)
            named_root = named(root, self.tables, self.streams)
            stream = derive(named_root, self.tables, self.hidden, self.streams)
            self.indexes[name] = plan_index(name, stream, tuple(columns))


def is_free(view: View) -> bool:
    """Whether the rows of a view depend on its query alone."""
    return view.errors != DIVERT and view.emit != WINDOW_CLOSE and view.ttl is None


def narrowed_roots(
    planned: DerivedViews, roots: Mapping[str, n.Node], begun: Mapping[str, Sequence[str]]
) -> dict[str, n.Node]:
    """The queries that are what they were but for source columns that they do not read.

    Args:
        planned: what the queries are now.
        roots: the queries.
        begun: the definitions of the views that are there, by name.

    Returns:
        By view, the query over the columns that its sources had, for those whose definition is
        equal only so.
    """
    found: dict[str, n.Node] = {}
    sources: dict[str, set[str]] = {}
    for stream in planned.streams.values():
        for scan in scans(stream):
            if isinstance(scan.node, n.StandIn) and scan.view is None:
                sources.setdefault(scan.node.source, set()).add(describe(scan))
    for name, root in roots.items():
        before = begun.get(name)
        if before is None or definition(planned.streams[name]) == list(before):
            continue
        narrow = narrowed(root, before, sources)
        if narrow != root:
            tried = DerivedViews.of(planned.views, planned.tables, {**roots, name: narrow}, {})
            if definition(tried.streams[name]) == list(before):
                found[name] = narrow
    return found


def shaped_views(
    planned: DerivedViews, roots: Mapping[str, n.Node], joins: str, sharing: Sharing
) -> dict[str, Shaped]:
    """Which views have their joins in canonical form: not those that look indexes up instead."""
    begun = sharing.begun or {}
    if not (sharing.search or sharing.anew or any(begun.values())):
        return {}
    free: dict[str, n.Node] = {}
    for name, root in roots.items():
        stream = planned.streams[name]
        timed = any(s.source is not None and s.source.event_time for s in scans(stream))
        if timed or is_recursive(root) or not is_free(planned.views[name]):
            continue
        indexes = planned.indexes if name not in begun and joins != "hash" else {}
        if not indexes or not delta_joins(stream, indexes, {}).deltas:
            free[name] = root
    return shape(free, planned.streams, planned.tables, sharing)


def _check_views(
    name: str, node: n.Node, tables: Mapping[str, SourceTable], streams: Mapping[str, Stream]
) -> None:
    if isinstance(node, n.StandIn):
        table = tables[node.source]
        if table.mode is Mode.VIEW and table.name not in streams:
            raise ConfigurationError(
                f"view {name or 'of this query'} reads view {table.name!r}, which is not in its "
                "pipeline; add it there first with pipeline.view(...)"
            )
    for child in node.children:
        _check_views(name, child, tables, streams)
