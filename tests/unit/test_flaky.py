"""``make check-flaky``: what a change touches is run several times."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

TOOL = Path(__file__).resolve().parents[2] / "tools" / "flaky.py"
PASSES = "def test_it():\n    assert True\n"
FAILS_LATER = """
from pathlib import Path

def test_it():
    count = Path(__file__).with_name("count")
    rounds = len(count.read_text()) if count.exists() else 0
    count.write_text("x" * (rounds + 1))
    assert rounds < 2
"""


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    (tmp_path / "tests").mkdir()
    (tmp_path / "pyproject.toml").write_text("[tool.pytest.ini_options]\nmarkers = ['soak']\n")
    (tmp_path / ".gitignore").write_text("__pycache__/\n.pytest_cache/\ncount\n")
    for name in ("old", "gone", "edited", "moved"):
        (tmp_path / "tests" / f"test_{name}.py").write_text(f"# {name}\n{PASSES}")
    git(tmp_path, "init", "-q")
    commit(tmp_path)
    return tmp_path


def git(folder: Path, *command: str) -> None:
    who = ("-c", "user.name=a", "-c", "user.email=a@example.org")
    subprocess.run(["git", *who, *command], cwd=folder, check=True, capture_output=True)


def commit(folder: Path) -> None:
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", "change", "--allow-empty")


def check(folder: Path, *options: str) -> tuple[int, str]:
    command = [sys.executable, str(TOOL), *options, "-q", "-p", "no:cacheprovider"]
    done = subprocess.run(
        command,
        cwd=folder,
        env={**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},  # starts in half the time
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout + done.stderr


def test_a_change_is_run_five_times(clone: Path) -> None:
    tests = clone / "tests"
    (tests / "test_committed.py").write_text(PASSES)
    (tests / "helper.py").write_text("")
    (tests / "test_gone.py").unlink()
    commit(clone)
    (tests / "test_edited.py").write_text(PASSES + PASSES.replace("it", "that"))
    (tests / "test_new.py").write_text(PASSES)
    code, said = check(clone)
    assert code == 0, said
    head = said.split("== round 1 of 5\n")[0]
    assert head.split() == [f"tests/test_{x}.py" for x in ("committed", "edited", "new")]
    assert said.count("4 passed") == 5 and said.endswith("5 rounds passed\n")


def test_the_first_round_that_fails_ends_it_and_is_named(clone: Path) -> None:
    (clone / "tests" / "test_later.py").write_text(FAILS_LATER)
    commit(clone)
    code, said = check(clone)
    assert code == 1
    assert "round 3 of 5 failed" in said and "FAILED tests/test_later.py::test_it" in said
    assert "== round 4" not in said


@pytest.mark.rest
def test_the_base_is_chosen(clone: Path) -> None:
    (clone / "tests" / "test_later.py").write_text(PASSES)
    commit(clone)
    commit(clone)
    assert check(clone) == (0, "no file of tests differs from HEAD~1\n")
    code, said = check(clone, "--base", "HEAD~2", "--rounds", "1")
    assert code == 0 and "tests/test_later.py" in said
    code, said = check(clone, "--base", "nowhere")
    assert code == 1 and "error: git diff" in said and "nowhere" in said


@pytest.mark.rest
def test_what_runs_elsewhere_is_no_failure(clone: Path) -> None:
    soak = "import pytest\n\n@pytest.mark.soak\n" + PASSES
    (clone / "tests" / "test_long.py").write_text(soak)
    commit(clone)
    code, said = check(clone, "-m", "not soak")
    assert code == 0 and "no test of these files is left" in said
