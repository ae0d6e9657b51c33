"""Run the first pages as a new reader would: every block, in order, in one folder.

    python tools/docs_walk.py FOLDER

README, then the tutorial, the SQL tutorial and the notebook. Blocks of Python run in one process a
page, SQL in a file or in the shell, as the page says. The pages' folder ``/tmp`` becomes FOLDER,
which must be empty. What a block prints must be what the page shows below it.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
NOTEBOOK = ROOT / "examples" / "tour.ipynb"
PAGES = (ROOT / "README.md", ROOT / "docs" / "tutorial.md", ROOT / "docs" / "sql-tutorial.md")
_BLOCK = re.compile(r"```(python|sql|text)\n(.*?)```", re.DOTALL)
_RUN = """
import contextlib, io, json, sys
names, printed = {}, []
for code in json.load(sys.stdin):
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(compile(code, "page", "exec"), names)
    printed.append(out.getvalue())
print("PRINTED", json.dumps(printed))
"""


class Block(NamedTuple):
    """A block of a page: its language, its text, and what the page shows below it."""

    language: str
    text: str
    shown: str


def blocks(page: str) -> list[Block]:
    """The blocks that a reader runs, in order."""
    found: list[Block] = []
    for language, text in _BLOCK.findall(page):
        if language == "text" and found:
            found[-1] = found[-1]._replace(shown=text)
        elif language != "text":
            found.append(Block(language, text, ""))
    return found


def cells(notebook: str) -> list[Block]:
    """The cells of code of a notebook, with the texts that are kept below them."""
    found = []
    for cell in json.loads(notebook)["cells"]:
        if cell["cell_type"] == "code":
            shown = "".join("".join(out.get("text", ())) for out in cell["outputs"])
            found.append(Block("python", "".join(cell["source"]), shown))
    return found


def walk(folder: Path) -> list[str]:
    """Run all pages; the differences between what they show and what was printed."""
    wrong: list[str] = []
    for page in PAGES:
        found = blocks(page.read_text("utf-8").replace("/tmp/", f"{folder}/"))
        python = [block for block in found if block.language == "python"]
        sql = [block for block in found if block.language == "sql"]
        name = page.relative_to(ROOT)
        print(f"{name}: {len(sql)} blocks of SQL, {len(python)} of Python", flush=True)
        if sql:
            wrong += [f"{name}: {each}" for each in _sql(folder, page.stem, sql)]
        if python:
            wrong += [f"{name}: {each}" for each in _python(folder, python)]
    found = cells(NOTEBOOK.read_text("utf-8").replace("/tmp/", f"{folder}/"))
    name = NOTEBOOK.relative_to(ROOT)
    print(f"{name}: {len(found)} cells", flush=True)
    return wrong + [f"{name}: {each}" for each in _python(folder, found)]


def _python(folder: Path, found: list[Block]) -> list[str]:
    code = json.dumps([block.text for block in found])
    done = _process(folder, [sys.executable, "-c", _RUN], code)
    (line,) = [x for x in done.splitlines() if x.startswith("PRINTED ")] or ["PRINTED []"]
    printed = json.loads(line.removeprefix("PRINTED "))
    if len(printed) < len(found):
        return [f"block {len(printed) + 1} of Python ended with an error"]
    return [
        f"this prints\n{out}and the page shows\n{block.shown}:\n{block.text}"
        for block, out in zip(found, printed, strict=True)
        if block.shown.split() != out.split()
    ]


def _sql(folder: Path, page: str, found: list[Block]) -> list[str]:
    """A README's SQL is a file to run; that of another page is typed into the shell."""
    statements = "\n".join(block.text for block in found)
    if page == "README":
        file = folder / "first.sql"
        file.write_text(statements, "utf-8")
        command = [sys.executable, "-m", "groundswell", "run", str(file), "--once"]
        printed = _process(folder, command, "")
    else:
        printed = _process(folder, [sys.executable, "-m", "groundswell", "sql"], statements)
    wrong, at = [], 0
    for block in found:
        place = printed.find(block.shown, at)
        if place < 0:
            wrong.append(f"this does not print\n{block.shown}:\n{block.text}\nbut\n{printed[at:]}")
        else:
            at = place + len(block.shown)
    return wrong


def _process(folder: Path, command: list[str], given: str) -> str:
    """What a process prints; its errors go to where those of this one go."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "python"), "MPLBACKEND": "agg"}
    done = subprocess.run(
        command,
        input=given,
        stdout=subprocess.PIPE,
        text=True,
        cwd=folder,
        env=environment,
        timeout=600,
        check=False,
    )
    return done.stdout


def main() -> int:
    """Walks, and says what differs."""
    folder = Path(sys.argv[1]).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    if any(folder.iterdir()):
        print(f"{folder} is not empty: give a folder that is, or that does not exist")
        return 2
    wrong = walk(folder)
    print("\n\n".join(wrong) or "all blocks print what the pages show")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
