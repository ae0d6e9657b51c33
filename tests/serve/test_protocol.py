"""What psycopg, over libpq, sees of the server: queries, parameters, cursors, errors, limits."""

from __future__ import annotations

import datetime
import os
import signal
import socket
import struct
import subprocess
import sys
import threading
import uuid
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from groundswell.cli.main import main
from groundswell.errors import ConfigurationError
from serve.conftest import ORDERS, Shop, psycopg

HEAVY = (
    "SELECT sum(a.x * b.x) FROM generate_series(1, 1000000) AS a(x), "
    "generate_series(1, 1000000) AS b(x)"
)
UTC = datetime.UTC


def test_a_view_by_both_forms_and_by_key(connection: Any) -> None:
    for binary in (False, True):
        cursor = connection.cursor(binary=binary)
        cursor.execute("SELECT customer, n, total FROM per_customer ORDER BY customer LIMIT 2")
        assert cursor.fetchall() == [("c0", 58, Decimal("2892.75")), ("c1", 57, Decimal("2807.25"))]
        cursor.execute('SELECT amount FROM public."large" WHERE id = %s', [41])
        assert cursor.fetchall() == [(Decimal("10.25"),)]


@pytest.mark.parametrize("binary", [False, True])
@pytest.mark.parametrize(
    "value",
    [
        41, -(2**40), None, "abc", "o'b\\x", "", Decimal("1.50"), True, 1.5, float("inf"),
        Decimal("12345678901234567890.123456789"), datetime.date(9999, 12, 31),
        datetime.date(1, 1, 1), datetime.datetime(2020, 1, 1, 12, 0, 0, 123456),
        datetime.datetime(2020, 1, 1, tzinfo=UTC), datetime.time(1, 2, 3, 4),
        datetime.timedelta(days=-3, seconds=5, microseconds=7), b"\x00\xff", uuid.UUID(int=5),
        [1, 2, 3], [1.5, None], [Decimal("1.5")], [datetime.date(2020, 1, 1)], [True, None],
    ],
    ids=repr,
)  # fmt: skip
def test_a_parameter_comes_back_equal(connection: Any, value: Any, binary: bool) -> None:
    place = "%b" if binary else "%t"
    cursor = connection.execute(f"SELECT {place} AS x", [value], binary=binary)
    assert cursor.fetchone() == (value,)


def test_a_transaction_reads_one_epoch(shop: Shop, dsn: str) -> None:
    with psycopg.connect(dsn) as connection:
        count = "SELECT count(*) FROM large"
        before = connection.execute(count).fetchone()
        shop.insert([10_000])
        assert connection.execute(count).fetchone() == before
        assert connection.execute("SELECT sum(n) FROM per_customer").fetchone() == before
        connection.commit()
        assert connection.execute(count).fetchone() == (before[0] + 1,)
    shop.orders.delete([(10_000,)])
    shop.run.processAllAvailable()


def test_cursors(dsn: str) -> None:
    with psycopg.connect(dsn) as connection:
        for binary in (False, True):
            with connection.cursor("named", binary=binary) as cursor:
                cursor.execute("SELECT id FROM large WHERE id >= %s ORDER BY id", [100])
                assert cursor.fetchmany(3) == [(100,), (101,), (102,)]
                assert len(cursor.fetchall()) == ORDERS - 103
        connection.execute("DECLARE c CURSOR FOR SELECT id FROM large ORDER BY id")
        assert connection.execute("FETCH 2 FROM c").fetchall() == [(0,), (1,)]
        assert connection.execute("MOVE 5 IN c").statusmessage == "MOVE 5"
        assert connection.execute("FETCH NEXT FROM c").fetchall() == [(7,)]
        connection.execute("CLOSE c")
        with pytest.raises(psycopg.errors.InvalidCursorName):
            connection.execute("FETCH 1 FROM c")
    with psycopg.connect(dsn, autocommit=True) as connection:
        with connection.cursor("held", withhold=True) as cursor:
            cursor.execute("SELECT id FROM large ORDER BY id")
            assert cursor.fetchone() == (0,)
        with pytest.raises(psycopg.errors.NoActiveSqlTransaction):
            connection.execute("DECLARE d CURSOR FOR SELECT 1")


@pytest.mark.parametrize(
    "sql",
    [
        "INSERT INTO large VALUES (1)", "UPDATE large SET id = 1", "DELETE FROM large",
        "CREATE TABLE t (a int)", "DROP VIEW large", "TRUNCATE large", "COPY large FROM STDIN",
        "WITH x AS (DELETE FROM large RETURNING *) SELECT * FROM x", "GRANT SELECT ON large TO a",
        "ATTACH '/tmp/x.db'", "INSTALL httpfs", "PRAGMA database_list", "VACUUM",
        "SELECT id FROM large FOR NO KEY UPDATE SKIP LOCKED", "SELECT id INTO t FROM large",
    ],
)  # fmt: skip
def test_a_write_is_refused(connection: Any, sql: str) -> None:
    with pytest.raises(psycopg.errors.ReadOnlySqlTransaction):
        connection.execute(sql)
    assert connection.execute("SELECT 1").fetchone() == (1,)


@pytest.mark.parametrize(
    ("sql", "state"),
    [
        ("SELECT * FROM nothing", "42P01"), ("SELECT nothing FROM large", "42703"),
        ("SELEC 1", "42601"), ("SELECT 'x'::int", "22P02"), ("SELECT 1 / 0", "22012"),
        ("SELECT nothing(1)", "42883"), ("SHOW nothing", "42704"), ("SET nothing = 1", "42704"),
        ("SELECT 'a", "42601"), ("SELECT 300::tinyint", "22003"),
        ("SET client_encoding = 'LATIN1'", "22023"), ("SET timezone = 'Nowhere'", "22023"),
    ],
)  # fmt: skip
def test_an_error_has_its_sqlstate(connection: Any, sql: str, state: str) -> None:
    with pytest.raises(psycopg.Error) as error:
        connection.execute(sql)
    assert error.value.sqlstate == state
    assert connection.execute("SELECT %s::int", [1]).fetchone() == (1,)


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT * FROM read_csv('{file}')", "SELECT * FROM '{file}'", "SELECT * FROM \"{file}\"",
        "SELECT * FROM read_text('{file}')", "SELECT * FROM glob('{file}')",
        "SELECT * FROM duckdb_settings()", "SELECT * FROM duckdb_settings",
        "SELECT * FROM query('SELECT 1')", "SELECT * FROM temp.main.large",
        "COPY (SELECT 1) TO '{file}'", "SELECT * FROM shop", "SELECT * FROM python_arrow_scan()",
    ],
)  # fmt: skip
def test_files_and_the_engine_are_out_of_reach(connection: Any, tmp_path: Path, sql: str) -> None:
    file = tmp_path / "secret.csv"
    file.write_text("a\n1\n", "utf-8")
    with pytest.raises(psycopg.Error) as error:
        connection.execute(sql.replace("{file}", str(file)))
    assert error.value.sqlstate in ("42501", "42P01", "42601")
    assert file.read_text("utf-8") == "a\n1\n"


def test_the_engines_own_locks_hold() -> None:
    """The second line of defence, without the first: statements straight to DuckDB."""
    import duckdb

    from groundswell.serve.engine import Engine

    engine = Engine()
    connection = engine.connection()
    secret = {"a": [1]}  # noqa: F841 - what a replacement scan would find
    for sql in (
        "SELECT * FROM read_csv('/etc/hostname')",
        "SELECT * FROM secret",
        "COPY (SELECT 1) TO '/tmp/groundswell-serve-test.csv'",
        "SET enable_external_access = true",
        "SET threads = 1",
        "INSTALL httpfs",
        "ATTACH 'x.db'",
    ):
        with pytest.raises(duckdb.Error):
            connection.execute(sql)
    engine.close()


def test_transactions_fail_and_end(dsn: str) -> None:
    with psycopg.connect(dsn) as connection:
        with pytest.raises(psycopg.errors.UndefinedTable):
            connection.execute("SELECT * FROM nothing")
        with pytest.raises(psycopg.errors.InFailedSqlTransaction):
            connection.execute("SELECT 1")
        connection.rollback()
        with connection.transaction(), pytest.raises(psycopg.Error), connection.transaction():
            connection.execute("SELECT * FROM nothing")
        assert connection.execute("SELECT 1").fetchone() == (1,)


@pytest.mark.rest
def test_pipelined_and_prepared(connection: Any) -> None:
    with connection.pipeline():
        cursors = [connection.execute("SELECT %s::int", [i]) for i in range(5)]
        assert [c.fetchone() for c in cursors] == [(i,) for i in range(5)]
    for i in range(8):
        found = connection.execute(
            "SELECT count(*) FROM large WHERE id < %s", [i], prepare=True
        ).fetchone()
        assert found == (i,)
    names = connection.execute("SELECT count(*) FROM pg_prepared_statements").fetchone()
    assert names == (1,)
    connection.execute("PREPARE p AS SELECT $1::int + $2::int AS x")
    assert connection.execute("EXECUTE p (40, 2)").fetchone() == (42,)


def test_parameters_whose_type_the_client_asks_for(connection: Any) -> None:
    from psycopg.generators import execute

    query = b"SELECT * FROM large WHERE id = $1 AND customer = $2 AND at > $3 LIMIT $4"
    connection.pgconn.send_prepare(b"p", query)
    [prepared] = connection.wait(execute(connection.pgconn))
    assert prepared.status == psycopg.pq.ExecStatus.COMMAND_OK
    connection.pgconn.send_describe_prepared(b"p")
    [told] = connection.wait(execute(connection.pgconn))
    assert [told.param_type(i) for i in range(told.nparams)] == [20, 25, 1184, 20]
    assert [told.ftype(i) for i in range(told.nfields)] == [20, 25, 1700, 1184]


def test_a_text_becomes_an_array_where_one_is_wanted(connection: Any) -> None:
    def rows(sql: str, *values: Any) -> list[Any]:
        found: list[Any] = connection.execute(sql, values).fetchall()
        return found

    for given in ("any(%s)", "any(%s::text[])", "any(cast(%s as text[]))"):
        sql = f"SELECT customer FROM per_customer WHERE customer = {given} ORDER BY 1"
        assert rows(sql, ["c1", "c0", None]) == [("c0",), ("c1",)], given
    assert rows("SELECT count(*) FROM per_customer WHERE customer <> all(%s)", ["c1", "c0"]) == [
        (5,)
    ]
    assert rows("SELECT id FROM large WHERE id = any('{2,3}') ORDER BY 1") == [(2,), (3,)]
    assert rows("SELECT id FROM large WHERE at = any('{2026-01-01 12:01:00+00}')") == [(1,)]
    assert rows("SELECT array['a'] @> '{a}', array['b'] = %s, '{x}'", ["b"]) == [
        (True, True, "{x}")
    ]
    assert rows("SELECT '\u00fc', coalesce(%s, '{}'::text[])", ["c"]) == [("\u00fc", ["c"])]
    assert rows("SELECT 1 FROM per_customer WHERE customer = '{c0}'") == []
    with pytest.raises(psycopg.Error) as error:
        rows("SELECT id FROM large WHERE id = any('{1,x}')")
    assert error.value.sqlstate == "22P02"


def test_a_decimal_keeps_its_digits(connection: Any) -> None:
    small, large = Decimal("0.0000000001"), Decimal("-1234567890123456789012345678.0123456789")
    assert connection.execute("SELECT 0.00 = any(%s)", ([small],)).fetchall() == [(False,)]
    for value in (small, large):
        found = connection.execute("SELECT %s::numeric, %s::text::numeric", (value, 1))
        assert found.fetchone()[0] == value


def test_copy_out(connection: Any) -> None:
    query = "COPY (SELECT customer, n FROM per_customer ORDER BY 1 LIMIT 2) TO STDOUT"
    with connection.cursor().copy(query) as copy:
        assert list(copy.rows()) == [("c0", "58"), ("c1", "57")]
    csv = "COPY (SELECT 'a,\"b' AS x, NULL AS y) TO STDOUT (FORMAT csv, HEADER)"
    with connection.cursor().copy(csv) as copy:
        assert b"".join(copy) == b'x,y\n"a,""b",\n'
    with connection.cursor().copy("COPY per_customer (n) TO STDOUT") as copy:
        assert len(list(copy.rows())) == 7


def test_a_statement_can_be_cancelled(connection: Any) -> None:
    timer = threading.Timer(0.3, connection.cancel_safe)
    timer.start()
    with pytest.raises(psycopg.errors.QueryCanceled, match="user request"):
        connection.execute(HEAVY)
    timer.join()
    assert connection.execute("SELECT 1").fetchone() == (1,)


def test_a_cancel_request_needs_the_secret(shop: Shop, dsn: str) -> None:
    with psycopg.connect(dsn, autocommit=True) as connection:
        pid = connection.info.backend_pid
        port = psycopg.conninfo.conninfo_to_dict(dsn)["port"]
        with socket.create_connection(("127.0.0.1", int(port))) as other:
            other.sendall(struct.pack(">iiiI", 16, 80877102, pid, 12345))
            assert other.recv(1) == b""
        connection.execute("SET statement_timeout = '300ms'")
        with pytest.raises(psycopg.errors.QueryCanceled, match="statement timeout"):
            connection.execute(HEAVY)
        endless = "SELECT x FROM generate_series(1, 1000000000) AS g(x)"
        with pytest.raises(psycopg.errors.QueryCanceled, match="statement timeout"):
            list(connection.cursor().stream(endless))


@pytest.mark.rest
def test_limits_of_the_server(shop: Shop) -> None:
    server = shop.serve(seconds=0.3, connections=2, memory="50MB", threads=1)
    dsn = f"host=127.0.0.1 port={server.port} user=ann"
    try:
        with psycopg.connect(dsn, autocommit=True) as one:
            one.execute("SET statement_timeout = '10s'")
            with pytest.raises(psycopg.errors.QueryCanceled):
                one.execute(HEAVY)
            with psycopg.connect(dsn, autocommit=True) as two:
                with pytest.raises(psycopg.errors.OperationalError, match="connections are in use"):
                    psycopg.connect(dsn)
                two.execute("SET statement_timeout = 0")
        deadline = threading.Event()
        for _ in range(100):
            try:
                psycopg.connect(dsn).close()
                break
            except psycopg.OperationalError:
                deadline.wait(0.05)
        else:
            pytest.fail("places stay taken after their clients have gone")
    finally:
        server.stop()
    server = shop.serve(memory="50MB", threads=1)
    try:
        dsn = f"host=127.0.0.1 port={server.port} user=ann"
        with psycopg.connect(dsn, autocommit=True) as one, pytest.raises(psycopg.Error) as error:
            one.execute("SELECT list(x::varchar || x) FROM generate_series(1, 5000000) AS g(x)")
        assert error.value.sqlstate == "53200"
    finally:
        server.stop()


def test_a_password_by_scram(shop: Shop, password_file: str) -> None:
    from groundswell.cli.serve import password_in

    server = shop.serve(password=password_in(password_file))
    dsn = f"host=127.0.0.1 port={server.port} user=ann dbname=groundswell connect_timeout=10"
    try:
        with psycopg.connect(dsn, password="s3cr\u00e9t", require_auth="scram-sha-256") as found:
            assert found.execute("SELECT current_user").fetchone() == ("ann",)
        with pytest.raises(psycopg.OperationalError, match="password authentication failed"):
            psycopg.connect(dsn, password="other")
        with pytest.raises(psycopg.OperationalError):
            psycopg.connect(dsn)
    finally:
        server.stop()


def test_another_host_needs_a_password(shop: Shop) -> None:
    for host in ("0.0.0.0", "::", "192.0.2.7"):
        with pytest.raises(ConfigurationError, match="--password-file"):
            shop.serve(host=host)


@pytest.mark.rest
def test_two_hundred_connections(shop: Shop) -> None:
    server = shop.serve()
    found: list[Any] = []
    ready = threading.Barrier(200)

    def client(number: int) -> None:
        with psycopg.connect(f"host=127.0.0.1 port={server.port} user=ann") as connection:
            ready.wait(60)
            row = connection.execute("SELECT id FROM large WHERE id = %s", [number]).fetchone()
            found.append((number, row[0]))
            ready.wait(60)

    threads = [threading.Thread(target=client, args=(i,)) for i in range(200)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
    server.stop()
    assert sorted(found) == [(i, i) for i in range(200)]


def test_the_command(shop: Shop, password_file: str) -> None:
    command = [sys.executable, "-m", "groundswell", "serve"]
    with subprocess.Popen(
        [*command, shop.location, "--port", "0", "--password-file", password_file],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    ) as serving:  # fmt: skip
        assert serving.stdout is not None and serving.stderr is not None
        address = serving.stdout.readline().strip()
        with psycopg.connect(address, user="ann", password="s3cr\u00e9t") as connection:
            assert connection.execute("SELECT count(*) FROM per_customer").fetchone() == (7,)
        serving.send_signal(signal.SIGINT)
        assert serving.wait(30) == 0
        assert "not encrypted" in serving.stderr.read()


def test_the_command_refuses(
    shop: Shop, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for arguments, said in (
        ([str(tmp_path / "nothing")], "is not the checkpointLocation"),
        ([shop.location, "--host", "0.0.0.0"], "--password-file"),
        ([shop.location, "--password-file", str(tmp_path / "none")], "none"),
    ):
        assert main(["serve", *arguments]) == 1
        error = capsys.readouterr().err
        assert error.startswith("error: ") and said in error
        assert len(error.splitlines()) == 1


def test_a_missing_package_is_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from groundswell.cli import serve

    monkeypatch.setattr(serve, "find_spec", lambda name: None if name == "pygwire" else name)
    asked = serve.Asked("x", "127.0.0.1", 0, None, 1, None, None, None, None, None)
    assert serve.run(asked) == 1
    said = capsys.readouterr().err
    assert said == "error: serve needs pygwire: pip install 'groundswell[serve]'\n"


def test_encryption_is_refused_in_the_protocols_way(shop: Shop, dsn: str) -> None:
    with pytest.raises(psycopg.OperationalError, match="server does not support SSL"):
        psycopg.connect(dsn, sslmode="require")
    with psycopg.connect(dsn, sslmode="prefer") as connection:
        assert connection.execute("SELECT 1").fetchone() == (1,)


@pytest.mark.rest
def test_a_slow_client_holds_nobody(dsn: str) -> None:
    """It asks for more than the socket's buffers hold, and takes nothing."""
    port = int(psycopg.conninfo.conninfo_to_dict(dsn)["port"])
    with socket.create_connection(("127.0.0.1", port)) as slow:
        user = b"user\0slow\0\0"
        slow.sendall(struct.pack(">ii", 8 + len(user), 196608) + user)
        query = b"SELECT repeat('x', 1000) FROM generate_series(1, 100000)\0"
        slow.sendall(b"Q" + struct.pack(">i", 4 + len(query)) + query)
        for _ in range(3):
            with psycopg.connect(dsn, connect_timeout=20) as other:
                assert other.execute("SELECT count(*) FROM per_customer").fetchone() == (7,)


def test_bytes_that_are_no_protocol_end_their_connection_alone(dsn: str) -> None:
    port = int(psycopg.conninfo.conninfo_to_dict(dsn)["port"])
    for data in (b"GET / HTTP/1.1\r\n\r\n", struct.pack(">ii", 8, 1), b"\0\0\0\1", os.urandom(64)):
        with socket.create_connection(("127.0.0.1", port), timeout=20) as other:
            other.sendall(data)
            other.shutdown(socket.SHUT_WR)
            while other.recv(1000):
                pass
    with psycopg.connect(dsn) as connection:
        assert connection.execute("SELECT 1").fetchone() == (1,)


def test_settings(connection: Any) -> None:
    assert connection.execute("SHOW server_version").fetchone() == ("16.0",)
    assert connection.execute("SHOW transaction_read_only").fetchone() == ("on",)
    connection.execute("SET TIME ZONE 'Europe/Berlin'")
    text = connection.execute("SELECT (timestamptz '2020-01-01 00:00+00')::text").fetchone()
    assert text == ("2020-01-01 01:00:00+01",)
    assert connection.info.parameter_status("TimeZone") == "Europe/Berlin"
    connection.execute("RESET timezone")
    assert connection.execute("SELECT current_setting('timezone')").fetchone() == ("UTC",)
    assert "PostgreSQL 16.0" in connection.execute("SELECT version()").fetchone()[0]
    assert connection.execute("SELECT 7 / 2").fetchone() == (3,)
    assert connection.execute("").pgresult.status == psycopg.pq.ExecStatus.EMPTY_QUERY
    plan = connection.execute("EXPLAIN SELECT * FROM large").fetchall()
    assert plan


def test_a_location_without_a_pipeline_is_refused(tmp_path: Path) -> None:
    from groundswell.serve.server import Server

    with pytest.raises(ConfigurationError, match="is not the checkpointLocation"):
        Server(str(tmp_path / "nothing"))
