"""One call to a working session."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from groundswell import confs, jar
from groundswell.errors import ConfigurationError
from groundswell.jvm import submission

JARS_KEY = "spark.jars"
_LISTS = {JARS_KEY, confs.PLUGIN_KEY, confs.EXTENSIONS_KEY}
_ASKED = (
    JARS_KEY,
    confs.MEMORY_KEY,
    *confs.CLASSES,
    confs.MASTER_KEY,
    confs.ARCHIVE_KEY,
    confs.EXECUTOR_OPTIONS_KEY,
)
"""What is settled by what Spark was started with."""
_OUR_JAR = re.compile(r"groundswell[^/\\]*\.jar$")


def jar_path() -> Path:
    """Where the engine's jar is.

    Raises:
        ConfigurationError: if it was never built.

    Examples:
        >>> gs.jar_path().name
        'groundswell.jar'
    """
    if not jar.PATH.is_file():
        raise ConfigurationError(
            f"{jar.PATH} is not there: install the package with pip, "
            "or run `python setup.py build_jar` in a clone"
        )
    return jar.PATH


def configure(builder: Any) -> Any:
    """Puts the jar, the state store, the plugin and the extensions on a session builder.

    What you set stays set, on the builder or on the command line of ``spark-submit`` (also in
    ``PYSPARK_SUBMIT_ARGS`` and ``spark-defaults.conf``): lists (jars, plugins, extensions) are
    extended, and a state store provider or checkpoint file manager of yours is left alone.

    On a local master, Python functions run in the interpreter of this process, unless
    ``PYSPARK_PYTHON`` says otherwise.

    Named sources (``spark.sql.streaming.queryEvolution.enableSourceEvolution``) are not switched on
    for the session: Spark then refuses every stream without a name. Views name theirs themselves.

    Args:
        builder: ``SparkSession.builder``, perhaps with confs of yours.

    Returns:
        The same builder; call ``getOrCreate()`` on it. Only then are the confs settled, since only
        then does Spark say what its command line was.

    Raises:
        ConfigurationError: if the jar was never built.

    Examples:
        >>> from pyspark.sql import SparkSession
        >>> builder = gs.configure(SparkSession.builder.appName("votes"))
        >>> spark = builder.getOrCreate()  # doctest: +SKIP
    """
    path = jar_path()
    get_or_create = builder.getOrCreate

    def settle_and_create() -> Any:
        if not _is_remote(builder._options):
            _settle(builder, path)
        return get_or_create()

    builder.getOrCreate = settle_and_create
    return builder


def settled(own: Mapping[str, str], given: Mapping[str, str], path: Path) -> dict[str, str]:
    """The confs of a session that differ from the builder's own.

    Args:
        own: what the builder has.
        given: what Spark was started with.
        path: of our jar; another one of ours that is there already takes its place.
    """
    info = jar.read(path)
    present = info.classes if info is not None else frozenset()
    ours = {JARS_KEY: str(path), confs.MEMORY_KEY: confs.MEMORY}
    ours |= {key: name for key, name in confs.CLASSES.items() if name in present}
    found = {}
    for key, value in ours.items():
        if key in _LISTS:
            names = _union(given.get(key, ""), own.get(key, ""))
            if not (key == JARS_KEY and any(_OUR_JAR.search(name) for name in names)):
                names = _union(*names, value)
            found[key] = ",".join(names)
        elif not own.get(key) and not given.get(key):
            found[key] = value
    return {key: value for key, value in found.items() if own.get(key) != value}


def _settle(builder: Any, path: Path) -> None:
    own = {key: str(value) for key, value in builder._options.items()}
    jars = settled(own, {}, path).get(JARS_KEY, own.get(JARS_KEY, ""))
    given = submission.launch({**own, JARS_KEY: jars}, path, _ASKED)
    submission.add_to_driver(path)
    if {**given, **own}.get(confs.MASTER_KEY, "").startswith("local"):
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)  # it has what this process has
    for key, value in {
        **settled(own, given, path),
        **submission.of_executors(own, given, path),
    }.items():
        builder.config(key, value)


def _union(*lists: str) -> list[str]:
    """The names in comma-separated lists, each once; a path is one with and without ``file:``."""
    names: dict[str, str] = {}
    for name in ",".join(lists).split(","):
        if name.strip():
            names.setdefault(re.sub(r"^file:(//)?(?=/)", "", name.strip()), name.strip())
    return list(names.values())


def _is_remote(options: Mapping[str, Any]) -> bool:
    """Whether the session will be one of Spark Connect, whose server has the jar or has not."""
    mode = str(options.get("spark.api.mode", os.environ.get("SPARK_API_MODE", "")))
    return (
        "spark.remote" in options
        or "SPARK_REMOTE" in os.environ
        or "SPARK_CONNECT_MODE_ENABLED" in os.environ
        or mode.lower() == "connect"
    )
