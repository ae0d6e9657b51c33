"""The documentation: what is generated is true, each page is in the site, links lead to files."""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
PAGES = sorted(DOCS.rglob("*.md"))
LINK = re.compile(r"\]\(([^)#\s:]+)(?:#[^)\s]*)?\)")


def test_the_page_of_settings_is_what_the_registries_say() -> None:
    done = subprocess.run(
        [sys.executable, "tools/reference.py", "--check"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_every_page_is_in_the_site() -> None:
    site = (ROOT / "mkdocs.yml").read_text("utf-8")
    names = [page.relative_to(DOCS).as_posix() for page in PAGES]
    missing = [name for name in names if not re.search(rf"[ :]{re.escape(name)}$", site, re.M)]
    assert not missing, f"add {missing} to the nav of mkdocs.yml"


def test_links_lead_to_files() -> None:
    lost = []
    for page in [*sorted(ROOT.glob("*.md")), *PAGES]:
        text = re.sub(r"```.*?```", "", page.read_text("utf-8"), flags=re.DOTALL)
        links = LINK.findall(text)
        lost += [f"{page.name}: {link}" for link in links if not (page.parent / link).exists()]
    assert not lost, f"links lead to nothing: {lost}"
