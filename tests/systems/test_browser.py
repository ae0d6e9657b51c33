"""The page in a real browser: it runs its script, refreshes, and takes no name for markup."""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from groundswell.ui import server as server_module
from groundswell.ui.server import Answer, Pages, Server
from systems.chromium import browse, chromium
from unit.ui.location import SCRIPT, epoch, make, write

pytestmark = pytest.mark.systems


@pytest.fixture
def location(tmp_path: Path) -> Path:
    chromium()
    make(tmp_path / "c", view=SCRIPT.replace("alert(1)", "document.title='taken'"))
    return tmp_path / "c"


@pytest.fixture
def server(location: Path) -> Iterator[Server]:
    serving = Server(str(location), token="").start()
    yield serving
    serving.stop()


def test_it_is_drawn_and_refreshes_and_runs_no_name(
    tmp_path: Path, location: Path, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer = Pages.answer

    def then_an_epoch(pages: Pages, path: str, query: Mapping[str, str]) -> Answer | None:
        given = answer(pages, path, query)
        if path == "/":
            later = "epochs/00000000000000000003-00000000000000000001.json"
            write(location, later, "epoch", epoch(3, "x", sources={"clicks": 7_000_000}))
        return given

    monkeypatch.setattr(Pages, "answer", then_an_epoch)
    monkeypatch.setattr(server_module, "MEMORY_SECONDS", 0)
    page = browse(tmp_path, "--virtual-time-budget=9000", "--dump-dom", server.address)
    assert "<title>Groundswell</title>" in page  # not what the view's name would set
    assert page.count("<script") == 1
    assert 'class="lost"' not in page
    assert "7 M" in page  # of an epoch that came after the page was loaded


MEASURE = "document.documentElement.dataset.wide = document.documentElement.scrollWidth;"


@pytest.mark.parametrize("width", [1280, 500])  # no window of Chromium is narrower
def test_nothing_is_wider_than_the_window(
    tmp_path: Path, server: Server, width: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    static = server_module.static
    monkeypatch.setattr(
        server_module, "static", lambda name: static(name) + (MEASURE if "js" in name else "")
    )
    page = browse(tmp_path, f"--window-size={width},1400", "--dump-dom", server.address)
    wide = re.search(r'data-wide="(\d+)"', page)
    assert wide is not None and int(wide[1]) <= width


BEYOND = """
for (const box of document.querySelectorAll('.flow .box')) {
  const edge = box.querySelector(':scope > rect');
  const right = edge.x.baseVal.value + edge.width.baseVal.value;
  for (const words of box.querySelectorAll('text')) {
    const within = words.closest('.box > svg');
    const clipped = within && getComputedStyle(within).overflow == 'hidden';
    const end = clipped ? within.x.baseVal.value + within.width.baseVal.value
      : words.getBBox().x + words.getBBox().width;
    if (end > right) document.documentElement.dataset.beyond = words.textContent;
  }
}
document.documentElement.dataset.boxes = document.querySelectorAll('.flow .box').length;
"""


def test_no_title_reaches_beyond_its_box(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    chromium()
    make(tmp_path / "c", view="W" * 60)
    static = server_module.static
    monkeypatch.setattr(
        server_module, "static", lambda name: static(name) + (BEYOND if "js" in name else "")
    )
    serving = Server(str(tmp_path / "c"), token="").start()
    try:
        page = browse(tmp_path, "--window-size=1280,1400", "--dump-dom", serving.address)
    finally:
        serving.stop()
    assert re.search(r'data-boxes="[1-9]', page)
    assert re.search(r'data-beyond="[^"]*"', page) is None
