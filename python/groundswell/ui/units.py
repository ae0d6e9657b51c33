"""Numbers and names as people read them, escaped."""

from __future__ import annotations

import html


def text(value: object) -> str:
    """Any name or message, as text of HTML: nothing of it is taken for markup."""
    return html.escape(str(value), quote=True)


def cut(value: str, most: int) -> str:
    """At most so many characters."""
    return value if len(value) <= most else value[: most - 1] + "…"


def count(value: float) -> str:
    """``1234567`` -> ``1.23 M``."""
    for limit, unit in ((1e9, "G"), (1e6, "M"), (1e4, "k")):
        if abs(value) >= limit:
            return f"{value / (1e3 if unit == 'k' else limit):.3g} {unit}"
    return f"{value:,.0f}"


def row_count(number: float) -> str:
    """``1 row``, ``1.23 M rows``."""
    return f"{count(number)} {'row' if number == 1 else 'rows'}"


def rate(value: float) -> str:
    """Rows a second."""
    return f"{value:.1f}/s" if 0 < value < 10 else f"{count(value)}/s"


def size(value: float) -> str:
    """``1536`` -> ``1.5 KiB``."""
    for unit in ("B", "KiB", "MiB", "GiB"):
        if value < 1024 or unit == "GiB":
            return f"{value:.0f} B" if unit == "B" else f"{value:.1f} {unit}"
        value /= 1024
    raise AssertionError


def span(millis: float | None) -> str:
    """A time that passed: ``1500`` -> ``1.5 s``."""
    if millis is None:
        return "–"
    if millis < 1000:
        return f"{millis:.0f} ms"
    seconds = millis / 1000
    for limit, unit, of in ((120, "s", 1), (7200, "min", 60), (172800, "h", 3600)):
        if seconds < limit:
            value = seconds / of
            return f"{value:.1f} {unit}" if value < 10 else f"{value:.0f} {unit}"
    return f"{seconds / 86400:.0f} days"
