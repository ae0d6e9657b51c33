"""How often Python asks the JVM, where each question is a round trip."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from py4j.clientserver import ClientServerConnection
from pyspark.sql import SparkSession

from groundswell.api.session import configure
from groundswell.jvm.files import JvmFolder


@contextmanager
def commands(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """What is sent while it lasts, without objects that are given up."""
    sent: list[str] = []
    send = ClientServerConnection.send_command

    def noted(connection: ClientServerConnection, command: str) -> str:
        if not command.startswith("m\nd\n"):
            sent.append(command)
        return send(connection, command)

    with monkeypatch.context() as patch:
        patch.setattr(ClientServerConnection, "send_command", noted)
        yield sent


def test_settling_a_session_asks_for_the_confs_that_it_needs_alone(
    spark: SparkSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It read all of Spark's, by four round trips each: 240 of them."""
    plain = SparkSession.builder.config("spark.some.conf", "1")
    with commands(monkeypatch) as sent:
        plain.getOrCreate()
        alone = len(sent)
        configure(plain).getOrCreate()
    assert len(sent) - 2 * alone < 60


def test_a_folder_is_listed_in_one_round_trip(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A log of SQL is listed after each statement: it was three round trips a name."""
    folder = JvmFolder.open(spark, str(tmp_path))
    names = sorted(f"{number}.json" for number in range(40))
    for name in names:
        folder.put(name, b"")
    with commands(monkeypatch) as sent:
        assert folder.names() == names
        assert folder.names("1") == [name for name in names if name.startswith("1")]
        assert folder.names_before(0) == []
    assert len(sent) == 3
