"""The engine's jar as the package carries it: where it is and what its manifest says."""

import zipfile
from pathlib import Path
from typing import NamedTuple

PATH = Path(__file__).resolve().parent / "jars" / "groundswell.jar"


class JarInfo(NamedTuple):
    """What a jar's manifest says; empty strings where it is silent."""

    version: str
    spark_version: str
    classes: frozenset[str]


def read(path: Path = PATH) -> JarInfo | None:
    """The jar's manifest and class names; None if there is no readable jar at ``path``."""
    try:
        with zipfile.ZipFile(path) as archive:
            names = archive.namelist()
            manifest = parse_manifest(archive.read("META-INF/MANIFEST.MF").decode())
    except (OSError, KeyError, zipfile.BadZipFile):
        return None
    classes = frozenset(
        n[: -len(".class")].replace("/", ".") for n in names if n.endswith(".class")
    )
    return JarInfo(
        version=manifest.get("Implementation-Version", ""),
        spark_version=manifest.get("Build-Spark-Version", ""),
        classes=classes,
    )


def parse_manifest(text: str) -> dict[str, str]:
    """A manifest's main section; a line that starts with a space continues the one before it."""
    unfolded = text.replace("\r\n", "\n").replace("\n ", "")
    pairs = (line.split(": ", 1) for line in unfolded.splitlines() if ": " in line)
    return {key: value.strip() for key, value in pairs}
