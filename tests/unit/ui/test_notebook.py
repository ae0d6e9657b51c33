"""A query as a table in a notebook."""

import sys
import time
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from groundswell.ui import notebook
from unit.ui.location import SCRIPT
from unit.ui.test_page import Tags


class Query:
    """One view after one barrier, and one that is not there yet."""

    def __init__(self) -> None:
        self.views = (SCRIPT, "later")
        self.isActive = True
        self.recentProgress: list[dict[str, Any]] = []
        self.status: dict[str, Any] = {"epoch": None, "views": {}}

    def barrier(self, epoch: int) -> None:
        self.recentProgress.append(
            {
                "epoch": epoch,
                "inputRows": 1000,
                "freshnessMillis": 120,
                "barrierMillis": 100,
                "computeMillis": 80,
                "deliverMillis": 5,
                "stateBytes": 2048,
                "eventTimes": {"s": {"watermark": 1_795_568_000_000_000}},
                "aside": {"broken": {"epoch": 1, "reason": "1 / 0", "because": "broken"}},
                "operators": [
                    {"id": 1, "view": SCRIPT, "stateRows": 7, "stateBytes": 100},
                    {"id": 2, "view": f"{SCRIPT}_diverted", "stateRows": 2, "stateBytes": 9},
                ],
            }
        )


def test_before_the_first_epoch_nothing_is_filled() -> None:
    query = Query()
    assert [view.filled for view in notebook.views(query)] == [0.0, 0.0]
    page = notebook.html(query)
    Tags(page)
    assert "before its first epoch" in page and "filling" in page


def test_a_start_without_news_shows_what_the_location_has() -> None:
    query = Query()
    query.status = {"epoch": 41, "views": {SCRIPT: {"epoch": 41, "rows": 7}}}
    assert [(view.rows, view.filled) for view in notebook.views(query)] == [(7, 1.0), (0, 0.0)]
    page = notebook.html(query)
    assert "epoch 41" in page and ">live<" in page and ">filling<" in page
    query.isActive = False
    page = notebook.html(query)
    assert ">stopped<" in page and ">live<" not in page


def test_views_rows_and_failures() -> None:
    query = Query()
    query.barrier(3)
    first, later, broken = notebook.views(query)
    assert (first.rows, first.filled, first.failing) == (7, 1.0, 2)
    assert (later.filled, broken.aside) == (0.0, "1 / 0")
    page = notebook.html(query, "a <plan>")
    Tags(page)
    assert "epochs 3 to 3; the tallest took" in page and '<i class="phase run"></i>run' in page
    assert "epoch 3" in page and SCRIPT not in page and "a &lt;plan&gt;" in page


def test_a_first_load_says_how_far_it_is() -> None:
    query = Query()
    query.barrier(3)
    query.recentProgress[-1]["loading"] = 37.4
    first = notebook.views(query)[0]
    assert (first.filled, first.freshness_millis) == (0.374, None)
    page = notebook.html(query)
    assert "37 % of the first load" in page
    assert ">filling<" in page


def test_it_is_kept_up_to_date_until_the_query_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[str] = []
    shell = SimpleNamespace(kernel=object())
    handle = SimpleNamespace(update=shown.append)
    module, display = ModuleType("IPython"), ModuleType("IPython.display")
    vars(module).update(get_ipython=lambda: shell, __spec__=SimpleNamespace())
    vars(display).update(HTML=str, display=lambda page, **_: (shown.append(page), handle)[1])
    monkeypatch.setitem(sys.modules, "IPython", module)
    monkeypatch.setitem(sys.modules, "IPython.display", display)
    monkeypatch.setattr(notebook, "EVERY_SECONDS", 0.01)
    query = Query()
    assert notebook.show(query)
    query.barrier(4)
    query.isActive = False
    until = time.monotonic() + 10
    while len(shown) < 2 and time.monotonic() < until:
        time.sleep(0.01)
    assert "stopped" in shown[-1] and "epoch 4" in shown[-1]
    shell.kernel = None
    assert not notebook.show(query)
