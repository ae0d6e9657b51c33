"""What a user's command line says counts: through a real spark-submit, with a user's jar."""

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pyspark
import pytest

from groundswell import confs

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))

from jdk import RELEASE, find_jdk

pytestmark = pytest.mark.rest

HERE = Path(__file__).parent
SPARK_HOME = Path(pyspark.__file__).parent
ROCKSDB = "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"
MANAGER = (
    "org.apache.spark.sql.execution.streaming.checkpointing.FileContextBasedCheckpointFileManager"
)
CLUSTER = "local-cluster[2,1,1024]"
ROWS = [[2, 1], [3, 1], [4, 1]]


@pytest.fixture(scope="module")
def user_jar(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("user")
    (folder / "classes").mkdir()
    jars = os.pathsep.join(map(str, (SPARK_HOME / "jars").glob("*.jar")))
    sources = sorted(map(str, (HERE / "java" / "example").glob("*.java")))
    command = [str(find_jdk().javac), "--release", str(RELEASE), "-proc:none"]
    subprocess.run([*command, "-cp", jars, "-d", str(folder / "classes"), *sources], check=True)
    return packed(folder / "user.jar", folder / "classes")


def packed(jar: Path, classes: Path, manifest: str = "") -> Path:
    with zipfile.ZipFile(jar, "w") as archive:
        if manifest:
            archive.writestr("META-INF/MANIFEST.MF", manifest)
        for path in sorted(classes.rglob("*.class")):
            archive.write(path, path.relative_to(classes).as_posix())
    return jar


def environment(**more: str) -> dict[str, str]:
    kept = {key: value for key, value in os.environ.items() if key != "SPARK_SUBMIT_OPTS"}
    return {**kept, "SPARK_LOCAL_IP": "127.0.0.1", **more}


def run(command: list[str], **more: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command, env=environment(**more), capture_output=True, text=True, timeout=580, check=False
    )


def submit(folder: Path, master: str, *options: str, arguments: tuple[str, ...] = ()) -> dict:
    """What ``app.py`` says."""
    command = [str(SPARK_HOME / "bin" / "spark-submit"), "--master", master, *options]
    ran = run([*command, str(HERE / "app.py"), str(folder), *arguments])
    return said(ran)


def said(ran: subprocess.CompletedProcess[str]) -> dict:
    lines = [line for line in ran.stdout.splitlines() if line.startswith("SAID ")]
    assert lines, ran.stderr[-3000:]
    return json.loads(lines[0].removeprefix("SAID "))


def test_lists_are_extended_and_choices_left_alone(tmp_path: Path, jar: Path, user_jar: Path):
    found = submit(
        tmp_path,
        CLUSTER,
        *("--jars", str(user_jar)),
        *("--conf", "spark.plugins=example.Plugin"),
        *("--conf", "spark.sql.extensions=example.Extensions"),
        *("--conf", f"{confs.PROVIDER_KEY}={ROCKSDB}"),
        *("--conf", f"{confs.FILE_MANAGER_KEY}={MANAGER}"),
    )
    assert found["jars"] == [user_jar.name, jar.name]
    assert found[confs.PLUGIN_KEY] == f"example.Plugin,{confs.PLUGIN}"
    assert found[confs.EXTENSIONS_KEY] == f"example.Extensions,{confs.EXTENSIONS}"
    assert found[confs.PROVIDER_KEY] == ROCKSDB
    assert found[confs.FILE_MANAGER_KEY] == confs.FILE_MANAGER
    assert found["delegate"] == MANAGER, "ours lets commits wait, and leaves the work to the user's"
    assert found["rows"] == ROWS


def test_the_plugin_s_line_alone_is_enough(tmp_path: Path, jar: Path, user_jar: Path) -> None:
    found = submit(
        tmp_path,
        "local[2]",
        *("--jars", f"{jar},{user_jar}"),
        *("--conf", f"{confs.PLUGIN_KEY}={confs.PLUGIN}"),
        *("--conf", "spark.sql.extensions=example.Extensions"),
        arguments=("plain",),
    )
    assert found == {
        confs.PROVIDER_KEY: confs.PROVIDER,
        confs.FILE_MANAGER_KEY: confs.FILE_MANAGER,
        confs.PLUGIN_KEY: confs.PLUGIN,
        confs.EXTENSIONS_KEY: f"example.Extensions,{confs.EXTENSIONS}",
        "jars": [jar.name, user_jar.name],
        "delegate": "",
        "rows": ROWS,
    }


def test_a_python_program_with_submit_arguments(tmp_path: Path, jar: Path, user_jar: Path) -> None:
    """Not submitted: PySpark starts the JVM, with arguments of the environment."""
    ran = run(
        [sys.executable, str(HERE / "app.py"), str(tmp_path)],
        PYSPARK_SUBMIT_ARGS=f"--master local[2] --jars {user_jar} "
        f"--conf {confs.PROVIDER_KEY}={ROCKSDB} pyspark-shell",
    )
    found = said(ran)
    assert found["jars"] == [user_jar.name, jar.name]
    assert found[confs.PROVIDER_KEY] == ROCKSDB
    assert found[confs.PLUGIN_KEY] == confs.PLUGIN
    assert found["rows"] == ROWS


def test_a_jar_of_another_version_is_refused(tmp_path: Path, jar: Path) -> None:
    classes = tmp_path / "classes"
    with zipfile.ZipFile(jar) as archive:
        archive.extractall(classes)
    manifest = "Manifest-Version: 1.0\r\nImplementation-Title: groundswell\r\n"
    other = packed(
        tmp_path / "groundswell-0.0.9.jar", classes, manifest + "Implementation-Version: 0.0.9\r\n"
    )
    command = [str(SPARK_HOME / "bin" / "spark-submit"), "--master", "local[1]"]
    ran = run([*command, "--jars", str(other), str(HERE / "app.py"), str(tmp_path)])
    assert ran.returncode != 0
    text = ran.stdout + ran.stderr  # spark-submit puts Python's errors into its output
    assert "is version 0.0.9 (" in text, text[-3000:]
    assert "but the Python package is version" in text
    assert "--jars $(python -m groundswell jar)" in text
    assert not (tmp_path / "checkpoint").exists()
