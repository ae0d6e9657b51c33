"""Seeded bugs: each patch of ``MUTANTS`` must turn the tests that it names red.

A patch changes bodies of methods and functions (no constant that other classes inline, no
signature). What stands before the patch proper says what is wrong, and ``Tests:`` which tests must
notice: JUnit classes below ``io.groundswell``, and files or single tests of pytest. Patches of the
engine that name none are for the random tests of ``ENGINE``, which meet all of its parts by chance.

No source of this tree is touched. Changed Java files are compiled against the classes that setup.py
built, and put before them on the class path. For pytest, Python's files, the tests and the jar are
copied, and the copy is changed. Without a patch the same tests must be green.

Exit code: 0 all were caught, 1 one survived, no longer applies or does not compile, or the tests
are red by themselves, 3 JUnit cannot be had.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree
import zipfile
from dataclasses import dataclass
from pathlib import Path

import jdk
import run_junit

ROOT = run_junit.ROOT
MUTANTS = [ROOT / "jvm-shim" / "src" / "test" / "mutants", ROOT / "tests" / "mutants"]
ENGINE = ["engine.StoreModelTest", "engine.SimulationTest", "sst.SstFuzzTest"]
ENGINE += ["version.ManifestFuzzTest"]

# A bug that needs an unlikely order of events gets so many times the rounds before it survives.
SECOND_TRY_ROUNDS = 8

COPIED = ["python", "tests", "pyproject.toml"]
PYTEST_FAILED = 1


@dataclass(frozen=True)
class Mutant:
    """A patch and the tests that must notice it."""

    patch: Path

    @property
    def name(self) -> str:
        return self.patch.stem

    @property
    def _head(self) -> str:
        return self.patch.read_text("utf-8").split("\n--- ", 1)[0]

    @property
    def description(self) -> str:
        return self._head.split("\nTests:", 1)[0].replace("\n", " ").strip()

    @property
    def tests(self) -> list[str]:
        _, _, named = self._head.partition("\nTests:")
        return named.split() or ENGINE

    @property
    def junit(self) -> list[str]:
        return [test for test in self.tests if "/" not in test]

    @property
    def pytest(self) -> list[str]:
        return [test for test in self.tests if "/" in test]

    @property
    def files(self) -> list[str]:
        """What it changes, relative to the root."""
        return re.findall(r"^\+\+\+ b/(\S+)", self.patch.read_text("utf-8"), re.MULTILINE)

    @property
    def java(self) -> list[str]:
        return [file for file in self.files if file.endswith(".java")]


def mutants() -> list[Mutant]:
    """All of them, by name."""
    return sorted(
        (Mutant(patch) for folder in MUTANTS for patch in folder.glob("*.patch")),
        key=lambda mutant: mutant.name,
    )


@dataclass(frozen=True)
class Verdict:
    """What became of one mutant: the tests that failed, or why it is no proof."""

    name: str
    caught_by: list[str]
    seed: str = ""
    problem: str = ""


@dataclass(frozen=True)
class Run:
    """Tests that failed; of one of them the seed, if it has one, and what it says."""

    failed: list[str]
    seed: str = ""
    says: str = ""


class Bench:
    """A temporary folder with compiled tests, and how to run them with changed code."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        found = jdk.find_jdk()
        self.java = str(found.java)
        self.javac = [str(found.javac), "--release", str(jdk.RELEASE), "-proc:none", "-nowarn"]
        self.javac += ["-encoding", "UTF-8"]
        self.below = run_junit.class_path()
        self.tests = folder / "tests"

    def compile(self, sources: list[Path], to: Path, source_path: list[Path]) -> str:
        """Empty, or what the compiler says against it."""
        to.mkdir()
        command = [*self.javac, "-implicit:class", "-d", str(to)]
        command += ["-cp", os.pathsep.join(self.below)]
        if source_path:
            command += ["-sourcepath", os.pathsep.join(map(str, source_path))]
        done = subprocess.run(
            [*command, *map(str, sources)], capture_output=True, text=True, check=False
        )
        return done.stderr if done.returncode else ""

    def compile_tests(self, names: list[str]) -> str:
        roots = [run_junit.TESTS / "java", run_junit.TEST_TOOLS / "java"]
        files = [java_test(name) for name in names]
        return self.compile(files, self.tests, roots)

    def run_junit(self, name: str, tests: list[str], first: list[Path], rounds: int) -> Run:
        """Runs JUnit's tests with these classes before those that setup.py built."""
        reports = self.folder / f"reports-{name}-{rounds}"
        command = [self.java, "-Xmx1g", *run_junit.jvm_options(), f"-Dgroundswell.rounds={rounds}"]
        resources = run_junit.TESTS / "resources"
        path = os.pathsep.join([*map(str, first), str(self.tests), str(resources), *self.below])
        command += ["-cp", path, "org.junit.platform.console.ConsoleLauncher", "execute"]
        command += ["--disable-banner", "--details", "none", "--exclude-tag", "soak"]
        command += ["--reports-dir", str(reports), "--fail-if-no-tests"]
        command += [f"--select-class=io.groundswell.{test}" for test in tests]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        failed: list[str] = []
        seed = says = ""
        for report in reports.glob("*.xml"):
            for case in ElementTree.parse(report).getroot().iter("testcase"):
                problems = [*case.iter("failure"), *case.iter("error")]
                if problems:
                    method = str(case.get("name")).split("(")[0]
                    failed.append(f"{str(case.get('classname')).rsplit('.', 1)[-1]}.{method}")
                    text = " ".join(f"{one.get('message')} {one.text}" for one in problems)
                    seed = seed or "".join(re.findall(r"groundswell\.seed=(-?\d+)", text)[:1])
                    says = says or text
        if done.returncode and not failed:
            raise SystemExit(f"error: the tests did not run:\n{done.stdout}\n{done.stderr}")
        return Run(sorted(set(failed)), seed, says)

    def run_pytest(self, name: str, tests: list[str], mutant: Mutant | None, classes: Path) -> Run:
        """Runs pytest's tests in a copy of what they need, changed by the patch."""
        root = self.folder / f"copy-{name}"
        root.mkdir()
        for what in COPIED:
            if (ROOT / what).is_dir():
                ignore = shutil.ignore_patterns("__pycache__", ".hypothesis")
                shutil.copytree(ROOT / what, root / what, ignore=ignore)
            else:
                shutil.copy(ROOT / what, root / what)
        if mutant is not None:
            for java in mutant.java:
                (root / java).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(ROOT / java, root / java)
            apply(mutant, root)
            if mutant.java:
                replace_classes(root / run_junit.JAR.relative_to(ROOT), classes)
        command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider"]
        done = subprocess.run(
            [*command, "--benchmark-skip", *tests],
            cwd=root,
            env={key: value for key, value in os.environ.items() if key != "PYTHONPATH"},
            capture_output=True,
            text=True,
            check=False,
        )
        shutil.rmtree(root)
        named = re.compile(r"^(?:FAILED|ERROR) \S*?([^/\s]+::.+?)(?: - .*)?$", re.MULTILINE)
        failed = named.findall(done.stdout)
        if done.returncode not in (0, PYTEST_FAILED) or bool(done.returncode) != bool(failed):
            raise SystemExit(f"error: the tests did not run:\n{done.stdout}\n{done.stderr}")
        return Run(failed, says=done.stdout if failed else "")

    def judge(self, mutant: Mutant) -> Verdict:
        """Applies, compiles and runs one mutant."""
        name = mutant.name
        root = self.folder / name
        for path in mutant.files:
            copy = root / path
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / path, copy)
        problem = apply(mutant, root)
        if problem:
            return Verdict(name, [], problem=f"no longer applies: {problem}")
        classes = root / "classes"
        if mutant.java:
            error = self.compile([root / path for path in mutant.java], classes, [])
            if error:
                return Verdict(name, [], problem=f"does not compile: {error.strip()}")
        if mutant.pytest:
            run = self.run_pytest(name, mutant.pytest, mutant, classes)
            if run.failed:
                return Verdict(name, run.failed)
        for rounds in (1, SECOND_TRY_ROUNDS) if mutant.junit else ():
            run = self.run_junit(name, mutant.junit, [classes], rounds)
            if run.failed:
                return Verdict(name, run.failed, run.seed)
        return Verdict(name, [], problem="survived: no test that it names noticed it")


def apply(mutant: Mutant, root: Path) -> str:
    """Applies a patch to copies below a folder: empty, or what git says against it."""
    done = subprocess.run(
        ["git", "apply", "-C1", "--recount", "--unsafe-paths", str(mutant.patch)],
        cwd=root,
        env={**os.environ, "GIT_CEILING_DIRECTORIES": str(root.parent)},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stderr.strip() if done.returncode else ""


def replace_classes(jar: Path, classes: Path) -> None:
    """Puts classes into a jar, in the place of those that it has."""
    own = {p.relative_to(classes).as_posix(): p for p in classes.rglob("*.class")}
    with zipfile.ZipFile(jar) as archive:
        entries = {name: archive.read(name) for name in archive.namelist()}
    with zipfile.ZipFile(jar, "w") as archive:
        for name, data in entries.items():
            archive.writestr(name, own.pop(name).read_bytes() if name in own else data)
        for name, path in own.items():
            archive.write(path, name)


def java_test(name: str) -> Path:
    """The source of a JUnit class below ``io.groundswell``."""
    return run_junit.TESTS / "java" / "io" / "groundswell" / f"{name.replace('.', '/')}.java"


def check_unchanged(bench: Bench, chosen: list[Mutant]) -> None:
    """Ends the program if the tests do not compile, or are red without any mutant."""
    junit = sorted({test for mutant in chosen for test in mutant.junit})
    pytest = sorted({test for mutant in chosen for test in mutant.pytest})
    runs = []
    if junit:
        error = bench.compile_tests(junit)
        if error:
            raise SystemExit(f"error: the tests do not compile:\n{error}")
        runs.append(bench.run_junit("unchanged", junit, [], 1))
    if pytest:
        runs.append(bench.run_pytest("unchanged", pytest, None, bench.folder))
    for run in runs:
        if run.failed:
            red = ", ".join(run.failed)
            raise SystemExit(f"error: red without any mutant: {red}:\n{run.says}")
    print("unchanged: green", flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("only", nargs="*", help="names of mutants; default: all")
    parser.add_argument("--optional", action="store_true", help="exit 0 if JUnit cannot be had")
    arguments = parser.parse_args()
    if run_junit.fetch_console() != 0:
        return 0 if arguments.optional else run_junit.NOT_TO_BE_HAD
    known = mutants()
    chosen = [m for m in known if not arguments.only or m.name in arguments.only]
    unknown = set(arguments.only) - {mutant.name for mutant in known}
    if unknown or not chosen:
        names = ", ".join(mutant.name for mutant in known)
        raise SystemExit(f"error: no mutant {', '.join(sorted(unknown))}; there are {names}")
    with tempfile.TemporaryDirectory(prefix="groundswell-mutants-") as folder:
        bench = Bench(Path(folder))
        check_unchanged(bench, chosen)
        bad = 0
        for mutant in chosen:
            verdict = bench.judge(mutant)
            bad += bool(verdict.problem)
            what = verdict.problem or f"caught by {', '.join(verdict.caught_by)}"
            print(f"{verdict.name:34} {what} {verdict.seed and '(seed ' + verdict.seed + ')'}")
            print(f"    {mutant.description}", flush=True)
    print(f"{len(chosen) - bad} of {len(chosen)} seeded bugs were caught")
    return run_junit.FAILED if bad else 0


if __name__ == "__main__":
    sys.exit(main())
