"""Clients as people use them: psql, psycopg2, SQLAlchemy, Django, JDBC, and Grafana's queries."""

from __future__ import annotations

import asyncio
import shutil
import subprocess
import sys
import textwrap
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from serve.conftest import ORDERS, psycopg

HERE = Path(__file__).parent
GRAFANA_SCHEMA = """
    quote_ident(table_schema) IN (
    SELECT CASE WHEN trim(s[i]) = '"$user"' THEN user ELSE trim(s[i]) END
    FROM generate_series(
        array_lower(string_to_array(current_setting('search_path'),','),1),
        array_upper(string_to_array(current_setting('search_path'),','),1)) as i,
        string_to_array(current_setting('search_path'),',') s)"""


def port_of(dsn: str) -> str:
    return str(psycopg.conninfo.conninfo_to_dict(dsn)["port"])


def test_psql(dsn: str) -> None:
    psql = shutil.which("psql")
    if psql is None:
        pytest.skip("psql is not installed: apt-get install postgresql-client")

    def run(*commands: str) -> str:
        arguments = [argument for command in commands for argument in ("-c", command)]
        done = subprocess.run(
            [psql, "-X", "-v", "ON_ERROR_STOP=1", dsn, *arguments],
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    shown = run("SELECT customer, total FROM per_customer ORDER BY 1 LIMIT 1")
    assert shown.split() == "customer | total ----------+--------- c0 | 2892.75 (1 row)".split()
    assert "numeric(22,2)" in run(r"\d per_customer")
    assert "per_customer | view" in " ".join(run(r"\d").split())
    for command in (
        r"\dt",
        r"\dv+",
        r"\di",
        r"\l",
        r"\dn",
        r"\du",
        r"\df",
        r"\dT",
        r"\dp",
        r"\conninfo",
    ):
        run(command)
    assert run("BEGIN", "DECLARE c CURSOR FOR SELECT 7 AS x", "FETCH c", "COMMIT").count("7") == 1
    assert run("COPY (SELECT 1, NULL) TO STDOUT") == "1\t\\N\n"


def test_psycopg2(dsn: str) -> None:
    psycopg2: Any = pytest.importorskip("psycopg2", reason="pip install psycopg2-binary")
    with psycopg2.connect(dsn) as connection:
        with connection.cursor("named") as cursor:
            cursor.itersize = 50
            cursor.execute("SELECT id FROM large ORDER BY id")
            assert [row[0] for row in cursor] == list(range(ORDERS))
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT sum(n) FROM per_customer WHERE customer = any(%s)", (["c0", "c1"],)
            )
            assert cursor.fetchone() == (Decimal(115),)
    connection.close()


@pytest.mark.rest
def test_asyncpg_which_sends_and_takes_binary_values_alone(dsn: str) -> None:
    asyncpg: Any = pytest.importorskip("asyncpg", reason="pip install asyncpg")

    async def run() -> None:
        found = await asyncpg.connect(
            host="127.0.0.1", port=port_of(dsn), user="ann", database="groundswell"
        )
        total = await found.fetchval("SELECT total FROM per_customer WHERE customer = $1", "c0")
        assert total == Decimal("2892.75")
        ids = await found.fetch(
            "SELECT id FROM large WHERE id = ANY($1::bigint[]) ORDER BY 1", [7, 3]
        )
        assert [row["id"] for row in ids] == [3, 7]
        assert await found.fetchval("SELECT $1::text[]", ["a", None]) == ["a", None]
        async with found.transaction(readonly=True):
            rows = [row["id"] async for row in found.cursor("SELECT id FROM large", prefetch=50)]
        assert sorted(rows) == list(range(ORDERS))
        with pytest.raises(asyncpg.ReadOnlySQLTransactionError):
            await found.execute("DELETE FROM large")
        await found.close()

    asyncio.run(run())


@pytest.mark.rest
def test_sqlalchemy_reflects(dsn: str) -> None:
    sa: Any = pytest.importorskip("sqlalchemy", reason="pip install sqlalchemy")
    engine = sa.create_engine(f"postgresql+psycopg://ann@127.0.0.1:{port_of(dsn)}/groundswell")
    inspector = sa.inspect(engine)
    assert set(inspector.get_view_names()) >= {"large", "per_customer"}
    columns = {c["name"]: str(c["type"]) for c in inspector.get_columns("large")}
    assert columns == {
        "id": "BIGINT", "customer": "TEXT", "amount": "NUMERIC(12, 2)", "at": "TIMESTAMP",
    }  # fmt: skip
    assert inspector.get_pk_constraint("large")["constrained_columns"] == ["id"]
    tables = sa.MetaData()
    tables.reflect(engine, views=True)
    large = tables.tables["large"]
    with engine.connect() as connection:
        found = connection.execute(sa.select(large.c.amount).where(large.c.id.in_([4, 8]))).all()
        assert sorted(found) == [(Decimal("1.00"),), (Decimal("2.00"),)]
        streamed = connection.execution_options(stream_results=True, max_row_buffer=50)
        assert len(streamed.execute(sa.select(large)).all()) == ORDERS
    engine.dispose()


@pytest.mark.rest
def test_djangos_orm_reads(dsn: str) -> None:
    pytest.importorskip("django", reason="pip install django")
    done = subprocess.run(
        [sys.executable, "-W", "ignore", str(HERE / "django_reads.py"), port_of(dsn)],
        capture_output=True, text=True, check=False, timeout=120,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr


@pytest.mark.rest
def test_the_queries_of_grafana(connection: Any) -> None:
    def rows(query: str) -> list[Any]:
        found: list[Any] = connection.execute(textwrap.dedent(query)).fetchall()
        return found

    assert rows("SELECT current_setting('server_version_num')::int/100 as version") == [(1600,)]
    assert rows("SELECT extversion FROM pg_extension WHERE extname = 'timescaledb'") == []
    tables = rows(
        f"""SELECT CASE WHEN {GRAFANA_SCHEMA} THEN quote_ident(table_name)
        ELSE quote_ident(table_schema) || '.' || quote_ident(table_name) END AS "table"
        FROM information_schema.tables WHERE quote_ident(table_schema) NOT IN ('pg_catalog')
        ORDER BY CASE WHEN {GRAFANA_SCHEMA} THEN 0 ELSE 1 END, 1"""
    )
    assert {("large",), ("per_customer",)} <= set(tables)
    columns = rows(
        f"""SELECT quote_ident(column_name) AS "column", data_type AS "type"
        FROM information_schema.columns WHERE CASE WHEN array_length(parse_ident('large'),1) = 2
        THEN quote_ident(table_schema) = (parse_ident('large'))[1]
        AND quote_ident(table_name) = (parse_ident('large'))[2]
        ELSE quote_ident(table_name) = 'large' AND {GRAFANA_SCHEMA} END"""
    )
    assert columns == [
        ("id", "bigint"), ("customer", "text"), ("amount", "numeric"),
        ("at", "timestamp with time zone"),
    ]  # fmt: skip
    series = rows(
        """SELECT floor(extract(epoch from at)/3600.000)*3600.000 AS "time", count(*) AS "n"
        FROM large WHERE at BETWEEN '2026-01-01T12:00:00Z' AND '2026-01-01T13:59:59.999999Z'
        GROUP BY 1 ORDER BY 1"""
    )
    assert series == [(1767268800.0, 60), (1767272400.0, 60)]


@pytest.mark.rest
def test_a_jdbc_client(dsn: str) -> None:
    jars = sorted(Path.home().glob(".m2/repository/org/postgresql/postgresql/*/postgresql-*.jar"))
    if not jars or shutil.which("java") is None:
        pytest.skip(
            "no pgjdbc in ~/.m2: mvn dependency:get -Dartifact=org.postgresql:postgresql:42.7.4"
        )
    url = f"jdbc:postgresql://127.0.0.1:{port_of(dsn)}/groundswell"
    done = subprocess.run(
        ["java", "-cp", str(jars[-1]), str(HERE / "Reads.java"), url],
        capture_output=True, text=True, check=False, timeout=180,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
