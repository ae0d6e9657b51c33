"""A process of Spark whose whole log, at INFO, is kept in a file."""

from __future__ import annotations

import os
from pathlib import Path

_SETTINGS = """rootLogger.level = info
rootLogger.appenderRef.file.ref = file
appender.file.type = File
appender.file.name = file
appender.file.fileName = {path}
appender.file.layout.type = PatternLayout
appender.file.layout.pattern = %d %p %c: %m%n%ex
"""


def whole_log(folder: Path) -> tuple[Path, dict[str, str]]:
    """Where the log will be, and the environment of the process."""
    path, settings = folder / "all.log", folder / "log4j2.properties"
    settings.write_text(_SETTINGS.format(path=path), "utf-8")
    options = os.environ.get("SPARK_SUBMIT_OPTS", "")
    options = f"{options} -Dlog4j2.configurationFile={settings.as_uri()}"
    return path, {**os.environ, "SPARK_SUBMIT_OPTS": options}
