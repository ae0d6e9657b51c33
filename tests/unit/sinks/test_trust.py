"""What the owner of a process allows options to reach."""

from pathlib import Path

import pytest

import groundswell as gs
from groundswell.sinks.registry import sink_spec
from groundswell.sinks.trust import (
    ADDRESSES,
    FILES,
    VARIABLES,
    addresses,
    check_addresses,
    takes_requests,
)
from groundswell.sql.connecting.references import resolved


def test_without_lists_all_is_allowed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "p").write_text("of a test\n")
    monkeypatch.setenv("OF_A_TEST", "of a test")
    given = {"a_env": "OF_A_TEST", "b_file": str(tmp_path / "p"), "servers": "anywhere:1"}
    assert resolved("source s", given)["b"] == "of a test"
    assert takes_requests()
    monkeypatch.setenv("GROUNDSWELL_REQUESTS", "off")
    assert not takes_requests()


def test_environment_variables_are_those_of_the_list(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHOP_PASSWORD", "of a test")
    monkeypatch.setenv(VARIABLES, "SHOP_*, OTHER")
    assert resolved("source s", {"password_env": "SHOP_PASSWORD"}) == {"password": "of a test"}
    with pytest.raises(gs.ConfigurationError, match=r"variable HOME is not allowed .*VARIABLES"):
        resolved("source s", {"password_env": "HOME"})
    with pytest.raises(gs.ConfigurationError, match="variable HOME is not allowed here"):
        sink_spec("s", "v", "postgres", {"table": "t", "password_env": "HOME"})
    monkeypatch.setenv(VARIABLES, "")
    with pytest.raises(gs.ConfigurationError, match="not allowed here"):
        resolved("source s", {"password_env": "SHOP_PASSWORD"})


def test_files_are_those_of_the_list_wherever_links_lead(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    secrets, other = tmp_path / "secrets", tmp_path / "other"
    secrets.mkdir()
    other.write_text("of somebody else")
    (secrets / "own").write_text("of a test")
    (secrets / "link").symlink_to(other)
    monkeypatch.setenv(FILES, f"{secrets.resolve()}/*")
    assert resolved("s", {"password_file": str(secrets / "own")}) == {"password": "of a test"}
    for path in (other, secrets / "link", secrets / ".." / "other"):
        with pytest.raises(gs.ConfigurationError, match=r"is not allowed here.*ALLOW_FILES") as e:
            resolved("s", {"password_file": str(path)})
        assert "somebody" not in str(e.value)
        with pytest.raises(gs.ConfigurationError, match="is not allowed here"):
            sink_spec("s", "v", "kafka", {"servers": "a", "topic": "t", "password_file": str(path)})


def test_servers_are_those_of_the_list(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(ADDRESSES, "db.shop:5432, *.kafka.shop, bucket")
    for kind, options in [
        ("postgres", {"host": "db.shop", "port": 5432}),
        ("postgres", {"dsn": "postgresql://me@db.shop:5432/shop"}),
        ("kafka", {"servers": "a.kafka.shop:9092,b.kafka.shop:9092", "topic": "t"}),
        ("delta", {"path": "s3a://bucket/t"}),
        ("delta", {"path": "/local/t"}),
    ]:
        table = {"table": "t"} if kind == "postgres" else {}
        sink_spec("s", "v", kind, {**table, **options})
    for kind, options, place in [
        ("postgres", {"table": "t", "host": "db.shop", "port": 5433}, "db.shop:5433"),
        ("postgres", {"table": "t", "dsn": "host=db.shop,evil port=5432"}, "evil:5432"),
        ("clickhouse", {"table": "t", "url": "http://evil:8123"}, "evil:8123"),
        ("kafka", {"servers": "a.kafka.shop:9092,evil:9092", "topic": "t"}, "evil:9092"),
        ("delta", {"path": "s3a://other/t"}, "other"),
    ]:
        with pytest.raises(gs.ConfigurationError, match=f"address {place} is not allowed here"):
            sink_spec("s", "v", kind, options)
    with pytest.raises(gs.ConfigurationError, match="address evil:1 is not allowed here"):
        resolved("source s", {"kafka.bootstrap.servers": "evil:1"})


def test_addresses_are_found_in_every_kind_of_option() -> None:
    assert list(addresses({"dsn": "dbname=shop", "hostname": "h", "port": "1"})) == [
        ("localhost", ""),
        ("h", "1"),
    ]


def test_a_dsn_leads_around_no_list(monkeypatch: pytest.MonkeyPatch) -> None:
    """A service's file names any server, and passfile and sslkey any file."""
    monkeypatch.setenv("GROUNDSWELL_ALLOW_ADDRESSES", "db.shop")
    monkeypatch.setenv("GROUNDSWELL_ALLOW_FILES", "/run/secrets/*")
    check_addresses("sink s", {"dsn": "host=db.shop passfile=/run/secrets/pg"})
    for dsn, named in (
        ("service=shop host=db.shop", "service=shop is not allowed"),
        ("postgresql://db.shop/x?service=shop", "service=shop is not allowed"),
        ("host=db.shop passfile=/home/me/.pgpass", "/home/me/.pgpass is not allowed"),
        ("host=db.shop sslkey=/run/secrets/../key", "key is not allowed"),
    ):
        with pytest.raises(gs.ConfigurationError, match=named):
            check_addresses("sink s", {"dsn": dsn})
