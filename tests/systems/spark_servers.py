"""Spark's own servers, with Groundswell in them: processes on 127.0.0.1."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pyspark

from conftest import JAR
from systems.servers import free_port, listens, wait_for

HOME = Path(pyspark.__file__).parent
CONNECT = "org.apache.spark.sql.connect.service.SparkConnectServer"
THRIFT = "org.apache.spark.sql.hive.thriftserver.HiveThriftServer2"
CONFS = {
    "spark.jars": str(JAR),
    "spark.plugins": "io.groundswell.GroundswellPlugin",
    "spark.pyspark.python": sys.executable,
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.host": "127.0.0.1",
    "spark.sql.shuffle.partitions": "2",
    "spark.ui.enabled": "false",
}


def _arguments(main: str, port: int) -> tuple[dict[str, str], list[str]]:
    """Where it listens: confs, and what stands behind its name."""
    if main == CONNECT:
        at = {"address": "127.0.0.1", "port": str(port)}
        return {f"spark.connect.grpc.binding.{key}": value for key, value in at.items()}, []
    at = {"bind.host": "127.0.0.1", "port": str(port)}
    settings = [f"hive.server2.thrift.{key}={value}" for key, value in at.items()]
    return {}, [word for setting in settings for word in ("--hiveconf", setting)]


@contextmanager
def running(main: str, folder: Path, **confs: str) -> Iterator[int]:
    """A server that listens on the port that it gives; its log is ``server.log``."""
    port = free_port()
    where, behind = _arguments(main, port)
    command = [str(HOME / "bin" / "spark-submit"), "--master", "local[2]", "--class", main]
    own = {**CONFS, "spark.sql.warehouse.dir": str(folder / "warehouse")}
    if main == THRIFT:  # a session that ends closes the loader of what only spark.jars names
        own["spark.driver.extraClassPath"] = str(JAR)
    for key, value in {**own, **where, **confs}.items():
        command += ["--conf", f"{key}={value}"]
    log = folder / "server.log"
    with log.open("w") as out:
        process = subprocess.Popen(
            [*command, "spark-internal", *behind],
            stdout=out,
            stderr=subprocess.STDOUT,
            cwd=folder,
            env={**os.environ, "SPARK_HOME": str(HOME)},
        )

    def up() -> bool:
        assert process.poll() is None, log.read_text("utf-8")[-4000:]
        return listens(port)

    try:
        wait_for(main, up, 180)
        yield port
    finally:
        process.terminate()
        process.wait(60)
