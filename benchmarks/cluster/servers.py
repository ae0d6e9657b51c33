"""A standalone master and workers of this machine, ended by process id."""

from __future__ import annotations

import os
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyspark

SPARK = Path(pyspark.__file__).parent
HOST = "127.0.0.1"
PACKAGE = "org.apache.spark.deploy"
WORKER_MEMORY = "1g"


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        return int(probe.getsockname()[1])


def _start(folder: Path, name: str, main: str, *words: str) -> subprocess.Popen[Any]:
    environment = os.environ | {
        "SPARK_HOME": str(SPARK),
        "SPARK_LOCAL_IP": HOST,
        "SPARK_DAEMON_MEMORY": "256m",
        "SPARK_WORKER_DIR": str(folder / "work"),
    }
    with (folder / f"{name}.log").open("wb") as log:
        return subprocess.Popen(
            [str(SPARK / "bin" / "spark-class"), f"{PACKAGE}.{main}", "--host", HOST, *words],
            env=environment,
            stdout=log,
            stderr=log,
        )


@contextmanager
def standalone(folder: Path, workers: int) -> Iterator[tuple[str, list[int]]]:
    """A cluster of workers with a core each: its URL, and their process ids."""
    port = free_port()
    url = f"spark://{HOST}:{port}"
    ports = ("--port", str(port), "--webui-port", str(free_port()))
    started = [_start(folder, "master", "master.Master", *ports)]
    try:
        _wait(port, started[0], folder / "master.log")
        for number in range(workers):
            size = ("--cores", "1", "--memory", WORKER_MEMORY, "--webui-port", str(free_port()))
            started.append(_start(folder, f"worker-{number}", "worker.Worker", *size, url))
        yield url, [worker.pid for worker in started[1:]]
    finally:
        for process in reversed(started):
            process.kill()
            process.wait()


def _wait(port: int, process: subprocess.Popen[Any], log: Path) -> None:
    deadline = time.monotonic() + 60
    while True:
        with socket.socket() as probe:
            if probe.connect_ex((HOST, port)) == 0:
                return
        if process.poll() is not None or time.monotonic() > deadline:
            raise RuntimeError(f"the master did not start:\n{log.read_text()[-2000:]}")
        time.sleep(0.1)
