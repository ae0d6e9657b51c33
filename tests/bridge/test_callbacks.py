"""The port through which the JVM calls Python: who may, and from where."""

import os
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from groundswell.jvm import errors
from groundswell.jvm.callbacks import CallbackPort, port_of
from groundswell.jvm.files import FileTree, JvmFolder

INTERFACE = "io.groundswell.spark.views.entry.BarrierHandler"


class Calls:
    """What a JVM may call; notes that it was."""

    def __init__(self) -> None:
        self.epochs: list[int] = []

    def onBarrier(self, epoch: int, batch: Any) -> str | None:
        self.epochs.append(epoch)
        return "done" if epoch else None


def say(port: CallbackPort, *lines: str) -> bytes:
    """What the port answers to these lines; empty if it hangs up."""
    with socket.create_connection(("127.0.0.1", port.number), timeout=10) as connection:
        try:
            connection.sendall("".join(f"{line}\n" for line in lines).encode())
            return connection.recv(1000)
        except ConnectionError:
            return b""


def test_the_jvm_calls_with_the_token(spark: SparkSession) -> None:
    port, calls = port_of(spark), Calls()
    name = port.put(calls)
    handler = port.java_object(spark, name, INTERFACE)
    try:
        assert handler.onBarrier(0, None) is None
        assert handler.onBarrier(7, None) == "done"
        assert calls.epochs == [0, 7]
    finally:
        port.remove(name)
    with pytest.raises(errors.JVM_ERRORS, match="Object ID unknown"):
        handler.onBarrier(8, None)


def test_a_call_that_fails_leaves_the_next_one_alone(spark: SparkSession) -> None:
    port, calls = port_of(spark), Calls()
    name = port.put(calls)
    handler = port.java_object(spark, name, INTERFACE)
    gone = port.java_object(spark, "p-1", INTERFACE)
    try:
        for epoch in range(3):  # on the connection of this thread
            with pytest.raises(errors.JVM_ERRORS, match="Object ID unknown"):
                gone.onBarrier(epoch, None)
            handler.onBarrier(epoch, None)
        assert calls.epochs == [0, 1, 2]
    finally:
        port.remove(name)


@pytest.mark.parametrize(
    "introduction", [(), ("A", "no token", "e"), ("A", "", "e")], ids=["none", "wrong", "empty"]
)
def test_a_stranger_gets_nothing(spark: SparkSession, introduction: tuple[str, ...]) -> None:
    port, calls = port_of(spark), Calls()
    name = port.put(calls)
    try:
        answer = say(port, *introduction, "c", name, "onBarrier", "i1", "n", "e")
        assert not answer or answer.startswith(b"!x"), "at most that the token is wrong"
        assert calls.epochs == []
    finally:
        port.remove(name)


def test_objects_are_not_behind_pyspark_s_own_port(spark: SparkSession) -> None:
    port, calls = port_of(spark), Calls()
    name = port.put(calls)
    gateway: Any = spark.sparkContext._gateway
    try:
        assert not any(held is calls for held in gateway.gateway_property.pool.dict.values())
    finally:
        port.remove(name)


def test_the_port_is_of_this_machine_alone(spark: SparkSession) -> None:
    assert port_of(spark)._server.get_listening_address() == "127.0.0.1"
    assert port_of(spark) is port_of(spark.newSession()), "one a JVM"


CALLS_FOR_ONE = """
from groundswell.jvm.callbacks import port_of
from pyspark.sql import SparkSession

class Calls:
    def onBarrier(self, epoch, batch):
        return f"{epoch} {batch.count()}"

spark = SparkSession.builder.master("local[1]").getOrCreate()
port = port_of(spark)
kind = "io.groundswell.spark.views.entry.BarrierHandler"
print("said", port.java_object(spark, port.put(Calls()), kind).onBarrier(3, spark.range(5)._jdf))
"""


@pytest.mark.rest
def test_threads_that_are_not_pinned(jar: Path, tmp_path: Path) -> None:
    """The other kind of gateway that PySpark may have (PYSPARK_PIN_THREAD=false)."""
    script = tmp_path / "calls.py"
    script.write_text(CALLS_FOR_ONE)
    environment = {
        **os.environ,
        "PYSPARK_PIN_THREAD": "false",
        "PYSPARK_SUBMIT_ARGS": f"--jars {jar} --conf spark.ui.enabled=false pyspark-shell",
    }
    ran = subprocess.run(
        [sys.executable, str(script)],
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert "said 3 5" in ran.stdout, ran.stderr[-2000:]


def test_folders_are_read_without_an_exception(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """py4j ends a Java iterator by an exception, which costs sixty searches of the class path."""

    def fail(error: object) -> None:
        raise AssertionError(f"the JVM threw {error}")

    folder = JvmFolder.open(spark, str(tmp_path))
    for name in ("b", "a"):
        folder.put(name, name.encode())
    monkeypatch.setattr("pyspark.errors.exceptions.captured.convert_exception", fail)
    assert folder.names() == ["a", "b"]
    assert folder.read("none") is None
    assert len(FileTree(spark, str(tmp_path)).files("[ab]")) == 2
