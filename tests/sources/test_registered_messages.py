"""Messages in Avro behind a schema registry: their columns, their changes, and bad ones."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from pyspark.sql import SparkSession

import groundswell as gs
from groundswell.runtime.gc.kinds import OTHER, kind_of
from sources.registries import Registry, Topic, avro, framed, record, registry

pytestmark = pytest.mark.rest

ORDER = record("shop.Order", ("id", "long"), ("name", ["null", "string"]))
KEY = record("shop.Key", ("id", "long"))


@pytest.fixture
def server() -> Iterator[Registry]:
    with registry() as found:
        yield found


def once(spark: SparkSession, folder: Path, table: Any, errors: str = "fail") -> set[Any]:
    run = gs.pipeline(spark, str(folder / "c")).view("v", table, errors=errors)
    query = run.start(availableNow=True)
    query.awaitTermination()
    return {tuple(row) for row in query.view("v").collect()}


def diverted(spark: SparkSession, folder: Path) -> list[str]:
    found = gs.read_view(spark, str(folder / "c"), "v_diverted").collect()
    return sorted(str(row.error) for row in found)


def test_upserts_with_keys_in_avro(session: SparkSession, tmp_path: Path, server: Registry) -> None:
    topic = Topic(session, tmp_path, server)
    key, value = server.add("shop.orders-key", KEY), server.add("shop.orders-value", ORDER)

    def put(n: int, name: str | None) -> tuple[bytes, bytes]:
        return avro(key, KEY, {"id": n}), avro(value, ORDER, {"id": n, "name": name})

    topic.send(put(1, "a"), put(2, "b"), put(3, None), put(1, "z"))
    read = lambda: topic.source("upsert", "id bigint, name string", ["id"])  # noqa: E731
    assert once(session, tmp_path, read()) == {(1, "z"), (2, "b"), (3, None)}
    topic.send((avro(key, KEY, {"id": 2}), None))
    assert once(session, tmp_path, read()) == {(1, "z"), (3, None)}


def test_ids_that_change_in_the_middle_are_resolved_to_the_newest_schema(
    session: SparkSession, tmp_path: Path, server: Registry
) -> None:
    v1 = record("shop.Order", ("id", "int"), ("title", "string"), ("old", "string"))
    v2 = record(
        "shop.Order",
        ("id", "long"),
        ("name", "string", {"aliases": ["title"]}),
        ("currency", "string", {"default": "EUR"}),
        ("price", ["null", "double"], {"default": None}),
    )
    topic = Topic(session, tmp_path, server)
    first, second = (server.add("shop.orders-value", each) for each in (v1, v2))
    columns = "id bigint, name string, currency string, price double, OLD string"
    with pytest.raises(
        gs.SourceError, match=r"it has no field OLD; record shop\.Order has id, name"
    ):
        topic.source("plain", columns)
    of_new = {"id": 2, "name": "b", "currency": "USD", "price": 1.5}
    topic.send(
        (None, avro(first, v1, {"id": 1, "title": "a", "old": "x"})),
        (None, avro(second, v2, of_new)),
        (None, avro(first, v1, {"id": 3, "title": "c", "old": "x"})),
    )
    read = lambda: topic.source("plain", columns.removesuffix(", OLD string"))  # noqa: E731
    rows = {(1, "a", "EUR", None), (2, "b", "USD", 1.5), (3, "c", "EUR", None)}
    assert once(session, tmp_path, read()) == rows
    # A schema that comes while the pipeline stands, and lacks a field without default.
    v3 = record("shop.Order", ("id", "long"), ("currency", "string"))
    third = server.add("other-subject", v3)
    topic.send((None, avro(third, v3, {"id": 4, "currency": "CHF"})))
    assert once(session, tmp_path, read()) == rows | {(4, None, "CHF", None)}


def test_bad_messages_are_rows_that_say_where_they_are(
    session: SparkSession, tmp_path: Path, server: Registry
) -> None:
    topic = Topic(session, tmp_path, server)
    number = server.add("shop.orders-value", ORDER)
    other = server.add("x", record("shop.Order", ("id", "string")))
    text = server.add("y", 'syntax = "proto3";', "PROTOBUF")
    good = avro(number, ORDER, {"id": 1, "name": "a"})
    bad = {
        b'{"id": 1}': "it begins with the byte 0x7b",
        b"\0\0\0": "it has 3 bytes",
        framed(999, good[5:]): "its schema id is 999, and the schema registry at http://localhost",
        good[:-1]: "it ends too early for schema id 100 (record shop.Order)",
        good + b"!": "1 bytes are left behind the value",
        framed(other, b"\x02a"): "Found string, expecting union",
        framed(text, b"\0a"): "schema 102 is of type PROTOBUF, not AVRO",
        framed(number, b"\x02\x02\xfe\xff\xff\xff\x0f"): "it ends too early",  # a text of 2 GB
        framed(number, b"\x02\x0a"): "by schema id 100",  # no such branch of the union
    }
    topic.send((None, good), *((None, value) for value in bad), (None, None))
    read = lambda: topic.source("plain", "id bigint, name string")  # noqa: E731
    with pytest.raises(gs.RowFailed) as failed:
        once(session, tmp_path, read())
    for part in ("view v", "source orders", "a malformed message (", "shop.orders, partition 0"):
        assert part in str(failed.value)
    assert once(session, tmp_path, read(), "divert") == {(1, "a")}
    errors = diverted(session, tmp_path)
    assert len(errors) == len(bad)
    for offset, (value, why) in enumerate(bad.items(), 1):
        at = f"at shop.orders, partition 0, offset {offset}: 0x{value.hex()}"
        assert any(why in error and at in error for error in errors), (why, errors)


def test_a_bad_message_stands_for_its_key_until_the_next_one(
    session: SparkSession, tmp_path: Path, server: Registry
) -> None:
    topic = Topic(session, tmp_path, server)
    key, value = server.add("shop.orders-key", KEY), server.add("shop.orders-value", ORDER)
    key_of = lambda n: avro(key, KEY, {"id": n})  # noqa: E731
    good = avro(value, ORDER, {"id": 1, "name": "a"})
    topic.send((key_of(1), b"bad"), (b"bad", good), (None, b"bad"))
    read = lambda: topic.source("upsert", "id bigint, name string", ["id"])  # noqa: E731
    assert once(session, tmp_path, read(), "divert") == set()
    errors = diverted(session, tmp_path)
    assert len(errors) == 2, "the message with a bad key has its key in the row"
    assert any("its key: it has 3 bytes" in error for error in errors), errors
    topic.send((key_of(1), good))
    assert once(session, tmp_path, read(), "divert") == {(1, "a")}
    (error,) = diverted(session, tmp_path)
    assert "offset 2: 0x626164" in error


def test_debezium_in_avro(session: SparkSession, tmp_path: Path, server: Registry) -> None:
    row = record(
        "pg.shop.orders.Value",
        ("id", "long"),
        ("at", {"type": "long", "connect.name": "io.debezium.time.MicroTimestamp"}),
        ("day", ["null", {"type": "int", "connect.name": "io.debezium.time.Date"}]),
        ("text", ["null", "string"]),
    )
    envelope = record(
        "pg.shop.orders.Envelope",
        ("before", ["null", row], {"default": None}),
        ("after", ["null", "pg.shop.orders.Value"], {"default": None}),
        ("op", "string"),
        ("source", record("pg.Source", ("lsn", "long"))),
    )
    topic = Topic(session, tmp_path, server)
    key, value = server.add("shop.orders-key", KEY), server.add("shop.orders-value", envelope)
    word = "__debezium_unavailable_value"

    def of(n: int, text: str | None) -> dict[str, Any]:
        return {"id": n, "at": 1_700_000_000_000_001, "day": 19_724, "text": text}

    def event(n: int, op: str, before: Any, after: Any) -> tuple[bytes, bytes]:
        body = {"op": op, "before": before, "after": after, "source": {"lsn": 1}}
        return avro(key, KEY, {"id": n}), avro(value, envelope, body)

    columns = "id bigint, at timestamp, day date, text varchar(30)"
    read = lambda: topic.source("debezium", columns, ["id"])  # noqa: E731
    topic.send(
        event(1, "r", None, of(1, "a")),
        event(2, "c", None, of(2, "b")),
        event(3, "c", None, of(3, "c")),
        event(1, "u", None, of(1, word)),
        event(2, "d", of(2, "b"), None),
        (avro(key, KEY, {"id": 2}), None),
        event(4, "u", of(3, "c"), of(4, "d")),
        event(5, "c", None, of(5, "x" * 31)),
    )
    found = once(session, tmp_path, read(), "divert")
    assert {(n, text) for n, _, _, text in found} == {(1, "a"), (4, "d")}
    assert {(at.timestamp(), str(day)) for _, at, day, _ in found} == {
        (1_700_000_000.000001, "2024-01-02")
    }
    (error,) = diverted(session, tmp_path)
    assert "column text: " in error
    assert "offset 7" in error


def test_a_restart_goes_on_while_the_registry_is_down(
    session: SparkSession, tmp_path: Path, server: Registry
) -> None:
    topic = Topic(session, tmp_path, server)
    number = server.add("shop.orders-value", ORDER)
    topic.send((None, avro(number, ORDER, {"id": 1, "name": "a"})))
    read = lambda: topic.source("plain", "id bigint, name string")  # noqa: E731
    assert once(session, tmp_path, read()) == {(1, "a")}
    server.stop()
    topic.send((None, avro(number, ORDER, {"id": 2, "name": "b"})))
    assert once(session, tmp_path, read()) == {(1, "a"), (2, "b")}
    names = sorted(p.name for p in (tmp_path / "c/groundswell/schemas").iterdir())
    names = [name for name in names if not name.startswith(".")]
    assert len(names) == 2
    assert all(kind_of(f"groundswell/schemas/{name}") is not OTHER for name in names)
    backup = gs.backup(str(tmp_path / "c"), str(tmp_path / "copy"))
    assert {p.name for p in (Path(backup.location) / "groundswell/schemas").iterdir()} >= {*names}
    # Of a schema that nobody has kept the registry must be asked: the pipeline ends, and no row.
    topic.send((None, avro(number + 1, ORDER, {"id": 3, "name": "c"})))
    with pytest.raises(gs.SourceError, match=r"registry at http://localhost:\d+ does not answer"):
        once(session, tmp_path, read(), "divert")
    server.add("later", ORDER)
    server.start()
    assert once(session, tmp_path, read(), "divert") == {(1, "a"), (2, "b"), (3, "c")}


def test_a_new_pipeline_needs_the_registry(
    session: SparkSession, tmp_path: Path, server: Registry
) -> None:
    topic = Topic(session, tmp_path, server)
    topic.send((None, b"x"))
    server.stop()
    with pytest.raises(gs.SourceError, match=r"does not answer: .*Start the pipeline again"):
        once(session, tmp_path, topic.source("plain", "id bigint, name string"))


def test_schemas_that_refer_to_others(
    session: SparkSession, tmp_path: Path, server: Registry
) -> None:
    money = record("shop.Money", ("amount", "long"), ("currency", "string"))
    line = record("shop.Line", ("price", "shop.Money"))
    order = record("shop.Order", ("id", "long"), ("lines", {"type": "array", "items": "shop.Line"}))
    server.add("money", money)
    server.add("line", line, references=[("shop.Money", "money", 1)])
    number = server.add("shop.orders-value", order, references=[("shop.Line", "line", 1)])
    whole = record(
        "shop.Order",
        ("id", "long"),
        (
            "lines",
            {"type": "array", "items": {**line, "fields": [{"name": "price", "type": money}]}},
        ),
    )
    topic = Topic(session, tmp_path, server)
    body = {"id": 1, "lines": [{"price": {"amount": 5, "currency": "EUR"}}]}
    topic.send((None, avro(number, whole, body)))
    columns = "id bigint, lines array<struct<price: struct<currency: string>>>"
    table = topic.source("plain", columns).selectExpr("id", "to_json(lines) lines")
    assert once(session, tmp_path, table) == {(1, '[{"price":{"currency":"EUR"}}]')}


def test_keys_that_are_plain_values_or_texts(
    session: SparkSession, tmp_path: Path, server: Registry
) -> None:
    server.add("shop.orders-value", record("V", ("name", "string")))
    key = server.add("shop.orders-key", {"type": "long"})
    columns = "id bigint, name string"
    with pytest.raises(gs.SourceError, match="it has no field id; record V has name"):
        Topic(session, tmp_path, server).source("upsert", columns, ["id"])
    body = record("W", ("id", ["null", "long"], {"default": None}), ("name", "string"))
    number = server.add("shop.orders-value", body)
    for encode, made in (("avro", avro(key, "long", 7)), ("json", b"7")):
        (tmp_path / encode).mkdir()
        topic = Topic(session, tmp_path / encode, server)
        topic.send((made, avro(number, body, {"id": None, "name": "a"})))
        table = topic.source("upsert", columns, ["id"], key_encode=encode)
        assert once(session, tmp_path / encode, table) == {(7, "a")}


def test_what_lets_a_client_in(session: SparkSession, tmp_path: Path) -> None:
    with registry(authorization="me:secret of a test") as server:
        topic = Topic(session, tmp_path, server)
        number = server.add("shop.orders-value", ORDER)
        topic.send((None, avro(number, ORDER, {"id": 1, "name": "a"})))
        schema = "id bigint, name string"
        with pytest.raises(gs.SourceError, match="answers 401") as refused:
            topic.source("plain", schema, username="me", password="wrong one")
        assert "wrong one" not in str(refused.value)
        given = {"username": "me", "password": "secret of a test"}
        several = f"http://localhost:1,{server.url}"
        table = topic.source("plain", schema, url=several, **given)
        assert once(session, tmp_path, table) == {(1, "a")}
        assert "secret of a test" not in table._jdf.queryExecution().toString()
        written = [path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()]
        assert written and not any(b"secret of a test" in content for content in written)


def test_a_registry_whose_certificate_only_the_option_knows(
    session: SparkSession, tmp_path: Path
) -> None:
    authority, pem = certificates(tmp_path)
    with registry(pem=pem) as server:
        topic = Topic(session, tmp_path, server)
        number = server.add("shop.orders-value", ORDER)
        topic.send((None, avro(number, ORDER, {"id": 1, "name": "a"})))
        schema = "id bigint, name string"
        table = topic.source("plain", schema, ca=str(authority))
        assert once(session, tmp_path, table) == {(1, "a")}
        with pytest.raises(gs.SourceError, match=r"does not answer: .*certificate are right"):
            once(session, tmp_path / "other", topic.source("plain", schema))


def certificates(folder: Path) -> tuple[Path, Path]:
    """The certificate of an authority, and one that it signed for localhost, with its key."""
    now = datetime(2020, 1, 1)
    keys = [ec.generate_private_key(ec.SECP256R1()) for _ in range(2)]
    names = [x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, n)]) for n in ("ca", "localhost")]
    found = []
    for key, name, is_authority in zip(keys, names, (True, False), strict=True):
        made = (
            x509.CertificateBuilder()
            .subject_name(name)
            .issuer_name(names[0])
            .public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(now)
            .not_valid_after(datetime(2099, 1, 1))
            .add_extension(x509.BasicConstraints(is_authority, None), True)
            .add_extension(x509.SubjectAlternativeName([x509.DNSName("localhost")]), False)
            .sign(keys[0], hashes.SHA256())
        )
        found.append(made.public_bytes(serialization.Encoding.PEM))
    form = serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    private = keys[1].private_bytes(serialization.Encoding.PEM, *form)
    (folder / "ca.pem").write_bytes(found[0])
    (folder / "server.pem").write_bytes(private + found[1])
    return folder / "ca.pem", folder / "server.pem"
