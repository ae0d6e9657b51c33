"""Documents between Python and the JVM are read in one package on each side."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
JAVA = ROOT / "jvm-shim" / "src" / "main" / "java" / "io" / "groundswell" / "spark"
PYTHON = ROOT / "python" / "groundswell"

# What still parses JSON of crossing documents by hand: lists of names and numbers.
PYTHON_LEFT = ["jvm/states.py"]

TREES = re.compile(r"\b(JsonNode|ObjectNode|ArrayNode)\b")


def test_no_other_java_class_walks_json() -> None:
    found = {
        path.relative_to(JAVA).as_posix()
        for path in JAVA.rglob("*.java")
        if "contract" not in path.relative_to(JAVA).parts and TREES.search(path.read_text("utf-8"))
    }
    assert sorted(found) == [], "use a record of the contract"


def test_no_other_python_module_parses_what_crosses() -> None:
    found = {
        path.relative_to(PYTHON).as_posix()
        for path in (PYTHON / "jvm").rglob("*.py")
        if re.search(r"\bjson\.(loads|dumps)\b", path.read_text("utf-8"))
    }
    assert sorted(found) == sorted(PYTHON_LEFT), "use a dataclass of groundswell.contract"
