"""The page as HTML. Pure: a picture in, text out; what it shows is escaped by ``units.text``."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from urllib.parse import quote

from groundswell.ui import svg
from groundswell.ui.lsm import StorePicture
from groundswell.ui.model import PHASES, Picture, ViewFacts
from groundswell.ui.units import count, cut, rate, row_count, size, span, text

STATES_SHOWN = 40
WORDS = {
    "wait": "wait: Spark logs the offsets and plans",
    "read": "read: sources",
    "run": "run: operators",
    "commit": "commit: state",
    "publish": "publish: the epoch",
    "deliver": "deliver: sinks",
}


def page(body: str, title: str, base: str = "", seconds: int = 2) -> str:
    """A whole page around a body.

    Args:
        body: as :func:`body` gives it.
        title: of the window.
        base: before the links to style sheet and script.
        seconds: how often the body is fetched again.
    """
    return (
        "<!doctype html>"
        '<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        '<meta name="color-scheme" content="light dark">'
        f"<title>{text(title)}</title>"
        f'<link rel="stylesheet" href="{text(base)}style.css">'
        f'<script defer src="{text(base)}page.js"></script>'
        f'</head><body data-seconds="{seconds}" data-from="{text(base)}body">'
        f'<main id="live">{body}</main></body></html>'
    )


def body(picture: Picture | str, store: StorePicture | str | None = None) -> str:
    """All that is shown.

    Args:
        picture: the pipeline, or why it cannot be shown.
        store: the state that was chosen, or why it cannot be shown.
    """
    if isinstance(picture, str):
        return _notice(picture)
    parts = [_head(picture), _tiles(picture)]
    parts += [f'<p class="note">{text(note)}</p>' for note in picture.notes]
    parts += [_views(picture), _flow(picture), _epochs(picture), _failing(picture)]
    parts += [_expectations(picture), _sources(picture), _lineage(picture)]
    parts += [_state(picture, store), _stores(picture), _hot(picture)]
    return "".join(parts)


def _notice(why: str) -> str:
    return f'<section class="card bad"><h2>Nothing to show yet</h2><p>{text(why)}</p></section>'


def _head(picture: Picture) -> str:
    at = datetime.fromtimestamp(picture.now_millis / 1000, UTC).strftime("%H:%M:%S UTC")
    run = "stopped, last run of" if picture.stopped else "run of"
    owner = f"<span>{run} {text(picture.owner)}</span>" if picture.owner else ""
    return (
        '<header><h1>Groundswell</h1><p class="where">'
        f'<span class="path">{text(picture.location)}</span>{owner}<span>seen {at}</span></p>'
        "</header>"
    )


def _tiles(picture: Picture) -> str:
    last = picture.last
    at_work = picture.lag_millis and not picture.stopped
    failed = [view for view in picture.views if view.aside]
    failing = sum(view.failing or 0 for view in picture.views)
    tiles = [
        ("epoch", f"{last.epoch:,}" if last else "none yet", _kept(picture), ""),
        ("freshness", span(last.freshness_millis) if last else "–", "batch to readable", ""),
        (
            "newest epoch",
            f"{span(picture.now_millis - last.published_millis)} ago" if last else "–",
            f"at work for {span(picture.lag_millis)}" if at_work else "nothing at work",
            "",
        ),
        (
            "rows in",
            rate(sum(s.rate for s in picture.sources)),
            f"over {span(picture.seconds * 1000)}",
            "",
        ),
        (
            "state",
            size(sum(s.bytes for s in picture.states)),
            row_count(sum(s.rows for s in picture.states)),
            "",
        ),
        ("failing rows", count(failing), "set aside now", "warn" if failing else "good"),
        (
            "failed views",
            str(len(failed)),
            f"of {len(picture.views)}",
            "bad" if failed else "good",
        ),
    ]
    return (
        '<div class="tiles">'
        + "".join(
            f'<div class="tile {kind}"><span>{text(name)}</span><b>{text(value)}</b>'
            f"<i>{text(under)}</i></div>"
            for name, value, under, kind in tiles
        )
        + "</div>"
    )


def _kept(picture: Picture) -> str:
    return f"readable from {picture.kept[0]:,}" if picture.kept else ""


def table(heads: Sequence[str], rows: Sequence[Sequence[str]], numbers: Sequence[int] = ()) -> str:
    """A table of cells that are HTML already; ``numbers``: columns that stand to the right.

    On narrow screens each row is a card, so each cell has the name of its column.
    """
    cells = "".join(
        "<tr>"
        + "".join(
            f'<td data-label="{text(head)}"{_class(i, numbers)}>{cell}</td>'
            for i, (head, cell) in enumerate(zip(heads, row, strict=True))
        )
        + "</tr>"
        for row in rows
    )
    names = "".join(f"<th{_class(i, numbers)}>{text(h)}</th>" for i, h in enumerate(heads))
    return f"<table><thead><tr>{names}</tr></thead><tbody>{cells}</tbody></table>"


def _class(column: int, numbers: Sequence[int]) -> str:
    return ' class="n"' if column in numbers else ""


def bar(share: float) -> str:
    """A progress bar, 0 to 1, with the figure beside it."""
    return f'<span class="bar"><progress max="1" value="{share:.4f}"></progress> {share:.0%}</span>'


def views_table(views: Sequence[ViewFacts], now_millis: int, stopped: bool = False) -> str:
    """The views with freshness, rows, fill, watermark and state.

    Args:
        views: what is known of each.
        now_millis: milliseconds since 1970.
        stopped: whether it is known that nothing maintains them any more.
    """
    return table(
        ("view", "state", "freshness", "rows", "size", "filled", "watermark", "set aside"),
        [
            (
                f"<b>{text(view.name)}</b>",
                _badge(view, stopped),
                text(span(view.freshness_millis)),
                text(count(view.rows)),
                text(size(view.bytes)),
                bar(view.filled),
                _mark(view.watermark_millis, now_millis),
                "–" if view.failing is None else text(row_count(view.failing)),
            )
            for view in views
        ],
        numbers=(2, 3, 4),
    )


def _badge(view: ViewFacts, stopped: bool) -> str:
    if view.aside:
        return '<em class="badge bad">failed</em>'
    if stopped:
        return '<em class="badge">stopped</em>'
    if view.filled < 1:
        return '<em class="badge warn">filling</em>'
    return '<em class="badge good">live</em>'


def _mark(millis: int | None, now_millis: int) -> str:
    if millis is None:
        return "–"
    at = datetime.fromtimestamp(millis / 1000, UTC).strftime("%Y-%m-%d %H:%M:%S")
    behind = now_millis - millis
    title = f"{span(behind)} behind" if behind >= 0 else "ahead of the clock"
    return f'<span title="{text(title)}">{text(at)}</span>'


def _views(picture: Picture) -> str:
    reasons = "".join(
        f'<p class="reason"><b>{text(v.name)}</b> {text(v.aside)}</p>'
        for v in picture.views
        if v.aside
    )
    reasons += "".join(
        f'<p class="reason"><b>{text(v.name)}</b> {text(v.refresh.get("policy"))}: '
        f"{text(v.refresh.get('choice'))}, for {text(v.refresh.get('reason'))}</p>"
        for v in picture.views
        if v.refresh
    )
    return _card("Views", views_table(picture.views, picture.now_millis, picture.stopped) + reasons)


def _flow(picture: Picture) -> str:
    if not picture.boxes:
        return ""
    told = (
        "Edges: rows a second. Boxes: rows and bytes of state, and the share of the time that all "
        "tasks took"
        + ("" if picture.exact else " (with what they read in the same stage)")
        + f", over the last {span(picture.counts.seconds * 1000)}."
    )
    return _card("Dataflow", f'<div class="wide">{svg.dataflow(picture.boxes)}</div>', told)


def _epochs(picture: Picture) -> str:
    if not picture.epochs:
        return ""
    key = "".join(f'<span class="key {name}">{text(WORDS[name])}</span>' for name in PHASES)
    rows = [
        (
            f"{e.epoch:,}",
            text(count(e.rows)),
            text(span(e.freshness_millis)),
            *(text(span(e.phases.get(name))) for name in PHASES),
            text(f"{e.late:,}"),
        )
        for e in reversed(picture.epochs[-8:])
    ]
    heads = ("epoch", "rows", "freshness", *PHASES, "late rows")
    return _card(
        "Epochs",
        f'<div class="wide">{svg.epochs(picture.epochs)}</div>'
        f'<p class="keys">{key}</p><details id="epochs"><summary>The last ones in figures'
        f"</summary>{table(heads, rows, range(10))}</details>",
        f"A bar an epoch, oldest first; {svg.heights(picture.epochs)}. Reading, running and "
        "committing go on side by side in tasks: the time of the job is shared out as the time of "
        "the tasks was.",
    )


def _failing(picture: Picture) -> str:
    parts = []
    for view, rows in picture.failing_rows.items():
        cells = [
            (
                f"<code>{text(row.get('expression', ''))}</code>",
                text(cut(row.get("error", ""), 200)),
                f"<code>{text(cut(row.get('row', ''), 160))}</code>",
            )
            for row in rows
        ]
        parts.append(f"<h3>{text(view)}</h3>{table(('expression', 'error', 'row'), cells)}")
    if not parts:
        return ""
    return _card("Failing rows", "".join(parts), "A few of the rows that are set aside now.")


def _expectations(picture: Picture) -> str:
    if not picture.counts.expectations:
        return ""
    rows = [
        (
            f"<b>{text(e.owner)}</b>",
            text(e.constraint),
            text(f"{e.passed:,}"),
            text(f"{e.failed:,}"),
            bar(e.passed / (e.passed + e.failed)) if e.passed + e.failed else "–",
        )
        for e in picture.counts.expectations
    ]
    return _card(
        "Expectations",
        table(("of", "constraint", "met", "not met", "share met"), rows, (2, 3)),
        f"Rows that changed in the last {span(picture.counts.seconds * 1000)}.",
    )


def _sources(picture: Picture) -> str:
    rows = [
        (
            f"<b>{text(s.name)}</b>",
            text(s.mode),
            text(rate(s.rate)),
            text(count(s.rows)),
            text(f"{s.late:,}"),
            _mark(s.watermark_millis, picture.now_millis),
            text(span(s.event_lag_millis)),
        )
        for s in picture.sources
    ]
    heads = ("source", "mode", "rate", "rows", "late", "watermark", "events behind")
    return _card("Sources", table(heads, rows, (2, 3, 4, 6)))


def _lineage(picture: Picture) -> str:
    rows = [
        (
            ", ".join(text(s) for s in view.sources) or "–",
            f"<b>{text(view.name)}</b>",
            ", ".join(text(s) for s in view.sinks) or "–",
        )
        for view in picture.views
    ]
    return _card("Lineage", table(("sources", "view", "sinks"), rows))


def _state(picture: Picture, store: StorePicture | str | None) -> str:
    rows = []
    for state in picture.states[:STATES_SHOWN]:
        links = " ".join(
            f'<a href="?state={quote(state.name, safe="")}&amp;partition={p}">{p}</a>'
            for p in range(min(state.partitions, 16))
        )
        rows.append(
            (
                f"<code>{text(state.name)}</code>",
                text(count(state.rows)),
                text(size(state.bytes)),
                f'<span class="links">{links}</span>',
            )
        )
    more = len(picture.states) - STATES_SHOWN
    inner = _store(store) + '<details id="states"><summary>All states</summary>'
    inner += table(("state", "rows", "size", "partitions"), rows, (1, 2))
    inner += f"<p>and {more} more</p>" if more > 0 else ""
    return _card(
        "State",
        inner + "</details>",
        "The levels of one partition, newest first: a rectangle a file. Without a choice, the "
        "largest state's first partition.",
    )


def _store(store: StorePicture | str | None) -> str:
    if store is None:
        return ""
    if isinstance(store, str):
        return f'<p class="reason">{text(store)}</p>'
    head = f"<h3><code>{text(store.state)}</code>, partition {store.partition}</h3>"
    if not store.levels:
        return f"{head}<p>It has no files yet.</p>"
    did = store.compaction
    told = (
        f"The last compaction came in with version {did.version:,}: {did.files_in} files "
        f"({size(did.bytes_in)}) became {did.files_out} ({size(did.bytes_out)})"
        f"{' in ' + ', '.join(did.levels) if did.levels else ''}."
        if did
        else f"No compaction in the last {store.looked_at} versions."
    )
    return f'{head}<div class="wide">{svg.store(store)}</div><p class="told">{text(told)}</p>'


def _stores(picture: Picture) -> str:
    counts = picture.counts
    if not counts.stores:
        return ""
    rows = [
        (
            f"<b>{text(s.title)}</b>",
            text(f"{s.use.lookups:,}"),
            text(f"{s.use.filter_negatives:,}"),
            text(f"{s.use.filter_false_positives:,}"),
            text(f"{s.use.compactions:,}"),
            text(size(s.use.compaction_bytes)),
        )
        for s in counts.stores
    ]
    heads = ("operator", "reads", "spared by filters", "let pass wrongly", "compactions", "written")
    hits, misses = counts.cache
    return _card(
        "Reads and compactions",
        f'<details id="stores"><summary>By operator</summary>{table(heads, rows, range(1, 6))}'
        "</details>",
        f"Over the last {span(picture.counts.seconds * 1000)}. Blocks: {hits:,} found in memory, "
        f"{misses:,} read from storage.",
    )


def _hot(picture: Picture) -> str:
    if not picture.hot_keys:
        return ""
    rows = [
        (f"<b>{text(name)}</b>", f"<code>{hashed}</code>", text(f"about {rows:,}"))
        for name, pairs in picture.hot_keys.items()
        for hashed, rows in pairs
        if rows
    ]
    inner = table(("index", "hash of the key", "rows"), rows, (1, 2)) if rows else "<p>None.</p>"
    return _card(
        "Hot keys", inner, "Keys of shared indexes with the most rows, as the indexes count them."
    )


def _card(title: str, inner: str, told: str = "") -> str:
    under = f'<p class="told">{text(told)}</p>' if told else ""
    return f'<section class="card"><h2>{text(title)}</h2>{under}{inner}</section>'
