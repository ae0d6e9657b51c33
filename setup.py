"""Builds the engine's jar with the JDK and the jars inside the pyspark wheel, and ships it."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

from setuptools import Command, find_packages, setup
from setuptools.command.build_py import build_py

ROOT = Path(__file__).resolve().parent
SOURCES = ROOT / "jvm-shim" / "src" / "main"
JAR = ROOT / "python" / "groundswell" / "jars" / "groundswell.jar"


class BuildJar(Command):
    description = "compile jvm-shim against pyspark's jars into python/groundswell/jars"
    user_options: list = []

    def initialize_options(self):
        pass

    def finalize_options(self):
        pass

    def run(self):
        import pyspark

        jars = str(Path(pyspark.__file__).parent / "jars" / "*")
        classes = ROOT / "build" / "classes"
        shutil.rmtree(classes, ignore_errors=True)
        classes.mkdir(parents=True)
        java = sorted(str(p) for p in SOURCES.rglob("*.java"))
        scala = sorted(str(p) for p in SOURCES.rglob("*.scala"))
        if scala:
            subprocess.run(
                ["java", "-cp", jars, "scala.tools.nsc.Main", "-release", "17", "-deprecation",
                 "-classpath", os.pathsep.join(map(str, Path(jars).parent.glob("*.jar"))),
                 "-d", str(classes), *scala, *java], check=True)
        subprocess.run(
            ["javac", "--release", "17", "-Xlint:all,-processing,-classfile,-path", "-Werror", "-proc:none",
             "-cp", jars + os.pathsep + str(classes), "-d", str(classes), *java], check=True)
        JAR.parent.mkdir(parents=True, exist_ok=True)
        subprocess.run(["jar", "cf", str(JAR), "-C", str(classes), "."], check=True)


class BuildPy(build_py):
    def run(self):
        self.run_command("build_jar")
        super().run()


setup(
    name="groundswell",
    version="0.1.0",
    package_dir={"": "python"},
    packages=find_packages("python"),
    package_data={"groundswell": ["jars/*.jar", "py.typed"]},
    cmdclass={"build_jar": BuildJar, "build_py": BuildPy},
)
