"""The seeded bugs still fit the code; that they are caught is shown by ``make mutants``."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))

from run_mutants import Mutant, java_test, mutants  # noqa: E402

MUTANTS = mutants()


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.name)
def test_seeded_bugs_apply_and_name_tests_that_there_are(mutant: Mutant) -> None:
    command = ["git", "apply", "--check", "-C1", "--recount", str(mutant.patch)]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    assert mutant.description and all(java_test(name).is_file() for name in mutant.junit)
    for name in mutant.pytest:
        file, _, test = name.partition("::")
        assert f"def {test.partition('[')[0]}" in (ROOT / file).read_text("utf-8"), name


def test_both_halves_have_seeded_bugs() -> None:
    engine = sum(mutant.patch.is_relative_to(ROOT / "jvm-shim") for mutant in MUTANTS)
    assert engine >= 18 and len(MUTANTS) - engine >= 20
