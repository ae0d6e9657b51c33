"""Runs the JUnit tests through Gradle or Maven, whichever is on PATH.

Gradle compiles and runs them itself (``gradle junit``). Maven only fetches JUnit's console
launcher; the tests are then compiled against the classes that setup.py built.
Exit code: 0 all passed, 1 tests failed or did not compile, 3 JUnit cannot be had.
"""

import argparse
import os
import shutil
import subprocess
import sys
from pathlib import Path

import jdk

ROOT = Path(__file__).resolve().parent.parent
TESTS = ROOT / "jvm-shim" / "src" / "test"
TEST_TOOLS = ROOT / "jvm-shim" / "src" / "testtools"
JUNIT = ROOT / "build" / "junit"
CLASSES = ROOT / "build" / "classes"
TEST_CLASSES = ROOT / "build" / "test-classes"
CONSOLE = "org.junit.platform:junit-platform-console-standalone:1.11.4"
FAILED = 1
NOT_TO_BE_HAD = 3


def spark_jars() -> str:
    import pyspark

    return str(Path(pyspark.__file__).parent / "jars")


def console_jar() -> Path | None:
    return next(iter(sorted(JUNIT.glob("junit-platform-console-standalone-*.jar"))), None)


def run(command: list[str]) -> int:
    return subprocess.run(command, cwd=ROOT, check=False).returncode


def unavailable(why: str) -> int:
    """Says so in one line; the caller decides whether that is a failure."""
    print(f"JUnit tests NOT RUN: {why}", flush=True)
    return NOT_TO_BE_HAD


def fetch_with_gradle(gradle: str) -> int:
    if console_jar() is None:
        options = ["--no-daemon", "-q", f"-PpysparkJars={spark_jars()}"]
        return run([gradle, *options, "fetchJunit"])
    return 0


def fetch_with_maven(maven: str) -> int:
    copy = "org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy"
    fetch = [maven, "-q", "-B", copy, f"-Dartifact={CONSOLE}", f"-DoutputDirectory={JUNIT}"]
    return run(fetch) if console_jar() is None else 0


def fetch_console() -> int:
    """Puts JUnit's launcher into build/junit, unless it is there: 0, or NOT_TO_BE_HAD."""
    fetchers = {"gradle": fetch_with_gradle, "mvn": fetch_with_maven}
    for tool, fetch in fetchers.items():
        path = shutil.which(tool)
        if path is not None and fetch(path) == 0:
            return 0
    return 0 if console_jar() else unavailable("neither gradle nor mvn could fetch it")


def with_gradle(gradle: str, only: str | None, soak: bool) -> int:
    options = ["--no-daemon", "-q", f"-PpysparkJars={spark_jars()}"]
    if fetch_with_gradle(gradle) != 0:
        return unavailable("gradle could not fetch JUnit from Maven Central")
    tests = [*([f"-Ptests={only}"] if only else []), *(["-Psoak=true"] if soak else [])]
    return 0 if run([gradle, *options, *tests, "junit"]) == 0 else FAILED


def with_maven(maven: str, only: str | None, soak: bool) -> int:
    if fetch_with_maven(maven) != 0:
        return unavailable("mvn could not fetch JUnit from Maven Central")
    found = jdk.find_jdk()
    shutil.rmtree(TEST_CLASSES, ignore_errors=True)
    TEST_CLASSES.mkdir(parents=True)
    jars = str(Path(spark_jars()) / "*")
    class_path = os.pathsep.join([str(CLASSES), jars, str(console_jar())])
    sources = sorted(str(path) for root in (TESTS, TEST_TOOLS) for path in root.rglob("*.java"))
    javac = [str(found.javac), "--release", str(jdk.RELEASE), "-proc:none", "-encoding", "UTF-8"]
    if run([*javac, "-cp", class_path, "-d", str(TEST_CLASSES), *sources]) != 0:
        return FAILED
    if (TESTS / "resources").is_dir():
        shutil.copytree(TESTS / "resources", TEST_CLASSES, dirs_exist_ok=True)
    options = (ROOT / "tools" / "jvm-options.txt").read_text("utf-8").splitlines()
    java = [str(found.java), "-Xmx2g", "-ea", *(o for o in options if o.startswith("-"))]
    launcher = ["org.junit.platform.console.ConsoleLauncher", "execute", "--disable-banner"]
    chosen = ["--scan-classpath", str(TEST_CLASSES), "--include-classname", only or ".*Test"]
    chosen += ["--include-tag" if soak else "--exclude-tag", "soak"]
    last = ["--details", "tree" if soak else "summary", "--fail-if-no-tests"]
    path = os.pathsep.join([str(TEST_CLASSES), class_path])
    return 0 if run([*java, "-cp", path, *launcher, *chosen, *last]) == 0 else FAILED


def define(properties: list[str]) -> None:
    """Hands system properties to every JVM that is started from here."""
    options = [os.environ.get("JAVA_TOOL_OPTIONS", ""), *(f"-D{one}" for one in properties)]
    if properties:
        os.environ["JAVA_TOOL_OPTIONS"] = " ".join(options).strip()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tests", help="regular expression of the test classes to run")
    parser.add_argument("--soak", action="store_true", help="the long tests, and no other")
    parser.add_argument("--with", dest="tool", choices=["gradle", "mvn"], help="default: any")
    parser.add_argument(
        "--optional", action="store_true", help="exit 0 if JUnit cannot be had, unless CI=true"
    )
    parser.add_argument(
        "--define",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="a system property of the tests, as groundswell.seed=7",
    )
    arguments = parser.parse_args()
    define(arguments.define)
    runners = {"gradle": with_gradle, "mvn": with_maven}
    code = NOT_TO_BE_HAD
    for tool in [arguments.tool] if arguments.tool else list(runners):
        path = shutil.which(tool)
        if path is not None:
            code = runners[tool](path, arguments.tests, arguments.soak)
        if code != NOT_TO_BE_HAD:
            break
    else:
        if not any(map(shutil.which, runners)):
            unavailable("neither gradle nor mvn is on PATH (Debian: apt-get install gradle)")
    if code == NOT_TO_BE_HAD and arguments.optional and os.environ.get("CI") != "true":
        return 0
    return code


if __name__ == "__main__":
    sys.exit(main())
