"""One call to a working session."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path
from typing import Any

from groundswell.errors import ConfigurationError

JAR = "jars/groundswell.jar"

SOURCE_CONFS = {
    # sources are found again by name, so that views can come and go over one checkpoint
    "spark.sql.streaming.queryEvolution.enableSourceEvolution": "true",
    "spark.sql.streaming.offsetLog.formatVersion": "2",
}

CLASSES = {
    "spark.sql.streaming.stateStore.providerClass": "io.groundswell.EpochStateStoreProvider",
    "spark.sql.streaming.checkpointFileManagerClass":
        "io.groundswell.GroundswellCheckpointFileManager",
    "spark.plugins": "io.groundswell.GroundswellPlugin",
    "spark.sql.extensions": "io.groundswell.GroundswellExtensions",
}
"""Thin classes for confs; those that the jar has are set, lists are extended."""

_LISTS = {"spark.jars", "spark.plugins", "spark.sql.extensions"}


def jar_path() -> Path:
    """Where the engine's jar is.

    Raises:
        ConfigurationError: if it was never built.
    """
    path = Path(str(files("groundswell") / JAR))
    if not path.is_file():
        raise ConfigurationError(f"{path} is not there: install the package with pip, "
                                 "or run `python setup.py build_jar` in a clone")
    return path


def configure(builder: Any) -> Any:
    """Puts the jar, the state store, the extensions and the needed confs on a session builder.

    Args:
        builder: ``SparkSession.builder``, perhaps with confs of yours; what you set stays set,
            lists (jars, plugins, extensions) are extended.

    Returns:
        The same builder; call ``getOrCreate()`` on it.
    """
    present = _classes_in(jar_path())
    wanted = {"spark.jars": str(jar_path()), **SOURCE_CONFS}
    wanted |= {key: name for key, name in CLASSES.items()
               if name.replace(".", "/") + ".class" in present}
    own = getattr(builder, "_options", {})
    for key, value in wanted.items():
        before = str(own.get(key, ""))
        if not before:
            builder.config(key, value)
        elif key in _LISTS and value not in before.split(","):
            builder.config(key, f"{before},{value}")
    return builder


def _classes_in(jar: Path) -> set[str]:
    from zipfile import ZipFile

    with ZipFile(jar) as archive:
        return set(archive.namelist())
