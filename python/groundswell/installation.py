"""Where this machine has Spark and Java; nothing here imports pyspark or starts Java."""

import importlib.util
import os
import shutil
from pathlib import Path


def find_spark_home() -> Path | None:
    """SPARK_HOME, as pyspark itself would follow it, else the pyspark package."""
    named = os.environ.get("SPARK_HOME")
    if named:
        return Path(named)
    spec = importlib.util.find_spec("pyspark")
    if spec is None or not spec.submodule_search_locations:
        return None
    return Path(spec.submodule_search_locations[0])


def find_java() -> Path | None:
    """The java that Spark's launcher takes: JAVA_HOME's, else PATH's."""
    home = os.environ.get("JAVA_HOME")
    found = shutil.which("java", path=str(Path(home) / "bin")) if home else shutil.which("java")
    return Path(found) if found else None
