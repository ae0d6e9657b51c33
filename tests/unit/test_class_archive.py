"""Which archive of classes a JVM may start from."""

import os
from pathlib import Path

import pytest

from groundswell import class_archive
from groundswell.class_archive import CLASS_PATH_KEY, OPTIONS_KEY


@pytest.fixture(autouse=True)
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A Java and a Spark of one jar."""
    (tmp_path / "java" / "bin").mkdir(parents=True)
    java = tmp_path / "java" / "bin" / "java"
    java.write_text("#!/bin/sh\nexit 1\n")
    java.chmod(0o755)
    (tmp_path / "spark" / "jars").mkdir(parents=True)
    (tmp_path / "spark" / "jars" / "core.jar").write_bytes(b"1")
    (tmp_path / "ours.jar").write_bytes(b"1")
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "java"))
    monkeypatch.setenv("SPARK_HOME", str(tmp_path / "spark"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache with space"))
    monkeypatch.delenv(OPTIONS_KEY, raising=False)
    monkeypatch.delenv(CLASS_PATH_KEY, raising=False)
    return tmp_path


def test_another_jar_or_class_path_is_another_archive(
    machine: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    jar = machine / "ours.jar"
    first = class_archive.location(jar)
    assert first == class_archive.location(jar)
    found = {first, class_archive.location(None)}
    jar.write_bytes(b"22")
    found.add(class_archive.location(jar))
    (machine / "spark" / "jars" / "more.jar").write_bytes(b"1")
    found.add(class_archive.location(jar))
    monkeypatch.setenv("HADOOP_CONF_DIR", str(machine))
    found.add(class_archive.location(jar))
    assert len(found) == 5


def test_a_jvm_is_given_the_archive_and_keeps_what_it_was_given(
    machine: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    jar = machine / "ours.jar"
    monkeypatch.setenv(OPTIONS_KEY, "-Xss4m")
    monkeypatch.setenv(CLASS_PATH_KEY, "/hadoop/*")
    archive = class_archive.location(jar)
    assert archive is not None
    assert class_archive.sharing(archive, jar) == {}, "it is not made yet"
    archive.parent.mkdir(parents=True)
    archive.write_bytes(b"classes")
    with class_archive.applied(class_archive.sharing(archive, jar)):
        given = os.environ[OPTIONS_KEY]
        assert given.startswith(f'-Xss4m "-XX:SharedArchiveFile={archive}" ')
        assert os.environ[CLASS_PATH_KEY] == f"/hadoop/*:{jar}"
        assert class_archive.sharing(archive, jar) == {}, "one archive a JVM"
    assert os.environ[OPTIONS_KEY] == "-Xss4m"
    assert os.environ[CLASS_PATH_KEY] == "/hadoop/*"


def test_an_archive_that_cannot_be_made_leaves_none_and_says_why(machine: Path) -> None:
    with pytest.raises(class_archive.ArchiveError, match="wrote no archive"):
        class_archive.make(machine / "ours.jar")
    archive = class_archive.location(machine / "ours.jar")
    assert archive is not None
    assert list(archive.parent.iterdir()) == []
