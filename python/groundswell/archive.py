"""What a JVM learned at one start, kept in a file for every JVM that PySpark starts later.

A JVM that starts Spark spends its first seconds on loading some 20,000 classes, and on running
code that it has not compiled yet. From JDK 25 on it can keep loaded and linked classes with
profiles of their methods in an AOT cache (JEP 483, 514, 515); older ones keep parsed classes in a
class archive (JEP 350).

A file fits one setup. Its name holds where the setup is (Java, Spark, our jar, options of the JVM,
what else stands on the class path), which builds of them it was made from, and its size. So a new
version of any of them finds no file, until one is made, which takes the place of the old one. The
JVM compares the builds itself, too, and starts without the file where they differ. But it may crash
on a file that was cut off, so such a one is not given to it.
"""

from __future__ import annotations

import hashlib
import os
import shlex
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from groundswell.installation import conf_folder, find_spark_home
from groundswell.java import HOME_KEY, Java, find_java, home_without_module, variables

OPTIONS_KEY = "SPARK_SUBMIT_OPTS"
"""What Spark's launcher adds to the options of a driver's JVM."""
CLASS_PATH_KEY = "SPARK_DIST_CLASSPATH"
"""What Spark's launcher adds to the class path, after its own jars."""
OTHER_OPTIONS = ("JDK_JAVA_OPTIONS", "JAVA_TOOL_OPTIONS")
FOLDERS = ("SPARK_CONF_DIR", "HADOOP_CONF_DIR", "YARN_CONF_DIR")
_NO_MATTER = ("-D", "-Xm", "-Xss", "-Xlog")
"""Options that differ between JVMs which can use the same file."""

_TOP_FAILED = "archive failed to load"
"""What a JVM says that shares the JDK's own classes, and not those of the file given."""


class Kind(NamedTuple):
    """What a JVM can keep.

    Attributes:
        name: in messages.
        suffix: of the file.
        read: the option that names a file to start from.
        write: the option that names a file to write when the JVM ends.
        strict: the option of a JVM that does not start without its file.
        tags: of the JVM's messages about it, which go to stdout.
    """

    name: str
    suffix: str
    read: str
    write: str
    strict: str
    tags: tuple[str, ...]


CLASSES = Kind(
    "class archive",
    ".jsa",
    "-XX:SharedArchiveFile=",
    "-XX:ArchiveClassesAtExit=",
    "-Xshare:on",
    ("cds*",),
)
AOT = Kind(
    "AOT cache",
    ".aot",
    "-XX:AOTCache=",
    "-XX:AOTCacheOutput=",
    "-XX:AOTMode=on",
    ("aot*", "cds*"),
)
GIVEN = tuple(option for kind in (CLASSES, AOT) for option in (kind.read, kind.write))
"""Options by which a JVM has a file of somebody else's choice."""


def kind_of(java: Java) -> Kind:
    """An AOT cache from JDK 25 on, which makes one in a single run; else a class archive."""
    return AOT if java.major >= 25 else CLASSES


class Setup(NamedTuple):
    """A Java, a Spark and a jar that belong together, and what their file is called.

    Attributes:
        java: that runs Spark.
        jar: ours, which then stands on the JVM's class path; None for Spark's classes alone.
        folder: of the files of all setups.
        place: what the names of all files of this setup begin with.
        build: what the names of those go on with that are made from these builds.
    """

    java: Java
    jar: Path | None
    folder: Path
    place: str
    build: str

    @property
    def kind(self) -> Kind:
        """What the file is."""
        return kind_of(self.java)

    @property
    def file(self) -> Path | None:
        """What JVMs start from, if it is there, whole."""
        for file in self.folder.glob(f"{self.place}-{self.build}-*{self.kind.suffix}"):
            if file == self.named(file):
                return file
        return None

    def named(self, draft: Path) -> Path:
        """The place of a file with the bytes of a draft."""
        name = f"{self.place}-{self.build}-{draft.stat().st_size}{self.kind.suffix}"
        return self.folder / name

    def reading(self, said: Path | None = None) -> dict[str, str]:
        """Variables for Spark's launcher, so that the JVM starts from the file.

        Args:
            said: a file for what the JVM says if it starts without; default: it says nothing.

        Returns:
            Nothing where there is no file, or where the JVM was given one already.
        """
        given = os.environ.get(OPTIONS_KEY, "")
        file = self.file
        if file is None or any(option in given for option in GIVEN):
            return {}
        tags = ",".join(f"{tag}=warning" for tag in self.kind.tags)
        log = [_quoted(f"-Xlog:{tags}:file={said}:none")] if said else []
        return self._variables(*self.options(file), *log)

    def options(self, file: Path) -> list[str]:
        """Options of a JVM that starts from a file."""
        return [_quoted(self.kind.read + str(file)), self._quiet()]

    def writing(self, draft: Path) -> dict[str, str]:
        """Variables for Spark's launcher, so that the JVM writes a file when it ends."""
        return self._variables(_quoted(self.kind.write + str(draft)), self._quiet())

    def requiring(self, draft: Path) -> dict[str, str]:
        """Variables for Spark's launcher, so that a JVM fails where it cannot use a file."""
        return self._variables(_quoted(self.kind.read + str(draft)), self.kind.strict)

    def of_java(self) -> dict[str, str]:
        """Variables by which Spark's launcher takes this Java, as the file wants it."""
        scripts = cache() / "java"
        if self.kind is AOT and os.name == "posix":
            return {HOME_KEY: str(home_without_module(self.java, scripts))}
        return variables(self.java, scripts)

    def _quiet(self) -> str:
        return "-Xlog:" + ",".join(f"{tag}=off" for tag in self.kind.tags)

    def _variables(self, *options: str) -> dict[str, str]:
        given = os.environ.get(OPTIONS_KEY, "")
        found = {**self.of_java(), OPTIONS_KEY: " ".join(filter(None, (given, *options)))}
        if self.jar is not None:
            others = os.environ.get(CLASS_PATH_KEY)
            path = [*([others] if others else []), str(self.jar)]
            found[CLASS_PATH_KEY] = os.pathsep.join(path)
        return found


def cache() -> Path:
    """Our folder in the user's cache folder: ``~/.cache``, or ``XDG_CACHE_HOME``.

    A user without a home, as in some containers, has none: nothing is ever found there.
    """
    kept = os.environ.get("XDG_CACHE_HOME")
    if not kept:
        try:
            kept = str(Path.home() / ".cache")
        except RuntimeError:
            kept = os.devnull  # no folder that others can write to: what is found there is run
    return Path(kept) / "groundswell"


def folder() -> Path:
    """Where the files of all setups are kept."""
    return cache() / "archives"


def setup(jar: Path | None, options: str = "", within: Path | None = None) -> Setup | None:
    """The setup that JVMs started from here have.

    Args:
        jar: as in :class:`Setup`.
        options: of the JVM, beside those of the environment.
        within: the folder of files; default: the user's.

    Returns:
        None where there is no Java or no Spark.
    """
    java, home = find_java(), find_spark_home()
    if java is None or home is None:
        return None
    jars = sorted((home / "jars").glob("*.jar"))
    place = [java.program.resolve(), home, jar, *_matter(options)]
    place += [f"{key}={os.environ.get(key, '')}" for key in (*FOLDERS, CLASS_PATH_KEY)]
    builds = [kind_of(java).suffix, java.build]
    for file in [java.program.resolve(), *jars, *([jar] if jar else [])]:
        if file.is_file():
            known = file.stat()
            builds.append(f"{file} {known.st_size} {known.st_mtime_ns}")
    return Setup(java, jar, within or folder(), _digest(place), _digest(builds))


def why_unused(info: str, said: str) -> str:
    """Why a JVM started without the file that it was given; empty: it has it.

    Args:
        info: its property ``java.vm.info``, which names sharing if it shares any classes.
        said: its warnings. It warns of single classes, too, that it passes over.
    """
    refused = [line for line in said.splitlines() if _TOP_FAILED in line]
    if "sharing" in info and not refused:
        return ""
    return (refused or said.splitlines() or ["it can read none of it"])[0].strip()


def hindrance() -> str:
    """Why a JVM that Spark's launcher starts here can use no file; empty: it can."""
    conf = conf_folder(find_spark_home())
    named = {
        "SPARK_CONF_DIR": str(conf or ""),
        **{key: os.environ.get(key, "") for key in FOLDERS[1:]},
    }
    for key, value in named.items():
        for path in filter(None, value.split(os.pathsep)):
            if Path(path).is_dir() and any(Path(path).iterdir()):
                return f"{path} ({key}) stands on the class path and has files: a JVM then has none"
    return ""


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


def _matter(options: str) -> list[str]:
    given = [os.environ.get(key, "") for key in (OPTIONS_KEY, *OTHER_OPTIONS)]
    words = [word for text in (*given, options) for word in shlex.split(text)]
    return [word for word in words if not word.startswith((*_NO_MATTER, *GIVEN))]


def _digest(parts: Iterable[object]) -> str:
    return hashlib.sha256("\0".join(map(str, parts)).encode()).hexdigest()[:16]


def _quoted(option: str) -> str:
    return f'"{option}"' if " " in option else option
