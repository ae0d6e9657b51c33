"""Messages that clients send by themselves, in other orders than libpq, and what they ask for."""

from __future__ import annotations

import socket
import struct
from typing import Any

from serve.test_clients import port_of


class Raw:
    """A client that sends what messages it likes."""

    def __init__(self, dsn: str) -> None:
        self.socket = socket.create_connection(("127.0.0.1", port_of(dsn)), timeout=30)
        pairs = b"user\0me\0database\0groundswell\0\0"
        self.socket.sendall(struct.pack("!ii", len(pairs) + 8, 196608) + pairs)
        self.until(b"Z")

    def send(self, *messages: tuple[bytes, bytes]) -> None:
        self.socket.sendall(b"".join(k + struct.pack("!i", len(b) + 4) + b for k, b in messages))

    def until(self, last: bytes) -> list[bytes]:
        """The kinds of messages that come, to the first of a kind."""
        kinds: list[bytes] = []
        while not kinds or kinds[-1] != last:
            kind, length = struct.unpack("!ci", self._read(5))
            self._read(length - 4)
            kinds.append(kind)
        return kinds

    def _read(self, most: int) -> bytes:
        found = b""
        while len(found) < most:
            more = self.socket.recv(most - len(found))
            assert more, "the server has closed the connection"
            found += more
        return found


def test_a_query_behind_a_statement_that_was_never_bound(dsn: str) -> None:
    """asyncpg sends it after fetch() with another number of arguments than the statement has."""
    client = Raw(dsn)
    prepared = (b"P", b"p\0SELECT $1::int\0\0\0"), (b"D", b"Sp\0"), (b"H", b"")
    client.send(*prepared)
    assert client.until(b"T") == [b"1", b"t", b"T"]
    for _ in range(2):
        client.send((b"Q", b"SELECT 1\0"))
        assert client.until(b"Z") == [b"T", b"D", b"C", b"Z"]
    client.send((b"P", b"q\0SELECT 1\0\0\0"), (b"Q", b"SELECT 1\0"), (b"S", b""))
    assert client.until(b"Z") == [b"1", b"T", b"D", b"C", b"Z"]
    assert client.until(b"Z") == [b"Z"]


def test_rows_behind_a_copy_that_was_refused_are_ignored(dsn: str) -> None:
    client = Raw(dsn)
    rows = (b"d", b"1\n"), (b"d", b"2\n"), (b"c", b"")
    client.send((b"Q", b"COPY large FROM STDIN\0"), *rows)
    assert client.until(b"Z") == [b"E", b"Z"]
    client.send(*rows, (b"f", b"no\0"), (b"Q", b"SELECT 1\0"))
    assert client.until(b"Z") == [b"T", b"D", b"C", b"Z"]


def test_move_goes_over_a_portal_of_the_protocol(dsn: str) -> None:
    """asyncpg's cursors are such portals; their forward() is a MOVE."""
    client = Raw(dsn)
    client.send((b"Q", b"BEGIN\0"))
    client.until(b"Z")
    client.send((b"P", b"\0SELECT * FROM range(9)\0\0\0"), (b"B", b"c\0\0" + bytes(6)),
                (b"E", b"c\0" + struct.pack("!i", 2)), (b"S", b""))  # fmt: skip
    assert client.until(b"Z") == [b"1", b"2", b"D", b"D", b"s", b"Z"]
    client.send((b"Q", b"MOVE FORWARD 4 c\0"))
    assert client.until(b"Z") == [b"C", b"Z"]
    client.send((b"Q", b"FETCH 1 FROM c\0"))
    assert client.until(b"Z") == [b"T", b"D", b"C", b"Z"]
    client.send((b"E", b"c\0" + bytes(4)), (b"S", b""))
    assert client.until(b"Z") == [b"D", b"D", b"C", b"Z"]


def test_explain_takes_parameters(connection: Any) -> None:
    from psycopg.generators import execute

    connection.pgconn.send_prepare(b"e", b"EXPLAIN SELECT * FROM large WHERE id = $1")
    connection.wait(execute(connection.pgconn))
    connection.pgconn.send_describe_prepared(b"e")
    [told] = connection.wait(execute(connection.pgconn))
    assert [told.param_type(0), told.nfields] == [20, 1]


def test_texts_are_quoted_as_literals(connection: Any) -> None:
    found = connection.execute(
        "SELECT quote_literal(%s), quote_literal(5), quote_nullable(NULL), quote_nullable(%s)",
        ["it's", "a\\b"],
    )
    assert found.fetchone() == ("'it''s'", "'5'", "NULL", "E'a\\\\b'")


def test_a_backslash_escapes_in_a_pattern(connection: Any) -> None:
    r"""Django's contains="50%" is LIKE '%50\%%', JDBC's getTables LIKE 'per\_customer'."""
    found = connection.execute(
        r"SELECT 'a%%b' LIKE 'a\%%b', 'axb' LIKE 'a\%%b', 'a_b' ILIKE 'A\_b', 'axb' NOT LIKE "
        r"'a\_b', 'a_b' NOT ILIKE 'A\_B', 'a\b' LIKE 'a\\b', 'a\b' LIKE 'a\b', 'ab' ~~ 'a%%', "
        r"'a%%b' LIKE 'a!%%b' ESCAPE '!', 'a\b' LIKE 'a\b' ESCAPE '', "
        r"'a_b' LIKE %s, NULL LIKE '\%%'",
        [r"a\_b"],
    )
    assert found.fetchone() == (
        *(True, False, True, True, False, True, False, True, True, True, True, None),
    )
    found = connection.execute(
        r"SELECT customer FROM per_customer WHERE customer LIKE %s ORDER BY 1", [r"\c_"]
    )
    assert [customer for (customer,) in found][:2] == ["c0", "c1"]
    [several] = connection.execute(
        "SELECT count(*) FROM per_customer WHERE customer LIKE 'c1%'"
    ).fetchone()
    assert several >= 1


def test_a_numeric_has_as_many_digits_as_there_are(connection: Any) -> None:
    """Django writes numeric(1000, 15) where PostgreSQL computes with numerics alone."""
    found = connection.execute(
        "SELECT 1.5::numeric(1000, 15), CAST(2 AS decimal(500)), 0.123456::decimal, 7::numeric(9,2)"
    )
    assert [str(value) for value in found.fetchone()] == [
        *("1.500000000000000", "2", "0.123456000", "7.00"),
    ]
