"""Seeded bugs: each patch of ``jvm-shim/src/test/mutants`` must turn the random tests red.

A patch changes method bodies of the engine (no constant that other classes inline, no
signature). Each is applied to a copy of its file, compiled against the classes that setup.py built,
and put before them on the class path; no source of this tree is touched. Without a patch the
same tests must be green.

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
from dataclasses import dataclass
from pathlib import Path

import jdk
import run_junit

MUTANTS = run_junit.ROOT / "jvm-shim" / "src" / "test" / "mutants"
SOURCES = run_junit.ROOT / "jvm-shim" / "src" / "main" / "java"

# What meets every part of the engine by chance; tests of single classes are not asked.
TESTS = ["engine.StoreModelTest", "engine.SimulationTest", "sst.SstFuzzTest"]
TESTS += ["version.ManifestFuzzTest"]

# A bug that needs an unlikely order of events gets so many times the rounds before it survives.
SECOND_TRY_ROUNDS = 8


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
    seed: str
    says: str


def description(patch: Path) -> str:
    """What stands before the patch proper."""
    return patch.read_text("utf-8").split("\n--- ", 1)[0].replace("\n", " ").strip()


class Bench:
    """A temporary folder with compiled tests, and how to run them before other classes."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        found = jdk.find_jdk()
        self.java = str(found.java)
        self.javac = [str(found.javac), "--release", str(jdk.RELEASE), "-proc:none", "-nowarn"]
        self.javac += ["-encoding", "UTF-8"]
        jars = Path(run_junit.spark_jars()) / "*"
        self.below = [str(run_junit.CLASSES), str(jars), str(run_junit.console_jar())]
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

    def compile_tests(self) -> str:
        roots = [run_junit.TESTS / "java", run_junit.TEST_TOOLS / "java"]
        files = [
            roots[0] / "io" / "groundswell" / f"{test.replace('.', '/')}.java" for test in TESTS
        ]
        return self.compile(files, self.tests, roots)

    def run(self, name: str, first: list[Path], rounds: int) -> Run:
        """Runs the tests with these classes before those that setup.py built."""
        reports = self.folder / f"reports-{name}-{rounds}"
        options = (run_junit.ROOT / "tools" / "jvm-options.txt").read_text("utf-8").splitlines()
        command = [self.java, "-Xmx1g", "-ea", *(o for o in options if o.startswith("-"))]
        command += [f"-Dgroundswell.rounds={rounds}"]
        path = os.pathsep.join([*map(str, first), str(self.tests), *self.below])
        command += ["-cp", path, "org.junit.platform.console.ConsoleLauncher", "execute"]
        command += ["--disable-banner", "--details", "none", "--exclude-tag", "soak"]
        command += ["--reports-dir", str(reports), "--fail-if-no-tests"]
        for test in TESTS:
            command += ["--select-class", f"io.groundswell.{test}"]
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

    def judge(self, patch: Path) -> Verdict:
        """Applies, compiles and runs one mutant."""
        name = patch.stem
        root = self.folder / name
        named = re.findall(r"^\+\+\+ b/(\S+)", patch.read_text("utf-8"), re.MULTILINE)
        for path in named:
            copy = root / path
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(run_junit.ROOT / path, copy)
        applied = subprocess.run(
            ["git", "apply", "-C1", "--recount", "--unsafe-paths", str(patch)],
            cwd=root,
            env={**os.environ, "GIT_CEILING_DIRECTORIES": str(self.folder)},
            capture_output=True,
            text=True,
            check=False,
        )
        if applied.returncode:
            return Verdict(name, [], problem=f"no longer applies: {applied.stderr.strip()}")
        classes = root / "classes"
        error = self.compile([root / path for path in named], classes, [])
        if error:
            return Verdict(name, [], problem=f"does not compile: {error.strip()}")
        for rounds in (1, SECOND_TRY_ROUNDS):
            run = self.run(name, [classes], rounds)
            if run.failed:
                return Verdict(name, run.failed, run.seed)
        return Verdict(name, [], problem="survived: no test noticed it")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("only", nargs="*", help="names of mutants; default: all")
    parser.add_argument("--optional", action="store_true", help="exit 0 if JUnit cannot be had")
    arguments = parser.parse_args()
    if run_junit.fetch_console() != 0:
        return 0 if arguments.optional else run_junit.NOT_TO_BE_HAD
    patches = sorted(MUTANTS.glob("*.patch"))
    chosen = [p for p in patches if not arguments.only or p.stem in arguments.only]
    unknown = set(arguments.only) - {patch.stem for patch in patches}
    if unknown or not chosen:
        known = ", ".join(patch.stem for patch in patches)
        raise SystemExit(f"error: no mutant {', '.join(sorted(unknown))}; there are {known}")
    with tempfile.TemporaryDirectory(prefix="groundswell-mutants-") as folder:
        bench = Bench(Path(folder))
        error = bench.compile_tests()
        if error:
            raise SystemExit(f"error: the tests do not compile:\n{error}")
        unchanged = bench.run("unchanged", [], 1)
        if unchanged.failed:
            red = ", ".join(unchanged.failed)
            raise SystemExit(f"error: red without any mutant: {red}:\n{unchanged.says}")
        print("unchanged: green", flush=True)
        bad = 0
        for patch in chosen:
            verdict = bench.judge(patch)
            bad += bool(verdict.problem)
            what = verdict.problem or f"caught by {', '.join(verdict.caught_by)}"
            print(f"{verdict.name:34} {what} {verdict.seed and '(seed ' + verdict.seed + ')'}")
            print(f"    {description(patch)}", flush=True)
    print(f"{len(chosen) - bad} of {len(chosen)} seeded bugs were caught")
    return run_junit.FAILED if bad else 0


if __name__ == "__main__":
    sys.exit(main())
