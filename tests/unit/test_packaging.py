"""setup.py: what it says without a fit compiler, and that a jar is built once, and the same."""

import hashlib
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
needs_javac = pytest.mark.skipif(shutil.which("javac") is None, reason="needs a JDK")


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A checkout of one class: small, and apart from the one whose jar other tests use."""
    for name in ("setup.py", "LICENSE", "tools/jdk.py", "python/groundswell/version.py"):
        target = tmp_path / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, target)
    source = tmp_path / "jvm-shim" / "src" / "main" / "java" / "a" / "A.java"
    source.parent.mkdir(parents=True)
    source.write_text("package a;\n\npublic class A {}\n")
    resource = tmp_path / "jvm-shim" / "src" / "main" / "resources" / "a" / "words.txt"
    resource.parent.mkdir(parents=True)
    resource.write_text("tide\n")
    return tmp_path


def build(checkout: Path, *arguments: str, **environ: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "setup.py", "build_jar", *arguments],
        cwd=checkout,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, **environ},
    )


def jar_of(checkout: Path) -> Path:
    return checkout / "python" / "groundswell" / "jars" / "groundswell.jar"


def digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def fake_javac(folder: Path, says: str, code: int = 0) -> Path:
    folder.mkdir(parents=True)
    script = folder / "javac"
    script.write_text(f"#!/bin/sh\necho '{says}'\nexit {code}\n")
    script.chmod(0o755)
    return folder


def test_a_missing_compiler_is_named_with_what_to_install(checkout: Path, tmp_path: Path) -> None:
    said = build(checkout, PATH=str(tmp_path / "empty"), JAVA_HOME="/opt/no-such-jdk")
    assert said.returncode != 0
    assert "no Java compiler of version 17 or newer was found" in said.stderr
    assert "JAVA_HOME=/opt/no-such-jdk: no javac" in said.stderr
    assert "PATH: no javac" in said.stderr
    assert "apt-get install openjdk-17-jdk-headless" in said.stderr
    assert "Traceback" not in said.stderr
    assert not jar_of(checkout).exists()


@pytest.mark.parametrize(
    ("says", "seen"), [("javac 11.0.2", "11.0.2"), ("javac 1.8.0_402", "1.8.0_402")]
)
def test_an_old_compiler_is_refused(checkout: Path, tmp_path: Path, says: str, seen: str) -> None:
    folder = fake_javac(tmp_path / "bin", says)
    said = build(checkout, PATH=f"{folder}:/usr/bin-none", JAVA_HOME="")
    assert said.returncode != 0
    assert f"PATH: {folder / 'javac'} is version {seen}" in said.stderr


def test_a_compiler_that_does_not_run_is_refused(checkout: Path, tmp_path: Path) -> None:
    folder = fake_javac(tmp_path / "bin", "no JVM", code=1)
    said = build(checkout, PATH=str(folder), JAVA_HOME="")
    assert said.returncode != 0
    assert "is version unknown (it does not run)" in said.stderr


@needs_javac
def test_an_old_java_home_gives_way_to_a_newer_compiler_on_path(checkout, tmp_path) -> None:
    home = fake_javac(tmp_path / "old" / "bin", "javac 11.0.2").parent
    said = build(checkout, JAVA_HOME=str(home))
    assert said.returncode == 0, said.stderr
    assert jar_of(checkout).is_file()


@pytest.mark.rest
@needs_javac
def test_the_same_sources_make_the_same_bytes(checkout: Path) -> None:
    assert build(checkout).returncode == 0
    first = digest(jar_of(checkout))
    jar_of(checkout).unlink()
    assert build(checkout).returncode == 0
    assert digest(jar_of(checkout)) == first


@pytest.mark.rest
@needs_javac
def test_only_a_change_is_built(checkout: Path) -> None:
    assert build(checkout).returncode == 0
    built = jar_of(checkout).stat().st_mtime_ns
    assert "is up to date" in build(checkout).stdout
    assert jar_of(checkout).stat().st_mtime_ns == built

    (checkout / "jvm-shim/src/main/resources/a/words.txt").write_text("ebb\n")
    assert build(checkout).returncode == 0
    assert jar_of(checkout).stat().st_mtime_ns != built


@pytest.mark.rest
@needs_javac
def test_a_warning_fails_the_build_and_leaves_the_old_jar(checkout: Path) -> None:
    version = subprocess.run(["javac", "-version"], capture_output=True, text=True, check=True)
    if not version.stdout.startswith("javac 17"):
        pytest.skip("a newer compiler's own lints must not break an install")
    assert build(checkout).returncode == 0
    before = digest(jar_of(checkout))
    source = checkout / "jvm-shim" / "src" / "main" / "java" / "a" / "A.java"
    source.write_text("package a;\n\nclass A implements java.io.Serializable {}\n")
    said = build(checkout)
    assert said.returncode != 0
    assert "serialVersionUID" in said.stderr
    assert "javac failed; its messages stand above" in said.stderr
    assert digest(jar_of(checkout)) == before


@pytest.mark.rest
@needs_javac
def test_the_jar_carries_versions_licence_and_resources(checkout: Path) -> None:
    from groundswell import jar
    from groundswell.version import VERSION

    assert build(checkout).returncode == 0
    info = jar.read(jar_of(checkout))
    assert info is not None
    assert info.version == VERSION
    assert info.spark_version.startswith("4.")
    assert info.classes == {"a.A"}
    with zipfile.ZipFile(jar_of(checkout)) as archive:
        assert archive.read("a/words.txt") == b"tide\n"
        assert b"Apache License" in archive.read("META-INF/LICENSE")
