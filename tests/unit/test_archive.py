"""Which file a JVM may start from, and what becomes of it."""

import os
import subprocess
from pathlib import Path

import pytest

from groundswell import archive, archiving
from groundswell.archive import AOT, CLASS_PATH_KEY, CLASSES, OPTIONS_KEY, Setup


@pytest.fixture(autouse=True)
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A Java that fails, and a Spark of one jar."""
    install_java(tmp_path / "java", "17.0.15+6")
    (tmp_path / "spark" / "jars").mkdir(parents=True)
    (tmp_path / "spark" / "jars" / "core.jar").write_bytes(b"1")
    (tmp_path / "ours.jar").write_bytes(b"1")
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "java"))
    monkeypatch.setenv("SPARK_HOME", str(tmp_path / "spark"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache with space"))
    for key in (OPTIONS_KEY, CLASS_PATH_KEY, *archive.FOLDERS, *archive.OTHER_OPTIONS):
        monkeypatch.delenv(key, raising=False)
    return tmp_path


def install_java(home: Path, build: str) -> None:
    (home / "bin").mkdir(parents=True, exist_ok=True)
    java = home / "bin" / "java"
    java.write_text("#!/bin/sh\nexit 1\n")
    java.chmod(0o755)
    (home / "release").write_text(f'JAVA_RUNTIME_VERSION="{build}"\nJAVA_VERSION="x"\n')


def found(machine: Path, options: str = "") -> Setup:
    setup = archive.setup(machine / "ours.jar", options)
    assert setup is not None
    return setup


def keep(setup: Setup, data: bytes = b"learned") -> Path:
    setup.folder.mkdir(parents=True, exist_ok=True)
    draft = setup.folder / "draft"
    draft.write_bytes(data)
    return draft.replace(setup.named(draft))


def test_another_build_is_another_file_in_the_same_place(machine: Path) -> None:
    first = found(machine)
    assert first == found(machine)
    others = []
    (machine / "ours.jar").write_bytes(b"22")
    others.append(found(machine))
    (machine / "spark" / "jars" / "more.jar").write_bytes(b"1")
    others.append(found(machine))
    install_java(machine / "java", "17.0.16+8")
    others.append(found(machine))
    assert len({first.build, *(other.build for other in others)}) == 4
    assert {other.place for other in others} == {first.place}


def test_another_class_path_or_option_is_another_place(
    machine: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    places = [found(machine).place, found(machine, "-XX:+UseSerialGC").place]
    plain = archive.setup(None)
    assert plain is not None
    places.append(plain.place)
    monkeypatch.setenv("HADOOP_CONF_DIR", str(machine))
    places.append(found(machine).place)
    monkeypatch.setenv(OPTIONS_KEY, "-XX:+UseZGC")
    places.append(found(machine).place)
    assert len(set(places)) == 5
    assert found(machine, "-Xmx2g -Duser.timezone=UTC").place == places[-1], "they do not matter"


@pytest.mark.parametrize(
    ("build", "kind"), [("17.0.15+6", CLASSES), ("24.0.1+9", CLASSES), ("25.0.3+9-LTS", AOT)]
)
def test_the_jvm_s_version_says_what_it_can_keep(machine: Path, build: str, kind) -> None:
    install_java(machine / "java", build)
    assert found(machine).kind is kind
    assert keep(found(machine)).suffix == kind.suffix


def test_a_jvm_is_given_the_file_and_keeps_what_it_was_given(
    machine: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(OPTIONS_KEY, "-Xss4m")
    monkeypatch.setenv(CLASS_PATH_KEY, "/hadoop/*")
    setup = found(machine)
    assert setup.reading() == {}, "it is not made yet"
    file = keep(setup)
    with archive.applied(setup.reading(machine / "said")):
        given = os.environ[OPTIONS_KEY]
        assert given.startswith(f'-Xss4m "-XX:SharedArchiveFile={file}" -Xlog:cds*=off ')
        assert given.endswith(f"-Xlog:cds*=warning:file={machine}/said:none")
        assert os.environ[CLASS_PATH_KEY] == f"/hadoop/*:{machine}/ours.jar"
        assert setup.reading() == {}, "one file a JVM"
    assert os.environ[OPTIONS_KEY] == "-Xss4m"
    assert os.environ[CLASS_PATH_KEY] == "/hadoop/*"


@pytest.mark.parametrize(
    ("info", "said", "why"),
    [
        ("mixed mode, sharing", "", ""),
        ("mixed mode, sharing", "Species_LL is different from the expected name 'LI'\n", ""),
        (
            "mixed mode",
            "shared class paths mismatch\nUnable to map\n",
            "shared class paths mismatch",
        ),
        ("mixed mode", "", "it can read none of it"),
        (
            "mixed mode, sharing",
            "a.jar has changed\nThe top archive failed to load: a.jsa\n",
            "The top archive failed to load: a.jsa",
        ),
    ],
)
def test_a_jvm_that_warns_of_a_class_has_the_file_all_the_same(
    info: str, said: str, why: str
) -> None:
    assert archive.why_unused(info, said) == why


def test_a_file_that_cannot_be_made_leaves_none_and_says_why(machine: Path) -> None:
    setup = found(machine)
    with pytest.raises(archiving.ArchiveError, match="wrote no class archive"):
        archiving.make(setup)
    assert [path.name for path in setup.folder.iterdir()] == ["making"]


def test_a_folder_with_files_on_the_class_path_is_named(
    machine: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert archive.hindrance() == ""
    monkeypatch.setenv("HADOOP_CONF_DIR", str(machine))
    with pytest.raises(archiving.ArchiveError, match=r"\(HADOOP_CONF_DIR\) stands on the class"):
        archiving.make(found(machine))


def test_the_file_of_an_older_build_goes_and_those_used_last_stay(
    machine: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def run(command: list[str], options: dict[str, str]):
        for draft in archive.folder().glob("*/"):
            (draft / "draft.jsa").write_bytes(b"learned")
        return subprocess.CompletedProcess(command, 0, "", "")

    monkeypatch.setattr(archiving, "_run", run)
    old = archiving.make(found(machine))
    for age in range(archiving.KEPT + 1):
        other = archive.folder() / f"other{age}-build.aot"
        other.write_bytes(b"learned")
        os.utime(other, (1000 - age, 1000 - age))
    (machine / "ours.jar").write_bytes(b"22")
    made = archiving.make(found(machine))
    left = sorted(path.name for path in archive.folder().iterdir() if path.suffix != "")
    assert left == sorted([made.name, *(f"other{i}-build.aot" for i in range(archiving.KEPT))])
    assert not old.exists()


@pytest.mark.skipif(os.name != "posix", reason="a script of sh")
def test_an_aot_cache_goes_with_a_java_that_is_not_asked_for_the_module(
    machine: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With it, the cache would have no linked classes and no lambdas."""
    install_java(machine / "java", "25.0.3+9-LTS")
    setup = found(machine)
    keep(setup)
    home = setup.reading()["JAVA_HOME"]
    assert setup.writing(machine / "draft")["JAVA_HOME"] == home
    assert "jdk.incubator.vector" in (Path(home) / "bin" / "java").read_text()
    monkeypatch.setenv("JAVA_HOME", home)
    assert found(machine).file == setup.file, "it is the same Java"


def test_a_file_that_was_cut_off_is_not_given_to_a_jvm(machine: Path) -> None:
    """JDK 17 crashes on one."""
    setup = found(machine)
    file = keep(setup, b"learned much")
    assert setup.file == file
    os.truncate(file, 7)
    assert setup.file is None
    assert setup.reading() == {}


def test_a_user_without_a_home_has_no_file(machine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def nowhere() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setattr(Path, "home", nowhere)
    assert found(machine).reading() == {}


def test_after_a_failure_in_the_background_a_day_passes(machine: Path) -> None:
    setup = found(machine)
    log = archiving.failure(setup)
    log.parent.mkdir(parents=True)
    log.write_text("error: no room\n")
    assert not archiving.make_beside(setup), "it failed just now"
    keep(setup)
    os.utime(log, (0, 0))
    assert not archiving.make_beside(setup), "it is there"
