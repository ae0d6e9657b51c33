"""The seeded bugs still fit the code; that they are caught is shown by ``make mutants``."""

import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PATCHES = sorted((ROOT / "jvm-shim/src/test/mutants").glob("*.patch"))


@pytest.mark.parametrize("patch", PATCHES, ids=lambda patch: patch.stem)
def test_seeded_bugs_apply(patch: Path) -> None:
    command = ["git", "apply", "--check", "-C1", "--recount", str(patch)]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr


def test_there_are_seeded_bugs() -> None:
    assert len(PATCHES) >= 8
