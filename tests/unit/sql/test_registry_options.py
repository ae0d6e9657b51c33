"""``ENCODE AVRO`` and ``ENCODE PROTOBUF``: options, secrets, and what ``gs.kafka`` takes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import groundswell as gs
from groundswell.api.decoded_events import Registered
from groundswell.contract.messages import RegistryAccess
from groundswell.sinks.trust import ADDRESSES
from groundswell.sources.registry import registered
from groundswell.sql.connecting.connectors import check_connector
from groundswell.sql.connecting.message_registries import registry_of
from groundswell.sql.defining.masking import check_statement, masked
from groundswell.sql.parsing.statements import CreateRelation
from unit.sql import reading


def read(text: str) -> Any:
    return reading.read(text)


URL = "schema.registry = 'http://a:8081'"


def statement(more: str = URL, tail: str = "FORMAT UPSERT ENCODE AVRO") -> CreateRelation:
    found = read(
        "CREATE TABLE t (id BIGINT, s STRING, PRIMARY KEY (id)) WITH (connector = 'kafka', "
        f"topic = 'shop.orders', kafka.bootstrap.servers = 'k:1', {more}) {tail}"
    )
    assert isinstance(found, CreateRelation)
    return found


def test_options_of_a_statement(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OF_A_TEST", "from outside")
    more = (
        "schema.registry = 'http://a:8081/, https://b', schema.registry.username = 'me', "
        "schema.registry.password_env = 'OF_A_TEST', schema.registry.timeout = 2.5, "
        "schema.registry.key_subject = 'keys', schema.registry.version = 3"
    )
    access = RegistryAccess(("http://a:8081", "https://b"), "me", "from outside", None, 2500)
    want = Registered(access, "avro", "shop.orders-value", "3", None, "avro", "keys")
    for found in (
        statement(more),
        statement("scan.startup.mode = 'latest'", f"FORMAT UPSERT ENCODE AVRO ({more})"),
    ):
        check_statement(found)
        assert registry_of(found) == want
    plain = statement(f"{URL}, message = 'shop.Order'", "FORMAT PLAIN ENCODE PROTOBUF")
    found = registry_of(plain)
    assert found is not None
    assert (found.encoding, found.message, found.key_subject) == ("protobuf", "shop.Order", "")
    assert (
        registry_of(statement("scan.startup.mode = 'latest'", "FORMAT UPSERT ENCODE JSON")) is None
    )


@pytest.mark.parametrize("encode", ["AVRO", "AVRO (schema.registry.password = 'hush')"])
def test_a_password_is_neither_kept_nor_shown(encode: str) -> None:
    more = URL if "(" in encode else f"{URL}, schema.registry.password = 'hush'"
    text = (
        "CREATE TABLE t (id BIGINT PRIMARY KEY) WITH (connector = 'kafka', topic = 't', "
        f"{more}) FORMAT UPSERT ENCODE {encode}"
    )
    with pytest.raises(gs.ConfigurationError, match=r"\.password_env = ") as refused:
        check_statement(read(text))
    assert "hush" not in str(refused.value)
    assert "hush" not in masked(text)


@pytest.mark.parametrize(
    ("more", "tail", "said"),
    [
        (URL, "FORMAT UPSERT ENCODE JSON", "has no option 'schema.registry'"),
        (
            "scan.startup.mode = 'latest'",
            "FORMAT UPSERT ENCODE THRIFT",
            "JSON, AVRO or PROTOBUF, not",
        ),
        ("schema.registri = 'x'", "FORMAT UPSERT ENCODE AVRO", "mean 'schema.registry'"),
    ],
)
def test_a_statement_is_refused_before_any_server_is_asked(more: str, tail: str, said: str) -> None:
    with pytest.raises(gs.ConfigurationError, match=said):
        check_connector(statement(more, tail))


def test_messages_with_schemas_need_columns_and_a_registry() -> None:
    text = "CREATE SOURCE s WITH (connector = 'kafka', topic = 't') FORMAT PLAIN ENCODE AVRO"
    with pytest.raises(gs.ConfigurationError, match="ENCODE AVRO needs the columns"):
        check_statement(read(text))
    with pytest.raises(gs.ConfigurationError, match=r"needs schema\.registry = 'http://host:8081'"):
        registry_of(statement("scan.startup.mode = 'latest'"))


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (None, "need a schema registry: give its address"),
        ("shop:8081", "has an address as 'http://host:8081', got 'shop:8081'"),
        ("http://me:hush@shop", r"address 'http://\*\*\*@shop' of the schema registry has a user"),
        ({"url": "http://a", "usrname": "x"}, "no option 'usrname'. Did you mean 'username'"),
        ({"url": "http://a", "username": "x"}, "username and password .* go together"),
        ({"url": "http://a", "timeout": 0}, "must be a number of seconds above 0, got 0"),
        ({"url": "http://a", "timeout": "soon"}, "above 0, got 'soon'"),
        ({"url": "http://a", "version": "newest"}, "from 1 on, or latest, got 'newest'"),
        ({"url": "http://a", "ca": "/nowhere.pem"}, "which cannot be read: No such file"),
        ({"url": "http://a", "ca": __file__}, "which has no certificate in PEM"),
        ({"url": "http://a", "message": "m"}, "message= names a message of Protobuf, not of avro"),
        ({"url": "http://a", "key_encode": "xml"}, "json, avro, protobuf, got 'xml'"),
    ],
)
def test_options_that_mean_nothing_are_refused(given: Any, said: str) -> None:
    with pytest.raises(gs.ConfigurationError, match=f"x: .*{said}") as refused:
        registered("x", "avro", given, ["t"], True)
    assert "hush" not in str(refused.value)


def test_one_topic_gives_the_subjects_their_names() -> None:
    found = registered("x", "avro", "http://a", ["t"], True)
    assert (found.subject, found.key_subject) == ("t-value", "t-key")
    with pytest.raises(gs.ConfigurationError, match="give subject=: only the name of a single"):
        registered("x", "avro", "http://a", ["t", "u"], False)
    given = {"url": "http://a", "subject": "s"}
    assert registered("x", "avro", given, ["t", "u"], False).subject == "s"
    with pytest.raises(gs.ConfigurationError, match="key_encode need a key"):
        registered("x", "avro", {**given, "key_encode": "json"}, ["t"], False)
    with pytest.raises(gs.ConfigurationError, match="encode must be one of json, avro, protobuf"):
        registered("x", "orc", "http://a", ["t"], True)


def test_each_address_must_be_allowed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv(ADDRESSES, "a:8081, k:1")
    assert registry_of(statement()) is not None
    with pytest.raises(gs.ConfigurationError, match="the address b:9 is not allowed here"):
        registry_of(statement("schema.registry = 'http://a:8081, http://b:9'"))
