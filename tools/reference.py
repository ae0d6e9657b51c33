"""Writes docs/reference/settings.md from the registries that read the settings.

python tools/reference.py            write the page
python tools/reference.py --check    fail if the page is not what the registries say
"""

import subprocess
import sys
from pathlib import Path

import pyspark

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "python"))
sys.path.insert(0, str(ROOT / "tools"))

from groundswell.config import OPTIONS  # noqa: E402
from groundswell.jar import PATH as JAR  # noqa: E402
from jdk import find_jdk  # noqa: E402

PAGE = ROOT / "docs" / "reference" / "settings.md"
HEAD = """# Settings

This page is generated from the code by `python tools/reference.py`. A test keeps it true.
An unknown name, or a value outside its limits, is refused before anything is written.

## Options of a pipeline

Set them with `gs.pipeline(spark, location, **options)` or with `writeStream.option(key, value)`.

| option | type | default | limits | meaning | `ALTER PIPELINE` |
|--|--|--|--|--|--|
"""
STORE = """
## Confs of a state store

Set them as SQL confs, in the session or on the command line. They hold for queries that start
later.

| conf | type | default | limits | meaning |
|--|--|--|--|--|
"""
JVM = """
## Confs of a JVM

Set them before the Spark context starts. `io.groundswell.GroundswellPlugin` reads them.
A size is a number with a unit, such as `512m`.

| conf | type | default | limits | meaning |
|--|--|--|--|--|
"""


def row(*cells: str) -> str:
    return "| " + " | ".join(cells) + " |\n"


def pipeline_rows() -> str:
    rows = ""
    for option in OPTIONS.values():
        limits = ", ".join(option.choices) or (f"from {option.least}" if option.type is int else "")
        kind = {int: "number", str: "text", object: "function"}[option.type]
        kind = f"{kind} ({option.unit})" if option.unit else kind
        default = option.absent if option.default is None else f"`{option.default}`"
        alter = f"no: {option.fixed}" if option.fixed else "the next barrier"
        rows += row(f"`{option.key}`", kind, default, limits, option.doc, alter)
    return rows


def spark_rows(scope: str, lines: list[str]) -> str:
    rows = ""
    for line in lines:
        key, kind, default, unit, limits, meaning = line.split("\t")
        if key.startswith(scope):
            kind = f"{kind} ({unit})" if unit else kind
            rows += row(f"`{key}`", kind, default, limits, meaning)
    return rows


def settings_of_the_jar() -> list[str]:
    """What the jar's own registry prints, a line a setting."""
    jars = Path(pyspark.__file__).parent / "jars"
    found = subprocess.run(
        [str(find_jdk().java), "-cp", f"{JAR}:{jars}/*"]
        + ["io.groundswell.spark.store.provider.Setting"],
        check=True,
        capture_output=True,
        text=True,
    )
    return found.stdout.splitlines()


def page() -> str:
    lines = settings_of_the_jar()
    return (
        HEAD
        + pipeline_rows()
        + STORE
        + spark_rows("spark.sql.streaming.stateStore.groundswell.", lines)
        + JVM
        + spark_rows("spark.groundswell.", lines)
    )


def main() -> int:
    if "--check" not in sys.argv:
        PAGE.parent.mkdir(parents=True, exist_ok=True)
        PAGE.write_text(page(), "utf-8")
        return 0
    if PAGE.read_text("utf-8") == page():
        return 0
    print(f"{PAGE.relative_to(ROOT)} is not what the code says: run python tools/reference.py")
    return 1


if __name__ == "__main__":
    sys.exit(main())
