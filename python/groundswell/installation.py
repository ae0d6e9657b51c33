"""Where this machine has Spark; nothing here imports pyspark."""

import importlib.util
import os
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


def conf_folder(spark_home: Path | None) -> Path | None:
    """Where Spark looks for settings: SPARK_CONF_DIR, else ``conf`` in its home."""
    named = os.environ.get("SPARK_CONF_DIR")
    if named:
        return Path(named)
    return spark_home / "conf" if spark_home else None
