"""The pages that a reader meets first: what they show fits the site, and does not collide."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

import groundswell as gs

ROOT = Path(__file__).parents[2]
PAGES = ("README.md", "docs/index.md", "docs/tutorial.md", "docs/sql-tutorial.md")
ALL = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]
MOST = 75
"""Characters that a block of code has room for beside the site's menu, and on a small window."""
SHOWN = re.compile(r"^( *)```(\w*)\n(.*?)^ *```$", re.DOTALL | re.MULTILINE)
CODE = re.compile(r"```(?:python|sql)\n(.*?)```", re.DOTALL)


def test_lines_of_code_fit_the_site() -> None:
    """Blocks marked ``text`` are exempt: drawings, and output as a terminal shows it."""
    long, pages = [], set()
    for page in ALL:
        for indent, kind, block in SHOWN.findall(page.read_text("utf-8")):
            if kind != "text":
                pages.add(str(page.relative_to(ROOT)))
                lines = [line.removeprefix(indent) for line in block.splitlines()]
                long += [f"{page.name}: {line}" for line in lines if len(line) > MOST]
    assert {*PAGES} <= pages and len(pages) > 40
    assert long == []


def test_lines_of_examples_in_docstrings_fit_the_site() -> None:
    """The pages of reference show them, without doctest's flags; what they print is exempt."""
    long, examples = [], 0
    for file in (ROOT / "python" / "groundswell").rglob("*.py"):
        for line in re.findall(r"^ *((?:>>>|\.\.\.) .*)$", file.read_text("utf-8"), re.MULTILINE):
            examples += 1
            if len(line.partition("  # doctest: ")[0]) > MOST:
                long.append(f"{file.name}: {line}")
    assert examples > 200
    assert long == []


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
