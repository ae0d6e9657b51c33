"""Builds what a release consists of, and checks each piece where nothing of this checkout is.

    python tools/dist.py            build into dist/, then check
    python tools/dist.py --no-check

dist/ then holds a wheel with the jar inside, an sdist, and a Maven folder with the jar and its POM
(`spark-submit --repositories file:dist/maven --packages io.groundswell:groundswell_2.13:VERSION`).
The checks install wheel and sdist into empty environments. The wheel's has no compiler on its PATH.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

import pyspark

ROOT = Path(__file__).resolve().parents[1]
DIST = ROOT / "dist"
sys.path.insert(0, str(ROOT / "tools"))
sys.path.insert(0, str(ROOT / "python"))

from groundswell.jar import PATH as JAR  # noqa: E402
from groundswell.version import VERSION  # noqa: E402
from jdk import find_jdk  # noqa: E402

ARTIFACT = "groundswell_2.13"
POM = f"""<?xml version="1.0" encoding="UTF-8"?>
<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>io.groundswell</groupId>
  <artifactId>{ARTIFACT}</artifactId>
  <version>{VERSION}</version>
  <packaging>jar</packaging>
  <name>Groundswell</name>
  <description>Incremental views and an LSM state store for Apache Spark</description>
  <licenses>
    <license>
      <name>Apache-2.0</name>
      <url>https://www.apache.org/licenses/LICENSE-2.0</url>
    </license>
  </licenses>
</project>
"""


def run(*command: str | Path, **environ: str) -> str:
    """What a command prints; ends this one, with its messages, if it fails."""
    done = subprocess.run(
        [str(word) for word in command],
        cwd=environ.pop("cwd", ROOT),
        env={**os.environ, **environ},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))} failed:\n{done.stdout}{done.stderr}")
    return done.stdout


def build() -> tuple[Path, Path, Path]:
    """The wheel, the sdist and the Maven folder."""
    shutil.rmtree(DIST, ignore_errors=True)
    shutil.rmtree(ROOT / "build" / "lib", ignore_errors=True)
    run(sys.executable, "-m", "build", "--no-isolation", "--outdir", DIST)
    (wheel,), (sdist,) = DIST.glob("*.whl"), DIST.glob("*.tar.gz")
    folder = DIST / "maven" / "io" / "groundswell" / ARTIFACT / VERSION
    folder.mkdir(parents=True)
    shutil.copy(JAR, folder / f"{ARTIFACT}-{VERSION}.jar")
    (folder / f"{ARTIFACT}-{VERSION}.pom").write_text(POM, "utf-8")
    return wheel, sdist, DIST / "maven"


def check_licences(wheel: Path) -> None:
    """The licence is in the wheel and in the jar inside; the jar holds no class of others."""
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        assert any(name.endswith("licenses/LICENSE") for name in names), "the wheel has no LICENSE"
        (jar,) = [name for name in names if name.endswith("groundswell.jar")]
        with archive.open(jar) as inner, zipfile.ZipFile(inner) as classes:
            entries = classes.namelist()
    assert "META-INF/LICENSE" in entries, "the jar has no LICENSE"
    foreign = [e for e in entries if e.endswith(".class") and not e.startswith("io/groundswell/")]
    assert not foreign, f"classes of others in the jar: {foreign[:5]}"


def environment(folder: Path) -> Path:
    """The Python of an empty environment."""
    run(sys.executable, "-m", "venv", folder)
    return folder / "bin" / "python"


def check_install(what: Path, *, compiler: bool) -> None:
    """Installs it into an empty environment, away from the checkout, and lets the doctor look."""
    with tempfile.TemporaryDirectory(prefix="groundswell-dist-") as name:
        away = Path(name)
        python = environment(away / "venv")
        java = find_jdk().java
        path = f"{away / 'venv' / 'bin'}:/usr/bin:/bin"
        if not compiler:
            # A folder with java alone: what a machine with a JRE has.
            jre = away / "jre"
            jre.mkdir()
            (jre / "java").symlink_to(java)
            path = f"{away / 'venv' / 'bin'}:{jre}"
        confs = {"PATH": path, "PYTHONPATH": "", "JAVA_HOME": str(java.resolve().parents[1])}
        if not compiler:
            confs["JAVA_HOME"] = ""
        run(
            python,
            "-m",
            "pip",
            "install",
            "-q",
            "--disable-pip-version-check",
            what,
            cwd=name,
            **confs,
        )
        version = run(python, "-m", "groundswell", "version", cwd=name, **confs).strip()
        assert version == VERSION, f"{what.name} says it is version {version}"
        jar = Path(run(python, "-m", "groundswell", "jar", cwd=name, **confs).strip())
        assert jar.is_file(), f"{what.name} brought no jar: {jar}"
        assert jar.is_relative_to(away), f"{jar} is not that of the environment"
        report = run(python, "-m", "groundswell", "doctor", cwd=name, **confs)
        assert "WRONG" not in report, report
    print(f"{what.name}: installs, and the doctor finds nothing wrong")


def check_maven(repository: Path) -> None:
    """Spark finds the jar by its coordinates, and its provider by name."""
    with tempfile.TemporaryDirectory(prefix="groundswell-ivy-") as name:
        program = Path(name) / "program.py"
        program.write_text(
            "from pyspark.sql import SparkSession\n"
            "spark = SparkSession.builder.getOrCreate()\n"
            "load = spark._jvm.Thread.currentThread().getContextClassLoader().loadClass\n"
            "print('found', load('io.groundswell.EpochStateStoreProvider').getSimpleName())\n"
        )
        submit = Path(sys.executable).with_name("spark-submit")
        coordinates = f"io.groundswell:{ARTIFACT}:{VERSION}"
        said = run(
            submit,
            *("--master", "local[1]", "--conf", f"spark.jars.ivy={name}/ivy"),
            *("--repositories", repository.as_uri(), "--packages", coordinates),
            program,
            cwd=name,
            SPARK_HOME=str(Path(pyspark.__file__).parent),
            PYSPARK_PYTHON=sys.executable,
        )
        assert "found EpochStateStoreProvider" in said, said
    print(f"{coordinates}: spark-submit --packages finds it")


def main() -> int:
    wheel, sdist, maven = build()
    print(f"built {wheel.name}, {sdist.name} and a Maven folder in {DIST}")
    check_licences(wheel)
    if "--no-check" not in sys.argv:
        check_install(wheel, compiler=False)
        check_install(sdist, compiler=True)
        check_maven(maven)
    return 0


if __name__ == "__main__":
    sys.exit(main())
