"""Runs the JUnit tests: fetches their launcher, compiles what has changed, starts a JVM or more.

Gradle or Maven, whichever is on PATH, fetches the launcher from Maven Central, once. The tests are
compiled against the classes that setup.py built, and compiled again only if those, or the tests
themselves, are others than the last time.
Exit code: 0 all passed, 1 tests failed or did not compile, 3 JUnit cannot be had.
"""

import argparse
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from collections import defaultdict
from pathlib import Path

import jdk

ROOT = Path(__file__).resolve().parent.parent
TESTS = ROOT / "jvm-shim" / "src" / "test"
TEST_TOOLS = ROOT / "jvm-shim" / "src" / "testtools"
JUNIT = ROOT / "build" / "junit"
CLASSES = ROOT / "build" / "classes"
JAR = ROOT / "python" / "groundswell" / "jars" / "groundswell.jar"
TEST_CLASSES = ROOT / "build" / "test-classes"
REPORTS = ROOT / "build" / "junit-reports"
FOLDERS = ROOT / "build" / "junit-folders"
TIMES = ROOT / "build" / "junit-times.json"
CONSOLE = "org.junit.platform:junit-platform-console-standalone:1.11.4"
FAILED = 1
NOT_TO_BE_HAD = 3


def spark_jars() -> str:
    import pyspark

    return str(Path(pyspark.__file__).parent / "jars")


def console_jar() -> Path | None:
    return next(iter(sorted(JUNIT.glob("junit-platform-console-standalone-*.jar"))), None)


def unavailable(why: str) -> int:
    """Says so in one line; the caller decides whether that is a failure."""
    print(f"JUnit tests NOT RUN: {why}", flush=True)
    return NOT_TO_BE_HAD


def fetch_console() -> int:
    """Puts JUnit's launcher into build/junit, unless it is there: 0, or NOT_TO_BE_HAD."""
    if console_jar() is not None:
        return 0
    copy = "org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy"
    commands = {
        "mvn": ["-q", "-B", copy, f"-Dartifact={CONSOLE}", f"-DoutputDirectory={JUNIT}"],
        "gradle": ["--no-daemon", "-q", f"-PpysparkJars={spark_jars()}", "fetchJunit"],
    }
    found = {tool: path for tool in commands if (path := shutil.which(tool))}
    for tool, path in found.items():
        if subprocess.run([path, *commands[tool]], cwd=ROOT, check=False).returncode == 0:
            return 0
    if not found:
        return unavailable("neither gradle nor mvn is on PATH (Debian: apt-get install gradle)")
    return unavailable(f"{' and '.join(found)} could not fetch it from Maven Central")


def class_path() -> list[str]:
    """What the tests are compiled and run against: our classes, Spark's, JUnit's."""
    # The jar holds what is packed beside the classes.
    return [str(CLASSES), str(JAR), str(Path(spark_jars()) / "*"), str(console_jar())]


def jvm_options(soak: bool = False) -> list[str]:
    """What Spark itself adds to a JVM, and what makes short tests cheap.

    The second compiler would cost them more than it gives, threads of the collector, too.
    """
    lines = (ROOT / "tools" / "jvm-options.txt").read_text("utf-8").splitlines()
    options = ["-ea", *(line for line in lines if line.startswith("-"))]
    return options if soak else [*options, "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"]


def digest(files: list[Path]) -> str:
    """Changes when one of the files does, or is another."""
    found = hashlib.sha256()
    for path in files:
        data = path.read_bytes()
        found.update(f"{path.relative_to(ROOT).as_posix()}\0{len(data)}\0".encode() + data)
    return found.hexdigest()


def compile_tests() -> bool:
    """Whether build/test-classes holds what the sources say."""
    sources = sorted(path for root in (TESTS, TEST_TOOLS) for path in root.rglob("*.java"))
    resources = [path for path in (TESTS / "resources").rglob("*") if path.is_file()]
    classes = [path for path in CLASSES.rglob("*") if path.is_file()]
    wanted = digest([Path(__file__), *sources, *sorted(resources), *sorted(classes)])
    stamp = TEST_CLASSES / "sources.sha256"
    if stamp.is_file() and stamp.read_text("utf-8") == wanted:
        return True
    shutil.rmtree(TEST_CLASSES, ignore_errors=True)
    TEST_CLASSES.mkdir(parents=True)
    found = jdk.find_jdk()
    javac = [str(found.javac), "--release", str(jdk.RELEASE), "-proc:none", "-encoding", "UTF-8"]
    javac += ["-cp", os.pathsep.join(class_path()), "-d", str(TEST_CLASSES)]
    if subprocess.run([*javac, *map(str, sources)], cwd=ROOT, check=False).returncode != 0:
        return False
    shutil.copytree(TESTS / "resources", TEST_CLASSES, dirs_exist_ok=True)
    stamp.write_text(wanted, "utf-8")
    return True


def test_classes() -> list[str]:
    """Names of all classes with tests."""
    paths = (TESTS / "java").rglob("*Test.java")
    return sorted(
        ".".join(path.relative_to(TESTS / "java").with_suffix("").parts) for path in paths
    )


def shares(names: list[str], seconds: dict[str, float], count: int) -> list[list[str]]:
    """Cuts the classes into ``count`` lists that should take equally long, longest first."""
    shares: list[list[str]] = [[] for _ in range(count)]
    filled = [0.0] * count
    for name in sorted(names, key=lambda name: -seconds.get(name, 1.0)):
        least = filled.index(min(filled))
        shares[least].append(name)
        filled[least] += seconds.get(name, 1.0)
    return [share for share in shares if share]


def start(number: int, names: list[str], soak: bool) -> "subprocess.Popen[bytes]":
    """A JVM with these classes. Only the soak says what it is at; who waits for it is told."""
    java = [str(jdk.find_jdk().java), "-Xmx2g", *jvm_options(soak)]
    # A merge in the background may still write while its test's folder goes: all go at the end.
    folder = FOLDERS / str(number)
    folder.mkdir(parents=True)
    java += [f"-Djava.io.tmpdir={folder}", "-Djunit.jupiter.tempdir.cleanup.mode.default=never"]
    path = os.pathsep.join([str(TEST_CLASSES), *class_path()])
    launcher = ["org.junit.platform.console.ConsoleLauncher", "execute", "--disable-banner"]
    launcher += ["--include-tag" if soak else "--exclude-tag", "soak"]
    launcher += ["--details", "tree" if soak else "summary", "--disable-ansi-colors"]
    launcher += ["--reports-dir", str(REPORTS / str(number))]
    launcher += [f"--select-class={name}" for name in names]
    return subprocess.Popen([*java, "-cp", path, *launcher], cwd=ROOT)


def report(print_slowest: int) -> int:
    """Prints what was run, took longest and failed; the times are the next run's shares, too."""
    seconds: dict[str, float] = defaultdict(float)
    failed = []
    tests = 0
    for path in REPORTS.glob("*/*.xml"):
        for case in ElementTree.parse(path).getroot().iter("testcase"):
            seconds[str(case.get("classname"))] += float(case.get("time") or 0)
            tests += 1
            failed += [failure(case, found) for found in case if found.tag in ("failure", "error")]
    known = json.loads(TIMES.read_text("utf-8")) if TIMES.is_file() else {}
    times = {**known, **{name: round(taken, 2) for name, taken in seconds.items()}}
    TIMES.write_text(json.dumps(dict(sorted(times.items())), indent=1), "utf-8")
    print(f"JUnit: {tests} tests in {len(seconds)} classes; the slowest classes:")
    for name, taken in sorted(seconds.items(), key=lambda one: -one[1])[:print_slowest]:
        print(f"{taken:8.1f} s  {name.removeprefix('io.groundswell.')}", flush=True)
    print("".join(f"{line}\n" for line in failed), end="", flush=True)
    return tests


def failure(case: ElementTree.Element, found: ElementTree.Element) -> str:
    """One line on a test that failed; its whole trace stands further up."""
    said = (found.get("message") or found.get("type") or "").partition("\n")[0]
    return f"FAILED {case.get('classname')}.{case.get('name')}: {said[:300]}"


def run_all(only: str | None, soak: bool, forks: int) -> int:
    """Runs the chosen classes in so many JVMs: 0 or FAILED."""
    names = [name for name in test_classes() if re.fullmatch(only or ".*", name)]
    if not names:
        print(f"error: no test class matches {only}", file=sys.stderr)
        return FAILED
    seconds = json.loads(TIMES.read_text("utf-8")) if TIMES.is_file() else {}
    for before in (REPORTS, FOLDERS):
        shutil.rmtree(before, ignore_errors=True)
    started = [
        start(number, share, soak) for number, share in enumerate(shares(names, seconds, forks))
    ]
    codes = [process.wait() for process in started]
    shutil.rmtree(FOLDERS, ignore_errors=True)
    if report(5) == 0 and only:
        print(f"error: no test of {', '.join(names)} was run", file=sys.stderr)
        return FAILED
    return FAILED if any(codes) else 0


def run_main(name: str, arguments: list[str]) -> int:
    """Runs a program that stands among the tests, with both compilers: it measures."""
    options = ["-cp", os.pathsep.join([str(TEST_CLASSES), *class_path()]), "-Xmx4g"]
    options += [option for option in jvm_options(soak=True) if option != "-ea"]
    command = [str(jdk.find_jdk().java), *options, name, *arguments]
    return subprocess.run(command, cwd=ROOT, check=False).returncode


def define(properties: list[str]) -> None:
    """Hands system properties to every JVM that is started from here."""
    options = [os.environ.get("JAVA_TOOL_OPTIONS", ""), *(f"-D{one}" for one in properties)]
    if properties:
        os.environ["JAVA_TOOL_OPTIONS"] = " ".join(options).strip()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tests", help="regular expression of the test classes to run")
    parser.add_argument("--soak", action="store_true", help="the long tests, and no other")
    parser.add_argument("--forks", type=int, default=1, help="JVMs side by side (1)")
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
    parser.add_argument(
        "--java", type=int, metavar="MAJOR", help="on this JDK; exit 0 if the machine has none"
    )
    parser.add_argument("--main", metavar="CLASS", help="a program among the tests, in their place")
    parser.add_argument("arguments", nargs="*", help="of the program")
    arguments = parser.parse_args()
    if arguments.java is not None:
        home = jdk.installed().get(arguments.java)
        if home is None:
            unavailable(f"there is no JDK {arguments.java} on this machine")
            return 0
        os.environ["JAVA_HOME"] = str(home)
    code = fetch_console()
    if code == NOT_TO_BE_HAD:
        lenient = arguments.optional and os.environ.get("CI") != "true"
        return 0 if lenient else code
    if not compile_tests():
        return FAILED
    define(arguments.define)
    if arguments.main:
        return run_main(arguments.main, arguments.arguments)
    return run_all(arguments.tests, arguments.soak, arguments.forks)


if __name__ == "__main__":
    sys.exit(main())
