"""The pages that a reader meets first: what they show fits the site, and does not collide."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = ("README.md", "docs/index.md", "docs/tutorial.md", "docs/sql-tutorial.md")
CODE = re.compile(r"```(?:python|sql)\n(.*?)```", re.DOTALL)


@pytest.mark.parametrize("page", PAGES)
def test_lines_of_code_fit_the_site(page: str) -> None:
    lines = "".join(CODE.findall((ROOT / page).read_text("utf-8"))).splitlines()
    assert lines, "a page without code is not looked at"
    assert [line for line in lines if len(line) > 75] == []


def test_each_page_has_folders_of_its_own() -> None:
    folders = [
        set(re.findall(r"/tmp/[\w-]+", "".join(CODE.findall((ROOT / page).read_text("utf-8")))))
        for page in PAGES
        if page != "docs/index.md"
    ]
    assert all(folders)
    assert len(set.union(*folders)) == sum(map(len, folders))


def test_the_site_begins_with_the_program_of_the_readme() -> None:
    first = [CODE.findall((ROOT / page).read_text("utf-8")) for page in PAGES[:2]]
    assert first[0][:5] == first[1][:5]
