"""Runs one figure of one provider in a JVM of its own."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple, Self

import pyspark

from groundswell import jar

ROOT = Path(__file__).resolve().parents[2]
SOURCES = ROOT / "benchmarks" / "jvm"
CLASSES = ROOT / "build" / "benchmarks"
MAIN = "io.groundswell.bench.StoreWorker"
TEST_TOOLS = ROOT / "build" / "groundswell-test-tools.jar"

sys.path.insert(0, str(ROOT / "tools"))
from jdk import find_jdk  # noqa: E402


class Round(NamedTuple):
    """What the JVM says of one round."""

    operations: int
    nanos: int
    commit_nanos: list[int]
    metrics: dict[str, int]
    written: int = 0
    """Bytes that the process has written to files since it got ready; 0 if nobody counts."""
    read: int = 0
    """Bytes that it has read since then and that were not in the page cache."""
    cpu_nanos: int = 0
    """CPU time of all its threads since then; 0 if nobody counts."""

    @property
    def per_second(self) -> float:
        """Operations in one second."""
        return self.operations * 1e9 / self.nanos


def class_path() -> str:
    """The benchmark's classes, the slow file system, the engine's jar, Spark's jars."""
    spark = Path(pyspark.__file__).parent / "jars" / "*"
    return os.pathsep.join(map(str, [CLASSES, TEST_TOOLS, jar.PATH, spark]))


def compile_classes() -> None:
    """Compiles benchmarks/jvm, and the storage that is slow."""
    tools = [sys.executable, "setup.py", "-q", "build_test_tools"]
    subprocess.run(tools, cwd=ROOT, check=True)
    CLASSES.mkdir(parents=True, exist_ok=True)
    flags = ["--release", "17", "-Xlint:all,-processing,-classfile,-path", "-Werror", "-proc:none"]
    sources = sorted(str(path) for path in SOURCES.rglob("*.java"))
    subprocess.run(
        [str(find_jdk().javac), *flags, "-cp", class_path(), "-d", str(CLASSES), *sources],
        check=True,
    )


class Worker:
    """A JVM that answers each :meth:`round` with what one round of its figure took.

    Args:
        figure: what the worker calls it.
        store: the store's folder, with its file system's scheme if it is not local.
        rows: how many rows the store holds, or is to hold.
        version: the version to read or to start from.
        confs: Spark confs, the provider's class among them.
        heap: as ``-Xmx`` takes it.
        warm: a folder for a small store to be opened first, or None to start cold.
    """

    def __init__(
        self,
        figure: str,
        store: str,
        rows: int,
        version: int,
        confs: dict[str, str],
        heap: str,
        warm: str | None = None,
    ) -> None:
        options = (ROOT / "tools" / "jvm-options.txt").read_text("utf-8").splitlines()
        self._process = subprocess.Popen(
            [
                str(find_jdk().java),
                *(option for option in options if option.startswith("-")),
                f"-Xmx{heap}",
                f"-Dlog4j2.configurationFile={SOURCES / 'log4j2.properties'}",
                *["-cp", class_path(), MAIN],
                *[figure, store, str(rows), str(version), warm or "-"],
                *(f"{key}={value}" for key, value in confs.items()),
            ],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        if self._read() != "ready":
            self.close()
            raise RuntimeError("the JVM did not get ready; see its messages above")

    def round(self) -> Round:
        """Runs one round."""
        assert self._process.stdin is not None
        self._process.stdin.write("round\n")
        self._process.stdin.flush()
        answer = self._read()
        if not answer:
            self.close()
            raise RuntimeError(
                f"the JVM ended with {self._process.returncode}; see its messages above"
            )
        said: dict[str, Any] = json.loads(answer)
        commits, metrics = said["commitNanos"], said["metrics"]
        counts = said["written"], said["read"], said["cpu"]
        return Round(said["operations"], said["nanos"], commits, metrics, *counts)

    def _read(self) -> str:
        assert self._process.stdout is not None
        return self._process.stdout.readline().strip()

    def close(self) -> None:
        """Ends the JVM."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        try:
            self._process.wait(60)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._process.stdout.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()
