"""Marks: each stands at one place of the product, and some test says that it reaches it."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

from groundswell.marks import Mark
from reaching import reaches

ROOT = Path(__file__).resolve().parents[2]
MAIN = ROOT / "jvm-shim" / "src" / "main" / "java"
JUNIT = ROOT / "jvm-shim" / "src" / "test" / "java"
PYTHON = ROOT / "python" / "groundswell"
TESTS = ROOT / "tests"


def texts(folder: Path, pattern: str) -> str:
    return "\n".join(path.read_text("utf-8") for path in sorted(folder.rglob(pattern)))


def java_marks() -> list[str]:
    source = (MAIN / "io" / "groundswell" / "storage" / "Mark.java").read_text("utf-8")
    constants = source.partition("public enum Mark {")[2].partition(";\n")[0]
    return re.findall(r"^  ([A-Z_]+)\b", re.sub(r"/\*.*?\*/", "", constants, flags=re.S), re.M)


def misplaced(names: list[str], source: str) -> list[str]:
    """The marks that do not stand at exactly one place."""
    places = Counter(re.findall(r"\bMark\.([A-Z_]+)\.hit(?:If|_if)?\(", source))
    return [f"{name}: {places[name]} places" for name in names if places[name] != 1]


def named(calls: str, tests: str) -> set[str]:
    """The marks that tests say they reach: ``calls`` is how they say so."""
    found = re.findall(rf"{calls}\(([^)]*)\)", tests)
    return {name for each in found for name in re.findall(r"\b[A-Z]+(?:_[A-Z]+)+\b", each)}


def test_each_mark_of_the_jvm_stands_at_one_place_and_a_test_reaches_it() -> None:
    names = java_marks()
    assert len(names) >= 40 and len(set(names)) == len(names)
    assert misplaced(names, texts(MAIN, "*.java")) == []
    reached = named("@Reaches", texts(JUNIT, "*Test.java"))
    reached |= named("reaches_in_jvm", texts(TESTS, "test_*.py"))
    assert set(names) - reached == set()


def test_each_mark_of_python_stands_at_one_place_and_a_test_reaches_it() -> None:
    names = [mark.name for mark in Mark]
    assert len(names) >= 10
    assert misplaced(names, texts(PYTHON, "*.py")) == []
    own = Path(__file__).read_text("utf-8")
    others = texts(TESTS, "test_*.py").replace(own, "")
    assert set(names) - named(r"\breaches", others) == set()


def test_a_test_that_misses_a_mark_fails() -> None:
    mark, other = list(Mark)[:2]
    with reaches(mark):
        mark.hit()
    with reaches(mark):
        mark.hit_if(True)

    def reach_one() -> None:
        with reaches(mark, other):
            mark.hit()
            other.hit_if(False)

    with pytest.raises(AssertionError, match=f"not reached: ..{other.name}"):
        reach_one()
    with pytest.raises(ValueError, match="of the test"), reaches(mark):
        raise ValueError("of the test")


def test_a_mark_at_two_places_or_none_is_named() -> None:
    source = "Mark.TWICE.hit();\nMark.TWICE.hitIf(a);\nMark.ONCE.hit_if(b)"
    assert misplaced(["TWICE", "ONCE", "NONE"], source) == ["TWICE: 2 places", "NONE: 0 places"]
    tests = "@Reaches(Mark.A_ONE)\n@Reaches({Mark.A_TWO,\n    Mark.A_THREE})\nMark.A_FOUR"
    assert named("@Reaches", tests) == {"A_ONE", "A_TWO", "A_THREE"}
