"""One call to a working session."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from groundswell import confs, jar
from groundswell.errors import ConfigurationError

_LISTS = {"spark.jars", confs.PLUGIN_KEY, confs.EXTENSIONS_KEY}


def jar_path() -> Path:
    """Where the engine's jar is.

    Raises:
        ConfigurationError: if it was never built.
    """
    if not jar.PATH.is_file():
        raise ConfigurationError(
            f"{jar.PATH} is not there: install the package with pip, "
            "or run `python setup.py build_jar` in a clone"
        )
    return jar.PATH


def configure(builder: Any) -> Any:
    """Puts the jar, the state store, the plugin and the extensions on a session builder.

    Named sources (``spark.sql.streaming.queryEvolution.enableSourceEvolution``) are not switched on
    for the session: Spark then refuses every stream without a name. Views name theirs themselves.

    Args:
        builder: ``SparkSession.builder``, perhaps with confs of yours; what you set stays set,
            lists (jars, plugins, extensions) are extended.

    Returns:
        The same builder; call ``getOrCreate()`` on it.
    """
    path = jar_path()
    info = jar.read(path)
    present = info.classes if info is not None else frozenset()
    wanted = {"spark.jars": str(path)}
    wanted |= {key: name for key, name in confs.CLASSES.items() if name in present}
    own = getattr(builder, "_options", {})
    for key, value in wanted.items():
        before = str(own.get(key, ""))
        if not before:
            builder.config(key, value)
        elif key in _LISTS and value not in before.split(","):
            builder.config(key, f"{before},{value}")
    return builder
