"""Classes parsed and verified once, for every JVM that PySpark starts.

A JVM that starts Spark spends much of its first seconds on loading some 20,000 classes. The JDK's
class data sharing keeps them in a file that later JVMs map (JEP 350: dynamic archives). The file's
name holds a digest of what it was made from: the Java, Spark's jars, our jar, and what else stands
on the class path. So a new version of any of them finds no archive, until one is made. The JVM
compares them, too, and starts without the archive where they differ.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from groundswell.installation import find_java, find_spark_home

OPTIONS_KEY = "SPARK_SUBMIT_OPTS"
"""What Spark's launcher adds to the options of a driver's JVM."""
CLASS_PATH_KEY = "SPARK_DIST_CLASSPATH"
"""What Spark's launcher adds to the class path, after its own jars."""
_ON_CLASS_PATH = ("SPARK_CONF_DIR", "HADOOP_CONF_DIR", "YARN_CONF_DIR", CLASS_PATH_KEY)
_SHARED = "-XX:SharedArchiveFile="
_WRITTEN = "-XX:ArchiveClassesAtExit="
_QUIET = "-Xlog:cds*=off"
_LIMIT = 600  # seconds


class ArchiveError(RuntimeError):
    """The JVM wrote no archive."""


def folder() -> Path:
    """Where archives are kept: ``groundswell`` in the user's cache folder."""
    cache = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(cache) / "groundswell" / "classes"


def location(jar: Path | None, within: Path | None = None) -> Path | None:
    """Where the archive of this Java, this Spark and this jar is, or would be.

    Args:
        jar: ours, which then stands on the JVM's class path; None for Spark's classes alone.
        within: the folder of archives; default: the user's.

    Returns:
        The file's path; None where there is no Java or no Spark.
    """
    java, home = find_java(), find_spark_home()
    if java is None or home is None:
        return None
    digest = hashlib.sha256()
    for file in [java.resolve(), *sorted((home / "jars").glob("*.jar")), *([jar] if jar else [])]:
        if file.is_file():
            known = file.stat()
            digest.update(f"{file}\0{known.st_size}\0{known.st_mtime_ns}\0".encode())
    for key in _ON_CLASS_PATH:
        digest.update(f"{key}={os.environ.get(key, '')}\0".encode())
    return (within or folder()) / f"{digest.hexdigest()[:32]}.jsa"


def sharing(archive: Path | None, jar: Path | None) -> dict[str, str]:
    """Variables for the JVM's launcher, so that it starts from the archive.

    Returns:
        Nothing where there is no archive, or where the JVM was given one already.
    """
    given = os.environ.get(OPTIONS_KEY, "")
    if archive is None or not archive.is_file() or any(o in given for o in (_SHARED, _WRITTEN)):
        return {}
    return _variables([given, _quoted(f"{_SHARED}{archive}"), _QUIET], jar)


def make(jar: Path | None, within: Path | None = None) -> Path:
    """Runs a few small views in a new process, and keeps the classes that it loaded.

    Args:
        jar: as for :func:`location`.
        within: the folder of archives; default: the user's. Older archives in it go.

    Returns:
        The archive, some 170 MB. It is made unless it is there.

    Raises:
        ArchiveError: if there is no Java or no Spark, or the process failed.
    """
    archive = location(jar, within)
    if archive is None:
        raise ArchiveError("there is no Java or no Spark here: `python -m groundswell doctor`")
    if archive.is_file():
        return archive
    archive.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=archive.parent) as drafts:
        draft = Path(drafts) / archive.name
        options = [_quoted(f"{_WRITTEN}{draft}"), _QUIET]
        ran = subprocess.run(
            [sys.executable, "-m", "groundswell.cli.training"],
            env={**os.environ, **_variables(options, jar)},
            capture_output=True,
            text=True,
            check=False,
            timeout=_LIMIT,
        )
        if ran.returncode != 0 or not draft.is_file():
            raise ArchiveError(f"the JVM wrote no archive of its classes: {ran.stderr[-1000:]}")
        for old in archive.parent.glob("*.jsa"):
            old.unlink(missing_ok=True)
        draft.replace(archive)
    return archive


@contextmanager
def applied(variables: Mapping[str, str]) -> Iterator[None]:
    """Sets variables of this process for a while."""
    before = {key: os.environ.get(key) for key in variables}
    os.environ.update(variables)
    try:
        yield
    finally:
        for key, value in before.items():
            if value is None:
                del os.environ[key]
            else:
                os.environ[key] = value


def _variables(options: list[str], jar: Path | None) -> dict[str, str]:
    found = {OPTIONS_KEY: " ".join(option for option in options if option)}
    if jar is not None:
        others = os.environ.get(CLASS_PATH_KEY)
        found[CLASS_PATH_KEY] = os.pathsep.join([*([others] if others else []), str(jar)])
    return found


def _quoted(option: str) -> str:
    return f'"{option}"' if " " in option else option
