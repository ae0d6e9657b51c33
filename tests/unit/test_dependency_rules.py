"""The house's walls: who may import whom, where foreign names may stand, how long a file may be."""

import ast
import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
JAVA = ROOT / "jvm-shim" / "src" / "main"
PYTHON = ROOT / "python" / "groundswell"

# A package may import only those that stand before it, and itself.
JAVA_ORDER = (
    "key storage cache filter iter memtable sst version compaction checkpoint engine spark".split()
)
JAVA_FREE = {"error"}

# Below io.groundswell.spark: rooms, each of which may use only those before it. The two halves,
# stores of Spark's own operators and incremental views, know nothing of each other.
SPARK_STORE = "contract encoding checkpoint provider migrate".split()
SPARK_VIEWS = """
    contract contract.capture contract.dataflow.part contract.dataflow facts
    capture.stream capture.refuse capture.rewrite capture.describe capture
    operator.codec operator.spi operator.state operator.aggregate operator.change operator.join
    operator.rank operator.time operator.view operator.lookup operator.window operator.recursion
    operator
    dataflow.exchange dataflow.state dataflow.source dataflow.run dataflow.compile dataflow.rescale
    dataflow
    entry
""".split()
SHARED = ["shims", "contract"]
SPARK_ROOMS = {
    **{
        f"store.{room}": [*SHARED, *(f"store.{other}" for other in SPARK_STORE[: index + 1])]
        for index, room in enumerate(SPARK_STORE)
    },
    **{
        f"views.{room}": [*SHARED, *(f"views.{other}" for other in SPARK_VIEWS[: index + 1])]
        for index, room in enumerate(SPARK_VIEWS)
    },
    "sql": [*SHARED, "sql", *(f"views.{room}" for room in SPARK_VIEWS)],
    "contract": ["contract"],
    "shims": ["shims"],
}

PYTHON_ORDER = """
    contract jvm format expressions plan optimizer physical sinks runtime state ui migrate
    api sources sql pipelines demo cli
""".split()

# Below groundswell.runtime: rooms, and then what uses them all.
RUNTIME_ROOMS = "record ownership planning reading filling barriers".split()

JAVA_CAP = 400
PYTHON_CAP = 500


def jvm_files() -> list[Path]:
    return sorted([*JAVA.rglob("*.java"), *JAVA.rglob("*.scala")])


def python_files() -> list[Path]:
    return sorted(PYTHON.rglob("*.py"))


def relative(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


@cache
def code_of(path: Path) -> str:
    """The source without comments, so that prose may name what code may not."""
    text = path.read_text("utf-8")
    return re.sub(r"//[^\n]*|/\*.*?\*/", " ", text, flags=re.DOTALL)


def jvm_package(path: Path) -> str:
    found = re.search(r"^package ([\w.]+)", code_of(path), re.MULTILINE)
    assert found, f"{relative(path)} has no package"
    return found.group(1)


def layer_of(package: str) -> str:
    """``io.groundswell.spark.views`` -> ``spark``; the root package -> ``""``."""
    parts = package.split(".")
    assert parts[:2] == ["io", "groundswell"], package
    return parts[2] if len(parts) > 2 else ""


def test_there_is_something_to_check() -> None:
    assert len(jvm_files()) > 10
    assert len(python_files()) > 3


@pytest.mark.parametrize("path", jvm_files(), ids=relative)
def test_a_jvm_package_imports_only_those_before_it(path: Path) -> None:
    layer = layer_of(jvm_package(path))
    used = set(re.findall(r"\bio\.groundswell\.([a-z]\w*)", code_of(path))) - JAVA_FREE - {layer}
    if layer in ("", "spark"):
        allowed = set(JAVA_ORDER)
    elif layer in JAVA_FREE:
        allowed = set()
    else:
        assert layer in JAVA_ORDER, f"{layer} has no place in the order of packages"
        allowed = set(JAVA_ORDER[: JAVA_ORDER.index(layer)])
    assert used <= allowed, f"{layer} may not import {sorted(used - allowed)}"


def spark_files() -> list[Path]:
    return [path for path in jvm_files() if layer_of(jvm_package(path)) == "spark"]


@pytest.mark.parametrize("path", spark_files(), ids=relative)
def test_a_room_of_the_adapter_imports_only_those_before_it(path: Path) -> None:
    room = jvm_package(path).removeprefix("io.groundswell.spark").lstrip(".")
    assert room in SPARK_ROOMS, f"{room!r} has no place in the order of rooms"
    used = {
        name.rstrip(".")
        for name in re.findall(r"\bio\.groundswell\.spark\.([a-z.]+)", code_of(path))
    }
    assert used <= set(SPARK_ROOMS[room]), (
        f"{room} may not import {sorted(used - set(SPARK_ROOMS[room]))}"
    )


@pytest.mark.parametrize("path", jvm_files(), ids=relative)
def test_spark_types_stand_only_under_the_adapter(path: Path) -> None:
    if layer_of(jvm_package(path)) != "spark":
        assert "org.apache.spark" not in code_of(path)


def test_every_java_package_says_what_it_is() -> None:
    packages = {path.parent for path in JAVA.rglob("*.java")}
    without = [
        relative(folder)
        for folder in packages
        if "/**" not in text_or_empty(folder / "package-info.java")
    ]
    assert without == []


def text_or_empty(path: Path) -> str:
    return path.read_text("utf-8") if path.is_file() else ""


@pytest.mark.parametrize("path", python_files(), ids=relative)
def test_every_python_module_says_what_it_is(path: Path) -> None:
    assert ast.get_docstring(ast.parse(path.read_text("utf-8")))


@pytest.mark.parametrize("path", python_files(), ids=relative)
def test_a_python_package_imports_only_those_before_it(path: Path) -> None:
    layer = path.relative_to(PYTHON).parts[0]
    if path == PYTHON / "__init__.py" or path == PYTHON / "__main__.py":
        return
    # Modules of the root (errors, config, ...) are free to all, and use no package.
    allowed = set(PYTHON_ORDER[: PYTHON_ORDER.index(layer) + 1]) if "." not in layer else set()
    used = imported_by(path) & {folder.name for folder in PYTHON.iterdir() if folder.is_dir()}
    assert used <= allowed, f"{layer} may not import {sorted(used - allowed)}"


def imported_by(path: Path) -> set[str]:
    """``from groundswell.plan import x``, ``from groundswell import plan`` -> plan."""
    names = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module == "groundswell":
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names.add(node.module.removeprefix("groundswell.").split(".")[0])
        elif isinstance(node, ast.Import):
            names |= {alias.name.removeprefix("groundswell.").split(".")[0] for alias in node.names}
    return names


@pytest.mark.parametrize("path", sorted((PYTHON / "runtime").glob("*/*.py")), ids=relative)
def test_a_room_of_the_runtime_imports_only_those_before_it(path: Path) -> None:
    room = path.parent.name
    assert room in RUNTIME_ROOMS, f"{room} has no place in the order of rooms"
    used = set(re.findall(r"from groundswell\.runtime\.(\w+)", path.read_text("utf-8")))
    allowed = set(RUNTIME_ROOMS[: RUNTIME_ROOMS.index(room) + 1])
    assert used <= allowed, f"{room} may not import {sorted(used - allowed)}"


@pytest.mark.parametrize("path", python_files(), ids=relative)
def test_the_jvm_is_reached_through_one_python_package(path: Path) -> None:
    inside = path.parent == PYTHON / "jvm"
    tree = ast.parse(path.read_text("utf-8"))
    for node in ast.walk(tree):
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = [node.module or ""]
        if not (inside and path.name in PY4J_FILES):
            assert not any(name.split(".")[0] == "py4j" for name in names), "imports py4j"
        if isinstance(node, ast.Attribute) and not inside:
            assert node.attr not in JVM_ATTRIBUTES, f"line {node.lineno} uses {node.attr}"


PY4J_FILES = {"callbacks.py", "errors.py", "jars.py"}

# Where pyspark keeps its py4j objects.
JVM_ATTRIBUTES = {"_jvm", "_jdf", "_jsc", "_jsparkSession", "_jwrite", "_jsq", "_sc"}


@pytest.mark.parametrize("path", [*jvm_files(), *python_files()], ids=relative)
def test_files_stay_short(path: Path) -> None:
    cap = PYTHON_CAP if path.suffix == ".py" else JAVA_CAP
    lines = len(path.read_text("utf-8").splitlines())
    assert lines <= cap, f"{lines} lines, the cap is {cap}"
