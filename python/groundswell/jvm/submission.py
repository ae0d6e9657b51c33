"""What Spark was started with."""

from __future__ import annotations

import logging
import os
import tempfile
import threading
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from pyspark import SparkConf, SparkContext

from groundswell import archive, confs
from groundswell.archive import Setup
from groundswell.archiving import failure, make_beside
from groundswell.errors import ConfigurationError
from groundswell.java import find_java, variables
from groundswell.jvm.jars import make_mirror, our_class

_log = logging.getLogger("groundswell")


def launch(options: Mapping[str, str], jar: Path, keys: Iterable[str]) -> dict[str, str]:
    """Starts the JVM as PySpark would with these options, unless it runs already.

    It starts from an AOT cache or a class archive, where there is one for this Java, this Spark and
    this jar. With ``spark.groundswell.archive=auto`` one is made, where there is none, by a process
    beside this one.

    Args:
        options: confs of the builder.
        jar: ours.
        keys: of the confs that are asked for; each costs a round trip to the JVM.

    Returns:
        Those of the confs that the JVM was given: by ``spark-submit``, ``PYSPARK_SUBMIT_ARGS`` and
        ``spark-defaults.conf``; of a context that is there already, its own.

    Raises:
        ConfigurationError: if ``spark.groundswell.archive`` is none of its values.
    """
    context = SparkContext._active_spark_context
    if context is not None:
        return _of(context._conf, keys)
    policy = _policy(options)
    asked = SparkConf(loadDefaults=False)
    for key, value in options.items():
        asked.set(key, value)
    setup = archive.setup(jar, _java_options(options))
    ours = not _is_running()
    with tempfile.TemporaryDirectory() as made:
        said = Path(made) / "said"
        reading = setup.reading(said) if setup and policy != confs.ARCHIVE_OFF else {}
        plain = variables(find_java(), archive.cache() / "java")
        with archive.applied((reading or plain) if ours else {}):
            SparkContext._ensure_initialized(conf=asked)
        if ours:
            threading.Thread(target=make_mirror, args=(SparkContext._jvm,), daemon=True).start()
        if setup and reading and ours:
            _tell_if_unused(setup, said)
    given = _of(SparkConf(_jvm=SparkContext._jvm), {*keys, confs.ARCHIVE_KEY})
    if setup and not setup.file and ours and _policy({**given, **options}) == confs.ARCHIVE_AUTO:
        _make(setup)
    return given


def of_executors(own: Mapping[str, str], given: Mapping[str, str], jar: Path) -> dict[str, str]:
    """The conf by which executors on this machine start from the driver's file, if any.

    Args:
        own: what the builder has.
        given: what Spark was started with.
        jar: ours.
    """
    both = {**given, **own}
    setup = archive.setup(jar, _java_options(own))
    local = both.get(confs.MASTER_KEY, "").startswith("local-cluster")
    file = setup.file if setup is not None and local else None
    if setup is None or file is None or _policy(both) == confs.ARCHIVE_OFF:
        return {}
    before = both.get(confs.EXECUTOR_OPTIONS_KEY, "")
    if any(option in before for option in archive.GIVEN):
        return {}
    return {confs.EXECUTOR_OPTIONS_KEY: " ".join(filter(None, (before, *setup.options(file))))}


def add_to_driver(jar: Path) -> None:
    """Puts a jar on the class path of a JVM that runs already, unless it has one of ours.

    Spark distributes ``spark.jars`` of a builder to executors; the driver has only what it was
    started with.
    """
    jvm: Any = SparkContext._jvm
    if our_class(jvm) is None:
        loader = jvm.java.lang.Thread.currentThread().getContextClassLoader()
        loader.addURL(jvm.java.io.File(str(jar)).toURI().toURL())


def _of(conf: SparkConf, keys: Iterable[str]) -> dict[str, str]:
    found = {key: conf.get(key) for key in keys}
    return {key: value for key, value in found.items() if value is not None}


def _policy(options: Mapping[str, str]) -> str:
    value = options.get(confs.ARCHIVE_KEY, confs.ARCHIVE_USE)
    if value not in confs.ARCHIVE_VALUES:
        raise ConfigurationError(
            f"{confs.ARCHIVE_KEY} must be one of {', '.join(confs.ARCHIVE_VALUES)}; got {value!r}"
        )
    return value


def _java_options(options: Mapping[str, str]) -> str:
    return " ".join(options.get(key, "") for key in confs.DRIVER_OPTIONS_KEYS).strip()


def _is_running() -> bool:
    """Whether the JVM is there: another program's, as spark-submit's, or one that PySpark began."""
    return SparkContext._gateway is not None or "PYSPARK_GATEWAY_PORT" in os.environ


def _tell_if_unused(setup: Setup, said: Path) -> None:
    jvm: Any = SparkContext._jvm
    info = str(jvm.java.lang.System.getProperty("java.vm.info"))
    why = archive.why_unused(info, said.read_text("utf-8", "replace") if said.is_file() else "")
    if why:
        _log.warning(
            "the JVM started without the %s %s: %s; remove the file, and `python -m groundswell "
            "train` makes another one",
            setup.kind.name,
            setup.file,
            why,
        )


def _make(setup: Setup) -> None:
    if make_beside(setup):
        _log.info("a process makes the %s for later starts, in %s", setup.kind.name, setup.folder)
    else:
        _log.info("no %s: the last attempt failed, see %s", setup.kind.name, failure(setup))
