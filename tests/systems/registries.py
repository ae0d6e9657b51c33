"""Apicurio's registry, which speaks Confluent's protocol beside its own."""

from __future__ import annotations

import json
import shutil
import subprocess
import tarfile
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

from systems.jars import HOME
from systems.servers import Server, free_port, missing, wait_for


class Apicurio(Server):
    """One node that keeps its schemas in memory."""

    VERSION = "io.apicurio:apicurio-registry-app:2.6.13.Final"

    def __init__(self) -> None:
        self.folder = _unpacked(self.VERSION)
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}/apis/ccompat/v7"
        self.start()

    def start(self) -> None:
        (jar,) = self.folder.glob("*-runner.jar")
        options = ["-Xmx384m", "-XX:TieredStopAtLevel=1", "-Dquarkus.http.host=127.0.0.1"]
        command = ["java", *options, f"-Dquarkus.http.port={self.port}", "-jar", str(jar)]
        log = (self.folder / "log").open("ab")
        self.process = subprocess.Popen(command, stdout=log, stderr=log, cwd=self.folder)
        log.close()
        wait_for("Apicurio", self._answers)

    def _answers(self) -> bool:
        try:
            with urllib.request.urlopen(f"{self.url}/subjects", timeout=5) as answer:
                return bool(answer.status == 200)
        except OSError:
            return False

    def add(self, subject: str, schema: Any, **more: Any) -> int:
        """One more version of a subject; its id."""
        body = json.dumps({"schema": json.dumps(schema), **more}).encode()
        request = urllib.request.Request(
            f"{self.url}/subjects/{subject}/versions", body, {"Content-Type": "application/json"}
        )
        try:
            with urllib.request.urlopen(request, timeout=30) as answer:
                return int(json.loads(answer.read())["id"])
        except urllib.error.HTTPError as e:
            raise AssertionError(e.read().decode()) from e

    def close(self) -> None:
        self.stop()


def _unpacked(coordinates: str) -> Path:
    group, name, version = coordinates.split(":")
    folder = HOME / f"{name}-{version}"
    if (folder / "complete").exists():
        return folder
    if shutil.which("mvn") is None:
        missing(f"{coordinates} (it is fetched by mvn, which")
    folder.mkdir(parents=True, exist_ok=True)
    done = subprocess.run(
        ["mvn", "-q", "dependency:copy", f"-Dartifact={group}:{name}:{version}:tar.gz:all"]
        + [f"-DoutputDirectory={folder}"],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        missing(f"{coordinates} (mvn cannot fetch it)")
    (archive,) = folder.glob("*.tar.gz")
    with tarfile.open(archive) as packed:
        packed.extractall(folder, filter="data")
    archive.unlink()
    (folder / "complete").touch()
    return folder
