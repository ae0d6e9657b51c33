"""Runs the files of tests that a change touches several times: ``make check-flaky``."""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path

ROUNDS = 5
NO_TESTS = 5  # pytest's exit code where all is left out


def lines_of(root: Path, *command: str) -> list[str]:
    done = subprocess.run(
        ["git", *command, "-z"], cwd=root, capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        sys.exit(f"error: git {' '.join(command)} failed: {done.stderr.strip()}")
    return [name for name in done.stdout.split("\0") if name]


def changed(root: Path, base: str) -> list[str]:
    """Files of tests that differ from the base: in commits since, and in the working tree."""
    committed = lines_of(root, "diff", "--name-only", "--diff-filter=d", "--relative", base)
    new = lines_of(root, "ls-files", "--others", "--exclude-standard")
    return sorted(
        name
        for name in {*committed, *new}
        if name.startswith("tests/") and Path(name).match("test_*.py")
    )


def run(root: Path, files: list[str], rounds: int, options: list[str]) -> int:
    """The exit code: that of the first round that fails."""
    for number in range(1, rounds + 1):
        print(f"== round {number} of {rounds}", flush=True)
        command = [sys.executable, "-m", "pytest", *options, *files]
        code = subprocess.run(command, cwd=root, check=False).returncode
        if code == NO_TESTS:
            print("no test of these files is left: all are of make soak or make test-systems")
            return 0
        if code != 0:
            print(f"error: round {number} of {rounds} failed; pytest names the tests above")
            return code
    print(f"{rounds} rounds passed")
    return 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--base", default="HEAD~1", help="what the change is compared with")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    given, options = parser.parse_known_args()
    root = Path.cwd()
    files = changed(root, given.base)
    if not files:
        print(f"no file of tests differs from {given.base}")
        return 0
    print("\n".join(files))
    return run(root, files, given.rounds, options)


if __name__ == "__main__":
    sys.exit(main())
