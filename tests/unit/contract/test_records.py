"""The JVM's records are those that Python's dataclasses make."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "tools"))

import contract


def test_the_records_are_written_from_the_dataclasses() -> None:
    made = contract.sources()
    there = {name: path.read_text("utf-8") for name, path in contract.there().items()}
    differ = [name for name, text in made.items() if there.get(name) != text]
    left = sorted(there.keys() - made.keys())
    assert (differ, left) == ([], []), "run: make contract"
    assert contract.VERSION.read_text("utf-8") == contract.version_module(made), "make contract"
