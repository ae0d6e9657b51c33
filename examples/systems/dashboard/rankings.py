"""The rankings, as the ORM reads them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dashboard.models import Item, TopAverages, TopItems, TopSold, TopStates, TopStories

Bars = list[tuple[str, float]]


def names(bars: Bars) -> Bars:
    """Items by their names, which are in the shop's own database."""
    known = dict(Item.objects.filter(pk__in=[i for i, _ in bars]).values_list("itemid", "name"))
    return [(known.get(int(i), f"item {i}"), value) for i, value in bars]


def bars(rows: Any) -> Bars:
    return [(str(label), float(value)) for label, value in rows]


def _states() -> Bars:
    return bars(TopStates.objects.values_list("state", "turnover"))


def _averages() -> Bars:
    return names(bars(TopAverages.objects.values_list("itemid", "quantity")))


def _sold() -> Bars:
    return names(bars(TopSold.objects.values_list("itemid", "quantity")))


def _items() -> Bars:
    return names(bars(TopItems.objects.values_list("itemid", "turnover")))


def _stories() -> Bars:
    return bars(TopStories.objects.values_list("title", "vcount"))


Ranking = tuple[str, str, Callable[[], Bars]]
PAGES: dict[str, tuple[str, list[Ranking]]] = {
    "orders": (
        "Orders",
        [
            ("Top 5 states by turnover", "$", _states),
            ("Top 5 items by turnover", "$", _items),
            ("Top 5 items by quantity sold", "", _sold),
            ("Top 5 items by average quantity in an order", "", _averages),
        ],
    ),
    "stories": ("Stories", [("Top 10 stories by votes", "", _stories)]),
}


def charts(page: str) -> list[dict[str, Any]]:
    """Title, unit and bars of each chart of a page."""
    return [
        {"title": title, "unit": unit, "bars": query()} for title, unit, query in PAGES[page][1]
    ]
