"""The Spark session of a command."""

from __future__ import annotations

import os
import re
import shlex
import signal
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from groundswell.archive import OPTIONS_KEY
from groundswell.errors import ConfigurationError
from groundswell.installation import conf_folder, find_spark_home

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


_SECRET = re.compile(r"secret|password|token|access[.]?key", re.IGNORECASE)
"""Confs whose values are shown to nobody: those of ``spark.redaction.regex``, by default."""


class NotStartedError(ConfigurationError):
    """Spark, or its JVM, does not start with what it was given."""


def start(master: str | None, confs: Mapping[str, str]) -> SparkSession:
    """A session of the command's own; under spark-submit, that one's. Ctrl-C reaches Python alone.

    Args:
        master: Spark's master; None takes spark-submit's, or all cores of this machine.
        confs: more Spark confs.

    Raises:
        NotStartedError: with what Spark says, and the confs.
    """
    from pyspark import SparkConf
    from pyspark.sql import SparkSession

    from groundswell.api.session import configure
    from groundswell.jvm.errors import JVM_ERRORS, leave_errors_to_the_caller, summary, translate

    _log_errors_only()
    leave_errors_to_the_caller()
    builder = SparkSession.builder.appName("groundswell")
    builder = builder.config("spark.ui.enabled", "false")
    builder = builder.config("spark.ui.showConsoleProgress", "false")
    if master is not None or not SparkConf().contains("spark.master"):
        master = master or "local[*]"
        builder = builder.master(master)
    for key, value in confs.items():
        builder = builder.config(key, value)
    try:
        spark: SparkSession = configure(builder).getOrCreate()
        spark.conf.get("spark.sql.warehouse.dir")  # makes the state of the session
    except ConfigurationError as error:
        raise _not_started(str(error), master, confs) from error
    except JVM_ERRORS as error:
        raise _not_started(str(translate(error) or summary(error)), master, confs) from error
    spark.sparkContext.setLogLevel("ERROR")
    # PySpark's handler cancels all jobs, and asks the JVM over a connection that waits for it
    signal.signal(signal.SIGINT, signal.default_int_handler)
    return spark


def stop(spark: SparkSession) -> None:
    """Ends a session. A signal to the process group may have ended its JVM before."""
    with suppress(Exception):
        spark.stop()


def _not_started(says: str, master: str | None, confs: Mapping[str, str]) -> NotStartedError:
    from groundswell.sinks.dsn import MASK
    from groundswell.sinks.options import mask_text

    given = {**({"--master": master} if master else {}), **confs}
    asked = ", ".join(
        f"{name} = {MASK if _SECRET.search(name) else mask_text(value)}"
        for name, value in given.items()
    )
    if "JAVA_GATEWAY_EXITED" in says:
        says = "its JVM has ended, and says why above"
    return NotStartedError(f"Spark does not start: {says}" + (f" (given {asked})" if asked else ""))


def _log_errors_only() -> None:
    """Has the JVM begin with our log settings, unless the user has some."""
    folder = conf_folder(find_spark_home())
    own = folder is not None and any(folder.glob("log4j2.*"))
    options = os.environ.get(OPTIONS_KEY, "")
    if "log4j" not in options and not own:
        ours = (Path(__file__).parent / "log4j2.properties").as_uri()
        setting = shlex.quote(f"-Dlog4j2.configurationFile={ours}")
        os.environ[OPTIONS_KEY] = f"{options} {setting}".strip()
