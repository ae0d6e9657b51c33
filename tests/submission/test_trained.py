"""JVMs start from what another one learned, and start all the same where that does not fit."""

import re
import sys
import time
from pathlib import Path

import pytest

from groundswell import archiving
from submission.processes import ROWS, SUBMIT, WHOLE, environment, home_of, logged, run, said

pytestmark = [pytest.mark.rest, pytest.mark.soak]  # minutes: two JVMs are trained

SUFFIXES = {17: ".jsa", 25: ".aot"}
KINDS = {".jsa": "class archive", ".aot": "AOT cache"}


class Trained:
    """A cache with the file of one Java, which a program's first start had made beside it."""

    def __init__(self, cache: Path, major: int) -> None:
        self.cache = cache
        self.environ = environment(cache, JAVA_HOME=str(home_of(major)))
        work = cache / "first"
        work.mkdir()
        auto = "spark.groundswell.archive=auto"
        first = run([sys.executable, WHOLE, work, "local[2]", auto], self.environ)
        assert "makes the " in logged(first)[0]
        self.file = self.awaited(SUFFIXES[major])

    def awaited(self, suffix: str) -> Path:
        folder = self.cache / "groundswell" / "archives"
        until = time.monotonic() + archiving.LIMIT
        while not (made := list(folder.glob(f"*{suffix}"))):
            assert time.monotonic() < until, [path.read_text() for path in folder.glob("*.log")]
            time.sleep(1)
        return made[0]


@pytest.fixture(scope="module", params=sorted(SUFFIXES))
def trained(request, jar: Path, tmp_path_factory: pytest.TempPathFactory) -> Trained:
    return Trained(tmp_path_factory.mktemp("cache"), request.param)


def shared(loads: Path) -> int:
    """How many of our classes a JVM took from its file."""
    lines = loads.read_text().splitlines()
    return sum("io.groundswell." in line and "shared objects file" in line for line in lines)


def loads_to(file: Path) -> str:
    return f"-Xlog:class+load:file={file}"


def test_a_program_takes_its_classes_from_the_file(tmp_path: Path, trained: Trained) -> None:
    loads = tmp_path / "loads"
    environ = {**trained.environ, "SPARK_SUBMIT_OPTS": loads_to(loads)}
    ran = run([sys.executable, WHOLE, tmp_path, "local[2]"], environ)
    found = said(ran)
    found.pop("java")
    assert found == ROWS
    assert logged(ran) == []
    assert shared(loads) > 300
    off = tmp_path / "off"
    off.mkdir()
    run([sys.executable, WHOLE, off, "local[2]", "spark.groundswell.archive=off"], environ)
    assert shared(loads) == 0


def test_executors_of_this_machine_do_too(tmp_path: Path, trained: Trained) -> None:
    loads = f"spark.executor.extraJavaOptions={loads_to(tmp_path / 'loads-%p')}"
    cluster = "local-cluster[1,2,1024]"
    ran = run([sys.executable, WHOLE, tmp_path, cluster, loads], trained.environ)
    assert said(ran)["view"] == ROWS["view"]
    assert [shared(file) > 100 for file in tmp_path.glob("loads-*")] == [True]


def test_spark_submit_does_with_the_variables_that_train_prints(
    tmp_path: Path, trained: Trained
) -> None:
    printed = run([sys.executable, "-m", "groundswell", "train", "--export"], trained.environ)
    script = tmp_path / "submit.sh"
    loads = tmp_path / "loads"
    script.write_text(
        f"{printed.stdout}\n{SUBMIT} --master 'local[2]' "
        f"--driver-java-options {loads_to(loads)} {WHOLE} {tmp_path} 'local[2]'\n"
    )
    ran = run(["sh", script], {**trained.environ, "PYSPARK_PYTHON": sys.executable})
    assert said(ran)["sql"] == ROWS["sql"]
    assert shared(loads) > 300


def test_a_file_that_does_not_fit_is_a_line_in_the_log(tmp_path: Path, trained: Trained) -> None:
    """The JVM finds out: the file has the right name, and was written by none."""
    other = trained.file.with_name(re.sub(r"\d+(?=\.)", "9", trained.file.name))
    aside = trained.file.rename(tmp_path / "aside")
    try:
        other.write_bytes(b"not ours.")
        ran = run([sys.executable, WHOLE, tmp_path, "local[2]"], trained.environ)
    finally:
        other.unlink()
        aside.rename(trained.file)
    lines = logged(ran)
    assert len(lines) == 1
    assert f"the JVM started without the {KINDS[trained.file.suffix]} {other}: " in lines[0]
    assert said(ran)["view"] == ROWS["view"]
    assert "[warning]" not in ran.stdout, "the JVM itself says nothing"
    assert "[error" not in ran.stdout
