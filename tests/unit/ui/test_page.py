"""What a page shows of a location, and that nothing in it is taken for markup."""

import os
import platform
import re
import time
from html.parser import HTMLParser
from pathlib import Path

import pytest

from groundswell.errors import ConfigurationError
from groundswell.ui import render, svg, titles
from groundswell.ui.documents import PipelineReader, frequent_pairs
from groundswell.ui.layout import HEIGHT, WIDTH, place
from groundswell.ui.model import Box, EpochFacts
from groundswell.ui.units import count, size, span
from unit.ui.location import SCRIPT, START, epoch, make, write

NOW = START + 4000


class Tags(HTMLParser):
    """The elements of a page; fails where one is not closed."""

    VOID = frozenset({"meta", "link"})

    def __init__(self, page: str) -> None:
        super().__init__()
        self.seen: list[str] = []
        self.open: list[str] = []
        self.feed(page)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert not any(name.startswith("on") or name == "style" for name, _ in attrs), attrs
        self.seen.append(tag)
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_where_the_time_of_an_epoch_went(tmp_path: Path) -> None:
    picture = PipelineReader(make(tmp_path)).picture(NOW)
    first, last = picture.epochs[0], picture.epochs[-1]
    # Of 100 ms of tasks 20 read and 30 committed, so of the job's 78 ms 15.6 and 23.4.
    assert first.phases == {
        "wait": 10,
        "read": pytest.approx(15.6),
        "run": pytest.approx(80 - 15.6 - 23.4),
        "commit": pytest.approx(23.4),
        "publish": 3,
        "deliver": 4,
    }
    assert "publish" not in last.phases  # the epoch after it would tell
    assert (first.freshness_millis, first.rows, first.late) == (100, 1000, 2)


def test_the_slow_operator_and_the_lineage(tmp_path: Path) -> None:
    picture = PipelineReader(make(tmp_path)).picture(NOW)
    boxes = {box.title: box for box in picture.boxes}
    assert [title for title, box in boxes.items() if box.slow] == ["aggregate"]
    assert boxes["aggregate"].busy == pytest.approx(0.75)
    assert boxes["pages"].inputs == ("1",)  # through the projection, whose text it has
    assert "Project (page)" in boxes["pages"].text
    assert boxes["out"].inputs == ("3",)
    (view,) = picture.views
    assert (view.sources, view.sinks, view.rows) == (("clicks",), ("out (kafka)",), 20)
    (source,) = picture.sources
    assert source.event_lag_millis == 5000


def test_expectations_and_what_stores_did_are_on_the_page(tmp_path: Path) -> None:
    picture = PipelineReader(make(tmp_path)).picture(NOW)
    page = render.body(picture)
    for cell in ("positive", "165", "15", "92%", "270 found in memory, 30 read from storage"):
        assert cell in page
    assert "12.3 kB" in page or "12 KiB" in page or "12.0 KiB" in page
    assert all(e.diverted == 0 for e in picture.epochs), "an expectation's rows are no failing ones"


def test_a_first_load_says_how_far_it_is_and_nothing_of_it_is_fresh(tmp_path: Path) -> None:
    location = make(tmp_path)
    name = f"epochs/{3:020}-{1:020}.json"
    write(tmp_path, name, "epoch", epoch(3, "pages", loaded=37.0))
    (view,) = PipelineReader(location).picture(NOW).views
    assert (view.filled, view.freshness_millis) == (0.37, None)
    write(tmp_path, name, "epoch", epoch(3, "pages", loaded=100.0))
    (view,) = PipelineReader(location).picture(NOW).views
    assert (view.filled, view.freshness_millis) == (1.0, 100)


def test_a_page_is_well_formed_and_links_nothing_outside(tmp_path: Path) -> None:
    body = render.body(PipelineReader(make(tmp_path)).picture(NOW))
    page = render.page(body, "Groundswell")
    assert {"table", "svg", "progress", "details"} <= set(Tags(page).seen)
    assert "http:" not in page and "https:" not in page and "//" not in page


@pytest.mark.parametrize("name", [SCRIPT, "\"' onload=x", "&lt;b&gt;", "</svg><script>", "a\nb"])
def test_names_are_never_markup(tmp_path: Path, name: str) -> None:
    aside = {"because": name, "reason": name, "since_millis": START, "commits": []}
    where = tmp_path / "<script>x"
    location = make(where, view=name, aside={name: aside})
    reader = PipelineReader(location)
    page = render.page(render.body(reader.picture(NOW), name), name)
    assert Tags(page).seen.count("script") == 1  # our own
    assert "alert(1)" not in page or "&lt;script&gt;alert(1)" in page
    Tags(render.page(render.body(name), name))


def test_a_view_that_failed_says_why_and_how_old_it_is(tmp_path: Path) -> None:
    aside = {"because": "pages", "reason": "1 / 0", "since_millis": NOW - 60_000, "commits": []}
    picture = PipelineReader(make(tmp_path, aside={"pages": aside})).picture(NOW)
    (view,) = picture.views
    assert view.aside is not None and "1 / 0" in view.aside
    assert "1 / 0" in render.body(picture)


def test_what_the_policy_of_a_view_came_to_is_shown_as_text(tmp_path: Path) -> None:
    location = make(tmp_path)
    told = {"policy": "AUTO", "choice": "full", "reason": "9 of 10 rows change & <more>"}
    name = "epochs/00000000000000000003-00000000000000000001.json"
    record = epoch(3, "pages", refresh={"views": {"pages": told}})
    write(tmp_path, name, "epoch", record)
    picture = PipelineReader(location).picture(NOW)
    assert picture.views[0].refresh == told
    assert "AUTO: full, for 9 of 10 rows change &amp; &lt;more&gt;" in render.body(picture)


def test_a_view_that_is_filled_and_a_batch_at_work(tmp_path: Path) -> None:
    location = make(tmp_path)
    write(
        tmp_path,
        "epochs/00000000000000000003-00000000000000000001.json",
        "epoch",
        {**epoch(3, "pages"), "views": {}},
    )
    (tmp_path / "offsets").mkdir()
    entry = f'v1\n{{"batchTimestampMs":{NOW - 700}}}\n'
    (tmp_path / "offsets" / "4").write_text(entry)
    picture = PipelineReader(location).picture(NOW)
    assert [view.filled for view in picture.views] == [0.0]
    assert "filling" in render.body(picture)
    assert picture.lag_millis == 700


def test_a_pipeline_before_its_first_epoch_has_a_page(tmp_path: Path) -> None:
    location = make(tmp_path)
    for document in (tmp_path / "groundswell" / "epochs").iterdir():
        document.unlink()
    picture = PipelineReader(location).picture(NOW)
    assert picture.epochs == ()
    assert "pages" in render.body(picture)


def test_a_view_that_was_dropped_is_gone_before_the_next_epoch(tmp_path: Path) -> None:
    location = make(tmp_path)
    write(
        tmp_path,
        "definition-00000000000000000002.json",
        "definition",
        {"views": {"other": []}, "sources": {}, "pinned": {}, "partitions": 1, "layouts": {}},
    )
    assert [view.name for view in PipelineReader(location).picture(NOW).views] == ["other"]


def test_a_location_without_views_and_one_of_an_older_release(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="not the checkpointLocation"):
        PipelineReader(str(tmp_path)).picture()
    location = make(tmp_path)
    (tmp_path / "groundswell" / "graph-00000000000000000001.json").unlink()
    picture = PipelineReader(location).picture(NOW)
    assert picture.boxes == () and "older release" in render.body(picture)


def test_boxes_stand_right_of_their_inputs() -> None:
    boxes = [
        Box(name, "operator", name, "", 0, inputs=inputs)
        for name, inputs in (("a", ()), ("b", ()), ("c", ("a", "b")), ("d", ("c", "a")))
    ]
    placed = place(boxes).boxes
    for box in boxes:
        assert all(placed[below].x < placed[box.id].x for below in box.inputs)
    assert len({(p.x, p.y) for p in placed.values()}) == 4


def chain(layers: int, wide: int = 1) -> list[Box]:
    """So many layers of so many boxes, each reading all of the layer before."""
    made: list[Box] = []
    for layer in range(layers):
        below = tuple(b.id for b in made[-wide:]) if layer else ()
        made += [Box(f"{layer}-{i}", "operator", "t", "", 1.0, inputs=below) for i in range(wide)]
    return made


@pytest.mark.parametrize(("layers", "wide"), [(1, 1), (5, 3), (6, 1), (14, 2), (4, 9), (12, 11)])
def test_a_dataflow_fits_into_the_page(layers: int, wide: int) -> None:
    """Whose content is 1208 pixels wide on a screen of 1280."""
    boxes = chain(layers, wide)
    drawn = place(boxes)
    assert drawn.width <= 1208
    spots = drawn.boxes.values()
    assert len({(p.x, p.y) for p in spots}) == len(boxes)
    assert all(0 <= p.x <= drawn.width - WIDTH and 0 <= p.y <= drawn.height - HEIGHT for p in spots)
    for p in spots:
        for below in p.box.inputs:
            before = drawn.boxes[below]
            assert before.y < p.y if drawn.down else before.x < p.x


@pytest.mark.parametrize(
    ("op", "text", "title"),
    [
        ("normalize", "Source orders (upserts)", ("upserts of orders", "")),
        ("join", "Join inner on o.k = c.k; Filter (o.k IS NOT NULL)", ("join by k", "")),
        ("join", "Join left outer on a.id = b.of where (a.v < b.v)", ("left join by id = of", "")),
        ("join", "Join left semi on a.k = b.k and a.j = b.j", ("semi join by k, j", "")),
        ("temporal_join", "Temporal join inner on a.k = b.k", ("temporal join by k", "")),
        ("aggregate", "Aggregate by (k) (count(1), sum(o.v))", ("group by k", "count(1), sum(v)")),
        ("aggregate", "Aggregate by (k) (sum(o.v), max(o", ("group by k", "sum(v), max(o")),
        ("aggregate", "Aggregate global (max(t.v))", ("aggregate of all rows", "max(v)")),
        ("aggregate", "Distinct by (k, g)", ("distinct k, g", "")),
        ("top_n", "TopN (total DESC) limit 5; Aggregate by (p)", ("top 5 by total DESC", "")),
        ("window", "Window by (o.c) order (o.a DESC) (RANK() OVER (PARTITION BY o.c))",
         ("rank by c", "")),
        ("window_close", "Window close on at", ("window close", "Window close on at")),
        ("net", "", ("net", "")),
    ],
)  # fmt: skip
def test_a_box_says_what_it_does(op: str, text: str, title: tuple[str, str]) -> None:
    assert titles.of(op, text) == title


def bars(*millis: float) -> list[EpochFacts]:
    return [EpochFacts(i, 0, 0, 1, {"run": m}) for i, m in enumerate(millis)]


def test_one_long_epoch_does_not_flatten_the_others() -> None:
    """A first barrier of a minute beside ones of 20 ms."""
    heights = [
        float(h) for h in re.findall(r'height="([\d.]+)"/>', svg.epochs(bars(60_000, 20, 20)))
    ]
    assert heights[0] == pytest.approx(146, abs=1)
    assert heights[1] > 30
    assert "half its height is 244 ms" in svg.heights(bars(60_000, 20, 20))
    even = [float(h) for h in re.findall(r'height="([\d.]+)"/>', svg.epochs(bars(100, 50, 50)))]
    assert even == pytest.approx([146, 73, 73])
    assert svg.heights(bars(100, 50, 50)) == "the tallest took 100 ms"
    assert svg.epochs([]).startswith("<svg")


def test_frequent_keys_are_read_as_the_index_writes_them() -> None:
    value = b"\1" + b"".join(n.to_bytes(4, "big", signed=True) for n in (-7, 3, 9, 1))
    assert frequent_pairs(value) == [(-7, 192), (9, 64)]


def test_numbers_as_people_read_them() -> None:
    assert [span(ms) for ms in (None, 5, 1500, 90_000, 7_200_000)] == [
        "–", "5 ms", "1.5 s", "90 s", "2.0 h",
    ]  # fmt: skip
    assert [size(n) for n in (12, 1536, 5 << 20)] == ["12 B", "1.5 KiB", "5.0 MiB"]
    assert [count(n) for n in (999, 12_345, 1_234_567)] == ["999", "12.3 k", "1.23 M"]


def test_a_run_that_has_ended_is_stopped_on_the_page(tmp_path: Path) -> None:
    """After ``stop()``, or the end of its process, views were "live" for ever."""
    location = make(tmp_path)
    claim = {"token": 1, "run": "shop", "host": "elsewhere", "pid": 7, "sinceMillis": START}
    write(tmp_path, f"owners/{1:020d}.json", "owner", claim)

    def page() -> str:
        return render.body(PipelineReader(location).picture(NOW))

    (tmp_path / "offsets").mkdir()
    entry = f'v1\n{{"batchTimestampMs":{NOW - 700}}}\n'
    newest = PipelineReader(location).picture(NOW).epochs[-1].epoch
    (tmp_path / "offsets" / str(newest + 1)).write_text(entry)
    assert "at work for" in page()
    assert "run of shop on elsewhere, pid 7" in page()
    assert ">live<" in page() and "stopped" not in page()
    write(tmp_path, f"owners/{1:020d}.json", "owner", {**claim, "ended": True})
    assert "stopped, last run of shop on elsewhere, pid 7" in page()
    assert ">stopped<" in page() and ">live<" not in page() and "at work for" not in page()
    here = {**claim, "host": platform.node(), "pid": os.getpid(), "sinceMillis": time.time() * 1000}
    write(tmp_path, f"owners/{2:020d}.json", "owner", {**here, "token": 2})
    assert ">live<" in page()
    write(tmp_path, f"owners/{3:020d}.json", "owner", {**here, "token": 3, "sinceMillis": 1})
    assert ">stopped<" in page(), "its number went to another process"
