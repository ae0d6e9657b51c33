"""The house's walls: who may import whom, where foreign names may stand, how long a file may be.

Each rule is one test, which looks at all files and names all that break it.
"""

import ast
import os
import re
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
JAVA = ROOT / "jvm-shim" / "src" / "main"
PYTHON = ROOT / "python" / "groundswell"

# A package may import only those that stand before it, and itself.
JAVA_ORDER = """
    key storage cache filter iter memtable sst version compaction checkpoint engine jdbc spark
""".split()
JAVA_FREE = {"error"}

# Below io.groundswell.spark: rooms, each of which may use only those before it. The two halves,
# stores of Spark's own operators and incremental views, know nothing of each other.
SPARK_STORE = "contract encoding checkpoint provider migrate".split()
SPARK_VIEWS = """
    contract contract.commits contract.barrier contract.sql contract.messages contract.capture
    contract.dataflow.part contract.dataflow facts
    capture.stream capture.refuse capture.rewrite capture.describe capture
    operator.codec operator.spi operator.state operator.aggregate operator.change operator.join
    operator.rank operator.time operator.view operator.lookup operator.window operator.recursion
    operator decode messages.spi messages.avro messages.protobuf messages
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
    "sql.rewrite": [*SHARED, "sql.rewrite", *(f"views.{room}" for room in SPARK_VIEWS)],
    "sql": [*SHARED, "sql.rewrite", "sql", *(f"views.{room}" for room in SPARK_VIEWS)],
    "contract": ["contract"],
    "shims": ["shims"],
}

PYTHON_ORDER = """
    contract jvm format expressions plan optimizer physical sinks catalog runtime state ui serve
    migrate api sources sql testing pipelines demo cli
""".split()

# Rooms of a package, and modules between them; after them comes what uses them all.
PYTHON_ROOMS = {
    "runtime": "record ownership planning reading backfill gc barriers",
    "sql": """
        parsing connecting history defining owning refreshing pipelines registry reading writing
        answering exporting showing executor bridge console
    """,
}

# What users name imports from anywhere.
ENTRANCES = {PYTHON / name for name in ("__init__.py", "__main__.py", "public.py")}

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


def offenders(paths: Iterable[Path], wrong: Callable[[Path], str]) -> list[str]:
    """What is wrong, file by file; ``wrong`` gives an empty text for a file that is right."""
    return [f"{relative(path)}: {what}" for path in paths if (what := wrong(path))]


def beyond(used: set[str], order: Sequence[str], place: str) -> str:
    """What is wrong with a package at this place of the order that uses these."""
    if place not in order:
        return f"{place!r} has no place in the order"
    late = used - set(order[: order.index(place) + 1])
    return f"{place} may not import {sorted(late)}" if late else ""


def test_a_jvm_package_imports_only_those_before_it() -> None:
    def wrong(path: Path) -> str:
        layer = layer_of(jvm_package(path))
        used = set(re.findall(r"\bio\.groundswell\.([a-z]\w*)", code_of(path)))
        if layer in JAVA_FREE:
            return beyond(used, [layer], layer)
        # The root package may use all.
        return beyond(used - JAVA_FREE, JAVA_ORDER, layer or JAVA_ORDER[-1])

    assert offenders(jvm_files(), wrong) == []


def spark_files() -> list[Path]:
    return [path for path in jvm_files() if layer_of(jvm_package(path)) == "spark"]


def test_a_room_of_the_adapter_imports_only_those_before_it() -> None:
    def wrong(path: Path) -> str:
        room = jvm_package(path).removeprefix("io.groundswell.spark").lstrip(".")
        if room not in SPARK_ROOMS:
            return f"{room!r} has no place in the order of rooms"
        names = re.findall(r"\bio\.groundswell\.spark\.([a-z.]+)", code_of(path))
        late = {name.rstrip(".") for name in names} - set(SPARK_ROOMS[room])
        return f"{room} may not import {sorted(late)}" if late else ""

    assert offenders(spark_files(), wrong) == []


def test_spark_types_stand_only_under_the_adapter() -> None:
    def wrong(path: Path) -> str:
        foreign = layer_of(jvm_package(path)) != "spark" and "org.apache.spark" in code_of(path)
        return "names org.apache.spark" if foreign else ""

    assert offenders(jvm_files(), wrong) == []


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


def test_every_python_module_says_what_it_is() -> None:
    def wrong(path: Path) -> str:
        return "" if ast.get_docstring(tree_of(path)) else "has no docstring"

    assert offenders(python_files(), wrong) == []


def test_a_python_package_imports_only_those_before_it() -> None:
    packages = {folder.name for folder in PYTHON.iterdir() if folder.is_dir()}

    def wrong(path: Path) -> str:
        layer = path.relative_to(PYTHON).parts[0]
        used = imported_by(path) & packages
        # Modules of the root (errors, config, ...) are free to all, and use no package.
        return beyond(used - {layer}, [layer] if "." in layer else PYTHON_ORDER, layer)

    assert offenders([x for x in python_files() if x not in ENTRANCES], wrong) == []


@cache
def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text("utf-8"))


def imported_by(path: Path) -> set[str]:
    """``from groundswell.plan import x``, ``from groundswell import plan`` -> plan."""
    names = set()
    for node in ast.walk(tree_of(path)):
        if isinstance(node, ast.ImportFrom) and node.module == "groundswell":
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names.add(node.module.removeprefix("groundswell.").split(".")[0])
        elif isinstance(node, ast.Import):
            names |= {alias.name.removeprefix("groundswell.").split(".")[0] for alias in node.names}
    return names


@pytest.mark.parametrize("package", PYTHON_ROOMS)
def test_a_room_imports_only_those_before_it(package: str) -> None:
    order = PYTHON_ROOMS[package].split()
    root = PYTHON / package

    def wrong(path: Path) -> str:
        place = path.relative_to(root).parts[0].removesuffix(".py")
        name = f"groundswell.{package}"
        used = set()
        for node in ast.walk(tree_of(path)):
            if isinstance(node, ast.ImportFrom) and node.module == name:
                used |= {alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith(f"{name}."):
                used.add((node.module or "").split(".")[2])
        if place not in order and path.parent == root:
            return ""
        return beyond(used, order, place)

    assert offenders(sorted(root.rglob("*.py")), wrong) == []


def test_the_jvm_is_reached_through_one_python_package() -> None:
    def wrong(path: Path) -> str:
        inside = path.parent == PYTHON / "jvm"
        found = []
        for node in ast.walk(tree_of(path)):
            names: list[str] = []
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom):
                names = [node.module or ""]
            py4j = any(name.split(".")[0] == "py4j" for name in names)
            if py4j and not (inside and path.name in PY4J_FILES):
                found.append(f"line {node.lineno} imports py4j")
            if isinstance(node, ast.Attribute) and node.attr in JVM_ATTRIBUTES and not inside:
                found.append(f"line {node.lineno} uses {node.attr}")
        return ", ".join(found)

    assert offenders(python_files(), wrong) == []


PY4J_FILES = {"callbacks.py", "errors.py", "jars.py"}

# Where pyspark keeps its py4j objects.
JVM_ATTRIBUTES = {"_jvm", "_jdf", "_jsc", "_jsparkSession", "_jwrite", "_jsq", "_sc"}


def test_files_stay_short() -> None:
    def wrong(path: Path) -> str:
        cap = PYTHON_CAP if path.suffix == ".py" else JAVA_CAP
        lines = len(path.read_text("utf-8").splitlines())
        return f"{lines} lines, the cap is {cap}" if lines > cap else ""

    assert offenders([*jvm_files(), *python_files()], wrong) == []


# Who deletes files of a location outside of runtime/gc, and why it is not there.
DELETERS = {
    "runtime.record.removal": "documents, by kind: rooms before gc write the one that replaces it",
    "runtime.record.seen": "a folder that stands for another one",
}
DELETES = re.compile(
    r"(?:\w*(?:folder|tree|log|rows)|old\[name\]|\))\.(?:delete|prune|sweep|clear)\("
)


def test_files_are_deleted_in_one_room_and_by_one_door_to_it() -> None:
    found = {
        ".".join(path.relative_to(PYTHON).with_suffix("").parts)
        for path in python_files()
        if path.parent.name != "jvm" and DELETES.search(path.read_text("utf-8"))
    }
    assert {name for name in found if not name.startswith("runtime.gc.")} == DELETERS.keys()


def test_findings_can_be_run() -> None:
    scripts = sorted((ROOT / "findings").iterdir())
    assert [path.name for path in scripts if not os.access(path, os.X_OK)] == []
