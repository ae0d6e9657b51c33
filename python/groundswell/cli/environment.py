"""Gathers what the doctor looks at. Finds facts, judges nothing."""

import platform
import re
import subprocess
import sys
from importlib import metadata
from pathlib import Path
from typing import NamedTuple

from groundswell import archive, jar
from groundswell.archive import Setup
from groundswell.archiving import failure
from groundswell.installation import conf_folder, find_spark_home
from groundswell.java import Java, find_java
from groundswell.version import VERSION


class Environment(NamedTuple):
    """The machine as a Spark application started from here would find it.

    ``None`` where a thing is not there; ``java_version`` is empty if Java does not say. ``why`` is
    why JVMs have no file to start from, if that is known.
    """

    python_version: str
    package_version: str
    spark_home: Path | None
    spark_version: str | None
    java: Java | None
    java_version: str
    jar_path: Path
    jar_info: jar.JarInfo | None
    archive: Setup | None
    why: str = ""


class Confs(NamedTuple):
    """Spark confs and where they come from; no source at all means nobody has set any."""

    values: dict[str, str]
    sources: list[str]


def gather() -> Environment:
    """Looks at this machine."""
    home = find_spark_home()
    java = find_java()
    setup = archive.setup(jar.PATH)
    return Environment(
        python_version=platform.python_version(),
        package_version=VERSION,
        spark_home=home,
        spark_version=find_spark_version(home),
        java=java,
        java_version=(java.build or java_version_of(java.program)) if java else "",
        jar_path=jar.PATH,
        jar_info=jar.read(),
        archive=setup,
        why=archive.hindrance() or (last_words(setup) if setup else ""),
    )


def last_words(setup: Setup) -> str:
    """The end of what the process said that was to make a file in the background, and did not."""
    try:
        return failure(setup).read_text("utf-8").strip()[-300:]
    except OSError:
        return ""


def find_spark_version(home: Path | None) -> str | None:
    """The version of the jars that will run, which need not be the Python package's."""
    if home is not None:
        for core in sorted((home / "jars").glob("spark-core_*.jar")):
            return core.stem.rpartition("-")[2]
    try:
        return metadata.version("pyspark")
    except metadata.PackageNotFoundError:
        return None


def java_version_of(java: Path) -> str:
    """What ``java -version`` says; empty if it does not run."""
    try:
        said = subprocess.run(
            [str(java), "-version"], capture_output=True, text=True, timeout=30, check=True
        )
    except (OSError, subprocess.SubprocessError):
        return ""
    found = re.search(r'version "([^"]+)"', said.stderr + said.stdout)
    return found.group(1) if found else ""


def gather_confs(given: dict[str, str], spark_home: Path | None) -> Confs:
    """Spark's own precedence: defaults file, then the running session, then what was given."""
    values: dict[str, str] = {}
    sources: list[str] = []
    defaults = defaults_file(spark_home)
    if defaults is not None and defaults.is_file():
        values.update(parse_defaults(defaults.read_text("utf-8")))
        sources.append(str(defaults))
    session = session_confs()
    if session is not None:
        values.update(session)
        sources.append("the active SparkSession")
    if given:
        values.update(given)
        sources.append("--conf")
    return Confs(values, sources)


def defaults_file(spark_home: Path | None) -> Path | None:
    """Where spark-submit would look for spark-defaults.conf."""
    folder = conf_folder(spark_home)
    return folder / "spark-defaults.conf" if folder else None


def parse_defaults(text: str) -> dict[str, str]:
    """``key value`` or ``key=value`` a line; ``#`` starts a comment line."""
    found = {}
    for line in text.splitlines():
        stripped = line.strip()
        if stripped and not stripped.startswith("#"):
            key, *value = re.split(r"\s*=\s*|\s+", stripped, maxsplit=1)
            found[key] = value[0].strip() if value else ""
    return found


def session_confs() -> dict[str, str] | None:
    """Confs of this process's SparkSession; None if pyspark is not even loaded or has none."""
    sql = sys.modules.get("pyspark.sql")
    session = sql.SparkSession.getActiveSession() if sql is not None else None
    if session is None:
        return None
    return {**dict(session.sparkContext.getConf().getAll()), **session.conf.getAll}
