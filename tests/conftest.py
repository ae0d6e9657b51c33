"""Fixtures that every test may ask for: the built jar and Spark sessions that use it."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from py4j.java_collections import JavaIterator
from pyspark import SparkContext
from pyspark.sql import SparkSession

import jvm_options
from groundswell.runtime.gc.kinds import OTHER, kind_of

ROOT = Path(__file__).resolve().parent.parent
JAR = ROOT / "python" / "groundswell" / "jars" / "groundswell.jar"

SparkFactory = Callable[..., SparkSession]

pytest_plugins = ["durations", "remembered_classes"]


def _no_java_iterators() -> None:
    """The package takes lists of the JVM by number: their iterators end by a slow exception."""
    made = JavaIterator.__init__

    def init(self: JavaIterator, *args: Any, **named: Any) -> None:
        at = sys._getframe(1)
        while at.f_code.co_filename.endswith("java_collections.py"):
            assert at.f_back is not None
            at = at.f_back
        where = f"{at.f_code.co_filename}:{at.f_lineno}"
        assert "/python/groundswell/" not in where, f"{where} asks for a Java iterator: use items()"
        made(self, *args, **named)

    JavaIterator.__init__ = init


def pytest_configure() -> None:
    _no_java_iterators()
    # Child processes (Spark's Python workers, commands under test) find what tests do.
    own = [str(ROOT / name) for name in ("python", "tests", "benchmarks")]
    paths = [*own, os.environ.get("PYTHONPATH", "")]
    os.environ["PYTHONPATH"] = os.pathsep.join(path for path in paths if path)
    os.environ["PYSPARK_PYTHON"] = sys.executable
    os.environ.setdefault("SPARK_SUBMIT_OPTS", jvm_options.jvm_options())


def pytest_report_header() -> str:
    options = os.environ["SPARK_SUBMIT_OPTS"].split()
    kept = [word.partition("=")[2] for word in options if word.startswith("-XX:SharedArchiveFile=")]
    return f"archive: {kept[0] if kept else 'none, JVMs start slowly'}"


@pytest.fixture(autouse=True)
def _every_file_has_a_kind(request: pytest.FixtureRequest) -> Iterator[None]:
    """Whatever a test does to a pipeline: somebody is known to remove each file of its location."""
    asked = "tmp_path" in request.fixturenames
    folder: Path | None = request.getfixturevalue("tmp_path") if asked else None
    yield
    if folder is not None:
        unknown = [path for each in locations_in(folder) for path in of_no_kind(each)]
        assert not unknown, f"no kind of groundswell.runtime.gc.kinds: {unknown[:10]}"


def locations_in(folder: Path) -> list[Path]:
    """The locations of pipelines below a folder."""
    return [path.parents[1] for path in folder.rglob("groundswell/epochs")]


def of_no_kind(location: Path) -> list[str]:
    """Paths of files in a location that no kind describes."""
    names = (path.relative_to(location).as_posix() for path in files_in(location))
    return [name for name in names if kind_of(name) is OTHER]


def files_in(folder: Path) -> list[Path]:
    """All files below a folder."""
    return [Path(at, name) for at, _, names in os.walk(folder) for name in names]


@pytest.fixture(scope="session")
def jar() -> Path:
    """The engine's jar; tests run against what was built, they build nothing."""
    if not JAR.is_file():
        pytest.fail(f"{JAR} is not built: run `python setup.py build_jar` (or `make jar`)")
    return JAR


@pytest.fixture(scope="session")
def test_tools(jar: Path) -> Path:
    """The jar with ``io.groundswell.testing``; built if it is not there, or older than that."""
    tools = ROOT / "build" / "groundswell-test-tools.jar"
    built = tools.stat().st_mtime if tools.is_file() else 0
    sources = (ROOT / "jvm-shim" / "src" / "testtools").rglob("*.java")
    if any(source.stat().st_mtime > built for source in sources):
        command = [sys.executable, "setup.py", "-q", "build_test_tools"]
        subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    return tools


def _end_jvm() -> None:
    """Ends it; the next context begins one."""
    gateway: Any = SparkContext._gateway
    if gateway is not None:
        gateway.proc.stdin.close()  # it watches that; py4j's own way waits for its threads
        try:
            gateway.proc.wait(30)
        except subprocess.TimeoutExpired:
            gateway.proc.kill()
            gateway.proc.wait()
        SparkContext._gateway = SparkContext._jvm = None


class _Contexts:
    """At most one Spark context lives at a time: another set of static confs replaces it."""

    def __init__(self, base: dict[str, str]) -> None:
        self.base = base
        self.session: SparkSession | None = None
        self.confs: dict[str, str] = {}

    def get(self, confs: dict[str, str], own_jvm: bool = False) -> SparkSession:
        """A session of a context with these confs.

        ``own_jvm``: of a JVM that began with their jars, if they are others than those of the last
        context: the driver finds no classes of jars that come later.
        """
        wanted = {**self.base, **confs}
        if self.session is None or wanted != self.confs:
            self.stop()
            if own_jvm and wanted["spark.jars"] != self.confs.get("spark.jars"):
                _end_jvm()
            builder = SparkSession.builder
            for key, value in wanted.items():
                builder = builder.config(key, value)
            self.session = builder.getOrCreate()
            self.session.sparkContext.setLogLevel("ERROR")
            self.confs = wanted
        return self.session

    def stop(self) -> None:
        if self.session is not None:
            self.session.stop()
            # The builder is shared by the process and remembers the options of the last session.
            SparkSession.builder._options.clear()
            self.session = None


@pytest.fixture(scope="session")
def _contexts(jar: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[_Contexts]:
    folder = tmp_path_factory.mktemp("spark")
    contexts = _Contexts(
        {
            "spark.master": "local[2]",
            "spark.app.name": "groundswell-tests",
            "spark.driver.memory": "2g",
            "spark.driver.bindAddress": "127.0.0.1",
            "spark.driver.host": "127.0.0.1",
            "spark.jars": str(jar),
            "spark.python.daemon.module": "python_daemon",
            "spark.local.dir": str(folder / "local"),
            "spark.sql.session.timeZone": "UTC",
            "spark.sql.shuffle.partitions": "2",
            "spark.sql.warehouse.dir": str(folder / "warehouse"),
            # Some rows a task: pages of 64 MB and blocks of 4 MB would cost more than they hold.
            "spark.broadcast.blockSize": "64k",
            "spark.buffer.pageSize": "1m",
            # Streams of files look for new ones a hundred times a second unless told otherwise, and
            # each look copies Hadoop's configuration: most of what a JVM did while a test planned.
            "spark.sql.streaming.pollingDelay": "40ms",
            # What a page would show is kept without a page, too.
            "spark.sql.ui.retainedExecutions": "20",
            "spark.ui.enabled": "false",
            "spark.ui.retainedJobs": "20",
            "spark.ui.retainedStages": "20",
            "spark.ui.retainedTasks": "200",
            "spark.ui.showConsoleProgress": "false",
        }
    )
    yield contexts
    contexts.stop()


@pytest.fixture
def spark_factory(_contexts: _Contexts) -> Iterator[SparkFactory]:
    """``spark_factory({"conf": "value"})``: a session whose context has these confs.

    Each call gives a session of its own: SQL confs and temp views of one test do not reach the
    next. Contexts are kept between tests as long as they ask for the same confs. Streams that a
    test leaves running are stopped.
    """
    sessions: list[SparkSession] = []

    def make(confs: dict[str, str] | None = None) -> SparkSession:
        session = _contexts.get(confs or {}).newSession()
        sessions.append(session)
        return session

    yield make
    for session in sessions:
        if session.sparkContext._jsc is not None:
            for query in session.streams.active:
                query.stop()


@pytest.fixture
def spark(spark_factory: SparkFactory) -> SparkSession:
    """A session with nothing but the jar: confs that only SQL reads can be set on it."""
    return spark_factory()
