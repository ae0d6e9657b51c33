"""A running query as a table in a notebook, from the page's renderer; live where that can be."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Protocol

from groundswell.runtime.barriers.progress import Progress
from groundswell.runtime.query import IncrementalQuery
from groundswell.runtime.record.manifests import LOADED
from groundswell.ui import render, svg
from groundswell.ui.model import DIVERTED, EpochFacts, ViewFacts
from groundswell.ui.units import rate, row_count, size, span, text

EVERY_SECONDS = 1.0

LONG_SECONDS = 2.0
"""A barrier that takes longer is shown while it runs."""


class Query(Protocol):
    """What is shown of a query."""

    @property
    def views(self) -> tuple[str, ...]:
        """Names of its views."""

    @property
    def isActive(self) -> bool:
        """Whether it runs."""

    @property
    def recentProgress(self) -> list[Progress]:
        """Its last barriers."""

    @property
    def status(self) -> dict[str, Any]:
        """What its location has: ``epoch``, and by name of a view its ``epoch`` and ``rows``."""


@cache
def _style() -> str:
    """The page's style, for what is inside one element."""
    css = (Path(__file__).parent / "static" / "notebook.css").read_text("utf-8")
    return f"<style>{css}</style>"


def html(query: Query, explanation: str = "") -> str:
    """A query as it is now.

    Args:
        query: what is shown.
        explanation: its plans, folded away.
    """
    recent = query.recentProgress
    last = recent[-1] if recent else None
    state = "running" if query.isActive else "stopped"
    words = [f"<b>{state}</b>"]
    if last is None:
        epoch = query.status["epoch"]
        words.append("before its first epoch" if epoch is None else f"epoch {epoch:,}")
    else:
        words += [
            text(word)
            for word in (
                f"epoch {last['epoch']:,}",
                f"{row_count(last['inputRows'])} in ({rate(_rate(recent))})",
                f"freshness {span(last['freshnessMillis'])}",
                f"state {size(last['stateBytes'])}",
            )
        ]
        if (loading := last.get("loading")) is not None:
            words.append(f"{loading:.0f} % of the first load")
        if filling := last.get("filling"):
            told = f"{filling['percent']} %, {rate(filling['rowsPerSecond'])}"
            words.append(text(f"filling {', '.join(filling['views'])}: {told}"))
    barrier = query.status.get("barrier") if query.isActive else None
    if barrier is not None and barrier["seconds"] >= LONG_SECONDS:
        percent = "" if barrier["percent"] is None else f"{barrier['percent']} %, "
        words.append(f"computes epoch {barrier['epoch']:,}: {percent}{barrier['seconds']:.0f} s")
    now = time.time_ns() // 1_000_000
    plan = f"<details><summary>plan</summary><pre>{text(explanation)}</pre></details>"
    facts = [_epoch(p) for p in recent[-60:]]
    chart = svg.epochs(facts) + svg.scale(facts) if facts else ""
    table = render.views_table(views(query), now, stopped=not query.isActive)
    return (
        f'{_style()}<div class="groundswell"><p>{" · ".join(words)}</p>'
        f"{table}{chart}{plan if explanation else ''}</div>"
    )


def views(query: Query) -> list[ViewFacts]:
    """The views of a query after its newest barrier; before its first one, as its location has."""
    recent = query.recentProgress
    last = recent[-1] if recent else None
    held = {op["view"]: op for op in last["operators"] if "view" in op} if last else {}
    aside = last["aside"] if last else {}
    marks = (
        [t["watermark"] for t in last["eventTimes"].values() if "watermark" in t] if last else []
    )
    loading = last.get("loading") if last else None
    share = 1.0 if loading is None else loading / LOADED
    found = []
    told = query.status["views"] if last is None else {}
    there = {
        name: {"stateRows": of["rows"]} for name, of in told.items() if of["epoch"] is not None
    }
    for name in dict.fromkeys([*query.views, *aside]):
        op = held.get(name) or there.get(name, {})
        diverted = held.get(name + DIVERTED)
        found.append(
            ViewFacts(
                name,
                op.get("stateRows", 0),
                op.get("stateBytes", 0),
                share if op or name in aside else 0.0,
                last["freshnessMillis"] if last and op and loading is None else None,
                min(marks) // 1000 if marks else None,
                diverted["stateRows"] if diverted else None,
                aside[name]["reason"] if name in aside else None,
                (),
                (),
            )
        )
    return found


def _rate(recent: Sequence[Progress]) -> float:
    rows = sum(p["inputRows"] for p in recent[-10:])
    millis = sum(max(p["barrierMillis"], p["freshnessMillis"]) for p in recent[-10:])
    return float(rows / max(millis / 1000, 0.001))


def _epoch(progress: Progress) -> EpochFacts:
    phases = {"run": progress["computeMillis"], "deliver": progress["deliverMillis"]}
    return EpochFacts(
        progress["epoch"], 0, progress["freshnessMillis"], progress["inputRows"], phases
    )


def show(query: Query, explain: Callable[[], str] = str) -> bool:
    """Shows a query in the notebook that runs now, and keeps it up to date while it runs.

    Returns:
        False if this is no notebook; nothing was shown.
    """
    if find_spec("IPython") is None:
        return False
    shell: Any = import_module("IPython").get_ipython()
    if shell is None or getattr(shell, "kernel", None) is None:
        return False
    display: Any = import_module("IPython.display")
    handle = display.display(display.HTML(html(query, explain())), display_id=True)

    def refresh() -> None:
        active = True
        while active:
            time.sleep(EVERY_SECONDS)
            active = query.isActive
            handle.update(display.HTML(html(query, explain())))

    threading.Thread(target=refresh, daemon=True, name="groundswell-notebook").start()
    return True


def install() -> None:
    """Has queries show themselves so."""
    IncrementalQuery.drawn_by(html, show)
