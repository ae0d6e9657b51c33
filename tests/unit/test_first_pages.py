"""The pages that a reader meets first: what they show fits the site, and does not collide."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

import groundswell as gs

ROOT = Path(__file__).parents[2]
PAGES = ("README.md", "docs/index.md", "docs/tutorial.md", "docs/sql-tutorial.md")
MOST = 85
"""Characters that a block of code has room for in a window of 1280 px."""
CODE = re.compile(r"```(?:python|sql)\n(.*?)```", re.DOTALL)


@pytest.mark.parametrize("page", PAGES)
def test_lines_of_code_fit_the_site(page: str) -> None:
    lines = "".join(CODE.findall((ROOT / page).read_text("utf-8"))).splitlines()
    assert lines, "a page without code is not looked at"
    assert [line for line in lines if len(line) > 75] == []


def test_no_line_of_code_is_cut_off_on_the_site() -> None:
    pages = [*(ROOT / "docs").glob("*.md"), *(ROOT / "docs" / "how-to").glob("*.md")]
    found = {
        str(page): long
        for page in pages
        if (long := [
            line
            for line in "".join(CODE.findall(page.read_text("utf-8"))).splitlines()
            if len(line) > MOST
        ])
    }  # fmt: skip
    assert pages
    assert found == {}


def test_each_page_has_folders_of_its_own() -> None:
    pages = [CODE.findall((ROOT / page).read_text("utf-8")) for page in PAGES]
    del pages[1]  # the site begins with the program of the README
    pages.append([(ROOT / "examples" / "tour.ipynb").read_text("utf-8")])
    folders = [set(re.findall(r"/tmp/[\w-]+", "".join(code))) for code in pages]
    assert all(folders)
    assert len(set.union(*folders)) == sum(map(len, folders))


def test_the_site_begins_with_the_program_of_the_readme() -> None:
    first = [CODE.findall((ROOT / page).read_text("utf-8")) for page in PAGES[:2]]
    assert first[0][:5] == first[1][:5]


def test_each_how_to_says_what_its_session_and_its_location_are() -> None:
    looked_at = 0
    for page in sorted((ROOT / "docs" / "how-to").glob("*.md")):
        text = page.read_text("utf-8")
        code = "".join(re.findall(r"```\w*\n(.*?)```", text, re.DOTALL))
        if re.search(r"\(spark, |\blocation\b", code) and "spark = " not in code:
            looked_at += 1
            assert "`spark` is a session" in text and "`location` is the folder" in text, page.name
    assert looked_at >= 8


def test_the_site_has_its_pages_as_markdown_and_a_list_of_them(tmp_path: Path) -> None:
    subprocess.run([sys.executable, str(ROOT / "tools" / "llms.py"), str(tmp_path)], check=True)
    listed = re.findall(r"^- \[.+?\]\((.+?)\)", (tmp_path / "llms.txt").read_text(), re.MULTILINE)
    navigation = (ROOT / "mkdocs.yml").read_text("utf-8")
    assert listed == re.findall(r": ([\w./-]+\.md)$", navigation, re.MULTILINE)
    for page in listed:
        assert (tmp_path / page).read_bytes() == (ROOT / "docs" / page).read_bytes()
    assert "- [Tutorial](tutorial.md): You build a small vote counter." in (
        tmp_path / "llms.txt"
    ).read_text("utf-8")


@pytest.mark.parametrize(
    ("kind", "shown", "hidden"),
    [
        (gs.Pipeline, {"table", "view", "start"}, {"program", "INSIDE"}),
        (gs.IncrementalQuery, {"view", "change", "stop"}, {"runs", "apply", "drawn_by"}),
        (gs.Table, {"insert", "upsert", "delete", "name", "df"}, {"source", "noted", "is_kept"}),
    ],
)
def test_completion_offers_what_people_call(kind: type, shown: set[str], hidden: set[str]) -> None:
    made = kind.__new__(kind)
    vars(made).update(dict.fromkeys(("name", "df", "source", "noted", "_private")))
    found = {name for name in dir(made) if not name.startswith("__")}
    assert shown <= found
    assert not (hidden | {"_private"}) & found


def test_the_package_offers_no_names_that_it_imports_itself() -> None:
    found = dir(gs)
    assert {"pipeline", "view_to_arrow", "configure"} <= {*found}
    assert all(hasattr(gs, name) for name in found)
    assert not {"Any", "import_module", "find_spec", "install_sql", "listing"} & {*found}
