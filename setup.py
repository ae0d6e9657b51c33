"""Compiles the engine and puts its jar into the package.

A build needs what a user has: a JDK of at least 17 and the jars inside the pyspark wheel. Scala
files (few: what Spark's class hierarchy forces) are compiled by the scala-compiler jar in there.
The jar's bytes depend on sources, pyspark and compiler alone, and a jar that is up to date is kept.
All metadata stand in pyproject.toml.
"""

import ast
import hashlib
import importlib.util
import logging
import os
import re
import shutil
import subprocess
import sys
import zipfile
from importlib import metadata
from pathlib import Path
from typing import ClassVar

from setuptools import Command, setup
from setuptools.command.build_py import build_py
from setuptools.errors import ExecError, PlatformError

ROOT = Path(__file__).resolve().parent
sys.path.insert(0, str(ROOT / "tools"))

from jdk import RELEASE, Jdk, JdkError, find_jdk  # noqa: E402

MAIN = ROOT / "jvm-shim" / "src" / "main"
CLASSES = ROOT / "build" / "classes"
JAR = ROOT / "python" / "groundswell" / "jars" / "groundswell.jar"
TEST_TOOLS = ROOT / "jvm-shim" / "src" / "testtools"
TEST_TOOLS_JAR = ROOT / "build" / "groundswell-test-tools.jar"

FACTS = "io/groundswell/spark/views/facts"
"""Where the jar has the tables of groundswell.expressions."""

DIGEST = "Groundswell-Source-Digest"
LINT = "-Xlint:all,-processing,-classfile,-path,-options"


def spark_jars() -> list[Path]:
    """The jars inside the installed pyspark."""
    spec = importlib.util.find_spec("pyspark")
    if spec is None or not spec.submodule_search_locations:
        raise PlatformError("pyspark is not installed: pip install 'pyspark>=4.2,<5'")
    folder = Path(spec.submodule_search_locations[0]) / "jars"
    jars = sorted(folder.glob("*.jar"))
    if not jars:
        raise PlatformError(
            f"{folder} holds no jars: pyspark-client and pyspark-connect have none; "
            "pip install 'pyspark>=4.2,<5'"
        )
    return jars


def package_version() -> str:
    tree = ast.parse((ROOT / "python" / "groundswell" / "version.py").read_text("utf-8"))
    for node in tree.body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "VERSION":
            return str(ast.literal_eval(node.value))
    raise PlatformError("python/groundswell/version.py has no VERSION")


def sources(suffix: str) -> list[Path]:
    return sorted(path for path in MAIN.rglob(f"*{suffix}") if path.is_file())


def resources() -> dict[str, Path]:
    """Jar entry -> file, for what is packed as it stands."""
    facts = ROOT / "python" / "groundswell" / "expressions"
    return {
        "META-INF/LICENSE": ROOT / "LICENSE",
        **{f"{FACTS}/{file.name}": file for file in sorted(facts.glob("*.txt"))},
        **files_below(MAIN / "resources"),
    }


def digest_of_inputs(jdk: Jdk) -> str:
    """Changes when the jar would: sources, this script, pyspark, compiler, version."""
    digest = hashlib.sha256()
    for word in (package_version(), metadata.version("pyspark"), jdk.version):
        digest.update(word.encode() + b"\0")
    for path in [Path(__file__), *sources(".java"), *sources(".scala"), *resources().values()]:
        data = path.read_bytes()
        digest.update(f"{path.relative_to(ROOT).as_posix()}\0{len(data)}\0".encode() + data)
    return digest.hexdigest()


def digest_in(jar: Path) -> str:
    """The digest that a jar was built from; empty if there is no such jar."""
    try:
        with zipfile.ZipFile(jar) as archive:
            manifest = archive.read("META-INF/MANIFEST.MF").decode()
    except (OSError, KeyError, zipfile.BadZipFile):
        return ""
    unfolded = manifest.replace("\r\n ", "")
    found = re.search(rf"^{DIGEST}: (\w+)", unfolded, re.MULTILINE)
    return found.group(1) if found else ""


def run(tool: Path, arguments: list[str]) -> None:
    """Runs a compiler; its arguments go through a file, so that their length does not matter."""
    arg_file = CLASSES.parent / f"{tool.stem}.args"
    arg_file.write_text("".join(f'"{a}"\n' for a in arguments).replace("\\", "\\\\"), "utf-8")
    if subprocess.run([str(tool), f"@{arg_file}"], check=False).returncode != 0:
        raise ExecError(f"{tool.stem} failed; its messages stand above")


def compile_classes(jdk: Jdk, jars: list[Path]) -> None:
    shutil.rmtree(CLASSES, ignore_errors=True)
    CLASSES.mkdir(parents=True)
    class_path = os.pathsep.join(map(str, jars))
    java = [str(path) for path in sources(".java")]
    scala = [str(path) for path in sources(".scala")]
    if scala:
        # scalac reads the Java sources for their types, so either language may call the other.
        flags = ["-release", str(RELEASE), "-deprecation", "-feature", "-Werror"]
        run(
            jdk.java,
            ["-cp", class_path, "scala.tools.nsc.Main", *flags]
            + ["-classpath", class_path, "-d", str(CLASSES), *scala, *java],
        )
    compile_java(jdk, java, [*jars, CLASSES], CLASSES)


def compile_java(jdk: Jdk, java: list[str], class_path: list[Path], target: Path) -> None:
    # A newer compiler knows lints that this one does not: they must not break a user's install.
    werror = ["-Werror"] if jdk.major == RELEASE else []
    run(
        jdk.javac,
        ["--release", str(RELEASE), "-encoding", "UTF-8", "-g", "-proc:none", LINT, *werror]
        + ["-cp", os.pathsep.join(map(str, class_path)), "-d", str(target), *java],
    )


def manifest_of(digest: str) -> bytes:
    lines = [
        "Manifest-Version: 1.0",
        "Implementation-Title: groundswell",
        f"Implementation-Version: {package_version()}",
        f"Build-Spark-Version: {metadata.version('pyspark')}",
        # 72 bytes a line is the format's limit; a line that starts with a space goes on.
        f"{DIGEST}: {digest[:40]}\r\n {digest[40:]}",
    ]
    return ("\r\n".join(lines) + "\r\n\r\n").encode()


def pack(target: Path, manifest: bytes) -> None:
    """Writes the jar with sorted entries and no clock in it; it appears as a whole."""
    write_jar(target, manifest, {**files_below(CLASSES), **resources()})


def files_below(folder: Path) -> dict[str, Path]:
    """Jar entry -> file."""
    return {p.relative_to(folder).as_posix(): p for p in folder.rglob("*") if p.is_file()}


def write_jar(target: Path, manifest: bytes, entries: dict[str, Path]) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    draft = target.with_suffix(f".{os.getpid()}.tmp")
    with zipfile.ZipFile(draft, "w", zipfile.ZIP_DEFLATED) as archive:
        add(archive, "META-INF/MANIFEST.MF", manifest)
        for name in sorted(entries):
            add(archive, name, entries[name].read_bytes())
    draft.replace(target)


def add(archive: zipfile.ZipFile, name: str, data: bytes) -> None:
    info = zipfile.ZipInfo(name, date_time=(1980, 1, 1, 0, 0, 0))
    info.compress_type = zipfile.ZIP_DEFLATED
    info.create_system = 3
    info.external_attr = 0o644 << 16
    archive.writestr(info, data)


class BuildJar(Command):
    """``python setup.py build_jar``: the jar alone, for work on the engine."""

    description = "compile jvm-shim against pyspark's jars into python/groundswell/jars"
    user_options: ClassVar[list[tuple[str, str | None, str]]] = [
        ("force", "f", "compile even if nothing changed")
    ]
    boolean_options: ClassVar[list[str]] = ["force"]

    def initialize_options(self) -> None:
        self.force = False

    def finalize_options(self) -> None:
        pass

    def run(self) -> None:
        try:
            jdk = find_jdk()
        except JdkError as missing:
            raise PlatformError(str(missing)) from None
        jars = spark_jars()
        digest = digest_of_inputs(jdk)
        if not self.force and digest_in(JAR) == digest and CLASSES.is_dir():
            self.announce(f"{JAR.relative_to(ROOT)} is up to date", level=logging.INFO)
            return
        compile_classes(jdk, jars)
        pack(JAR, manifest_of(digest))


class BuildTestTools(Command):
    """``python setup.py build_test_tools``: storage that fails, for tests and benchmarks."""

    description = "compile jvm-shim/src/testtools into build/groundswell-test-tools.jar"
    user_options: ClassVar[list[tuple[str, str | None, str]]] = []

    def initialize_options(self) -> None:
        pass

    def finalize_options(self) -> None:
        pass

    def run(self) -> None:
        self.run_command("build_jar")
        classes = ROOT / "build" / "test-tools"
        shutil.rmtree(classes, ignore_errors=True)
        classes.mkdir(parents=True)
        java = sorted(str(path) for path in TEST_TOOLS.rglob("*.java"))
        compile_java(find_jdk(), java, [*spark_jars(), CLASSES], classes)
        write_jar(TEST_TOOLS_JAR, b"Manifest-Version: 1.0\r\n\r\n", files_below(classes))


class BuildPy(build_py):
    """The package's files, once the jar is among them."""

    def run(self) -> None:
        self.run_command("build_jar")
        super().run()


setup(cmdclass={"build_jar": BuildJar, "build_test_tools": BuildTestTools, "build_py": BuildPy})
