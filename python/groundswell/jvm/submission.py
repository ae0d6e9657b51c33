"""What Spark was started with."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pyspark import SparkConf, SparkContext

from groundswell import class_archive
from groundswell.jvm.jars import our_class


def launch(options: Mapping[str, str], jar: Path) -> dict[str, str]:
    """Starts the JVM as PySpark would with these options, unless it runs already.

    It starts from an archive of classes where there is one for this Spark and this jar.

    Args:
        options: confs of the builder.
        jar: ours.

    Returns:
        The confs that the JVM was given: by ``spark-submit``, ``PYSPARK_SUBMIT_ARGS`` and
        ``spark-defaults.conf``; of a context that is there already, its own.
    """
    context = SparkContext._active_spark_context
    if context is not None:
        return dict(context.getConf().getAll())
    asked = SparkConf(loadDefaults=False)
    for key, value in options.items():
        asked.set(key, value)
    with class_archive.applied(class_archive.sharing(class_archive.location(jar), jar)):
        SparkContext._ensure_initialized(conf=asked)
    return dict(SparkConf(_jvm=SparkContext._jvm).getAll())


def add_to_driver(jar: Path) -> None:
    """Puts a jar on the class path of a JVM that runs already, unless it has one of ours.

    Spark distributes ``spark.jars`` of a builder to executors; the driver has only what it was
    started with.
    """
    jvm: Any = SparkContext._jvm
    if our_class(jvm) is None:
        loader = jvm.java.lang.Thread.currentThread().getContextClassLoader()
        loader.addURL(jvm.java.io.File(str(jar)).toURI().toURL())
