"""Write the site's pages as Markdown, and ``llms.txt`` that lists them, beside the HTML.

    python tools/llms.py FOLDER

The list follows the navigation of mkdocs.yml: a heading for each section, a line for each page.
"""

from __future__ import annotations

import re
import shutil
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
_ENTRY = re.compile(r'^( +)- "?([^":]+(?:: [^"]+)?)"?:(?: ([\w./-]+\.md))?$')


def pages(navigation: str) -> list[tuple[str, str, str]]:
    """The pages of a navigation, in order: section, title, path below ``docs``."""
    found, section = [], ""
    for line in navigation.splitlines():
        if entry := _ENTRY.match(line):
            indent, title, path = entry.groups()
            if path is None:
                section = title
            else:
                found.append((section if len(indent) > 2 else "", title, path))
    return found


def first_sentence(page: str) -> str:
    """What a page is about: the first sentence below its title."""
    below = page.partition("\n\n")[2].split("\n\n")[0].replace("\n", " ")
    plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", below)
    sentence = re.match(r"(?:Goal: )?([^|`#].*?\.)(?: |$)", plain)
    return sentence[1] if sentence else ""


def write(folder: Path) -> int:
    """Write all pages and the list; how many pages."""
    navigation = (ROOT / "mkdocs.yml").read_text("utf-8").partition("\nnav:\n")[2]
    found = pages(navigation)
    lines = [
        "# Groundswell",
        "",
        "> Incremental views and a state store for Apache Spark, in Python.",
    ]
    heading = ""
    for section, title, path in found:
        page = ROOT / "docs" / path
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(page, target)
        if (section or "Start") != heading:
            heading = section or "Start"
            lines += ["", f"## {heading}", ""]
        about = first_sentence(page.read_text("utf-8"))
        lines.append(f"- [{title}]({path})" + (f": {about}" if about else ""))
    (folder / "llms.txt").write_text("\n".join(lines) + "\n", "utf-8")
    return len(found)


def main() -> int:
    """Writes, and says how many pages there are."""
    folder = Path(sys.argv[1])
    print(f"{write(folder)} pages as Markdown, and {folder / 'llms.txt'}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
