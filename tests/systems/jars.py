"""Servers that are jars: fetched once, by Maven, into ``build``."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

from systems.servers import missing

HOME = Path(__file__).parents[2] / "build" / "systems"
POM = """<project><modelVersion>4.0.0</modelVersion>
<groupId>tests</groupId><artifactId>{name}</artifactId><version>1</version>
<dependencies><dependency><groupId>{group}</groupId><artifactId>{name}</artifactId>
<version>{version}</version></dependency></dependencies></project>
"""


def jars(coordinates: str) -> str:
    """The class path of ``group:name:version`` with all that it needs."""
    group, name, version = coordinates.split(":")
    folder = HOME / f"{name}-{version}"
    if not (folder / "complete").exists():
        if shutil.which("mvn") is None:
            missing(f"{coordinates} (it is fetched by mvn, which")
        folder.mkdir(parents=True, exist_ok=True)
        pom = folder / "pom.xml"
        pom.write_text(POM.format(group=group, name=name, version=version))
        done = subprocess.run(
            ["mvn", "-q", "-f", str(pom), "dependency:copy-dependencies"]
            + [f"-DoutputDirectory={folder}"],
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode != 0:
            missing(f"{coordinates} (mvn cannot fetch it)")
        (folder / "complete").touch()
    return f"{folder}/*"


CONNECTOR = "org.apache.spark:spark-sql-kafka-0-10_2.13:4.2.0"
"""Spark's Kafka package; it runs on Spark 4.3, too."""
_OF_SPARK = ("hadoop-", "jsr305-", "lz4-", "scala-", "slf4j-", "snappy-", "spark-tags_")


def connector() -> str:
    """The jars of Spark's Kafka package that Spark does not have itself, as ``spark.jars``."""
    folder = Path(jars(CONNECTOR)).parent
    found = (p for p in sorted(folder.glob("*.jar")) if not p.name.startswith(_OF_SPARK))
    return ",".join(map(str, found))
