"""Connection strings of libpq: taken apart, shown without secrets, refused without being shown."""

from __future__ import annotations

from typing import Any

import pytest

import groundswell as gs
from groundswell.errors import SourceError
from groundswell.sinks.dsn import parts_of, secrets_of, shown
from groundswell.sinks.registry import sink_spec
from groundswell.sources.postgres_server import inspect

UNREADABLE = [
    "host=db password=my hush",
    "host=db password=my hush=1",
    "postgresql://me:ha@hush@db/shop",
    "postgresql://me:ha/hush@db/shop",
    "postgresql://me:ha hush@db/shop",
    "host=db password='hush",
    "host=db passwort=hush",
]


@pytest.mark.parametrize("text", UNREADABLE)
def test_a_dsn_that_cannot_be_read_is_never_repeated(text: str) -> None:
    """libpq repeats pieces of it: of a password with a space, all after the first word."""
    assert shown(text) == "***"
    with pytest.raises(gs.ConfigurationError, match="not a connection string of libpq") as e:
        sink_spec("s", "v", "postgres", {"table": "t", "dsn": text})
    assert "hush" not in str(e.value)
    with pytest.raises(SourceError, match="not a connection string of libpq") as failed:
        inspect(text, None, ["t"], "slot", "publication", _never)
    assert "hush" not in str(failed.value)
    assert failed.value.__cause__ is None and failed.value.__suppress_context__


def _never(*given: Any) -> Any:
    raise AssertionError(given)


@pytest.mark.parametrize(
    "text",
    [
        "host=db port=5432 dbname=shop user=me password='a b\\'c' sslpassword = x",
        "postgresql://me:a%20b%40@db:5432,other/shop?sslmode=require&sslpassword=x",
        "postgres://[::1]:5432/shop",
        "dbname='two words' user=a\\ b",
        "",
    ],
)
def test_parts_are_those_that_libpq_finds(text: str) -> None:
    psycopg = pytest.importorskip("psycopg")
    theirs = psycopg.conninfo.conninfo_to_dict(text)
    mine = parts_of(text)
    assert mine is not None
    assert {k: v.strip("[]") for k, v in mine.items()} == {k: str(v) for k, v in theirs.items()}
    for secret in ("a b'c", "a b@", "a%20b%40"):
        assert secret not in shown(text)


def test_what_a_server_says_is_masked_by_the_parts_of_the_dsn() -> None:
    spec = sink_spec("s", "v", "postgres", {"table": "t", "dsn": "postgresql://me:a%20b@h/d"})
    assert spec.options.mask("no host a%20b, no host a b") == "no host ***, no host ***"
    assert secrets_of("host=h password='' user=me") == []
    assert shown("host=h password='' user=me") == "host=h password='' user=me"
