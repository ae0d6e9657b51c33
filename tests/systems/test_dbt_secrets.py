"""Passwords of a dbt project are nowhere: not in dbt's logs and artifacts, nor in what we keep.

The project reads a table of PostgreSQL and writes a view into another one. Its processes log at
INFO; the server's password changes meanwhile, and the server goes away.
"""

from __future__ import annotations

import json
from pathlib import Path

from systems.servers import Postgres
from systems.test_dbt import Project
from systems.whole_log import whole_log

VARIABLE = "DBT_ENV_SECRET_POSTGRES"
WRONG = "an0ther-s3cret"
ORDERS = """    (id BIGINT PRIMARY KEY, customer BIGINT, amount DOUBLE)
    WITH (connector = 'csv', path = '{{ env_var('SHOP') }}/orders', header = 'true')
"""


def test_passwords_of_a_dbt_project_are_nowhere(postgres: Postgres, tmp_path: Path) -> None:
    with postgres.connect() as connection:
        connection.execute("CREATE TABLE orders (id int PRIMARY KEY, customer int, amount float8)")
        connection.execute("INSERT INTO orders VALUES (1, 1, 70), (2, 2, 200), (3, 1, 20)")
        connection.execute("CREATE TABLE told (customer text PRIMARY KEY, total float8)")
        connection.execute("CREATE ROLE shop SUPERUSER LOGIN PASSWORD 's3cret-of-the-shop'")
    shop = Project(tmp_path)
    log, environment = whole_log(tmp_path)
    shop.confs |= {"SPARK_SUBMIT_OPTS": environment["SPARK_SUBMIT_OPTS"]}
    shop.confs |= {VARIABLE: "s3cret-of-the-shop"}
    of_server = f"port = '{postgres.port}', password_env = '{VARIABLE}'"
    source = (
        "(*) WITH (connector = 'postgres', hostname = '127.0.0.1', username = 'shop', "
        f"database.name = 'postgres', table.name = 'orders', retry_seconds = '3', {of_server})\n"
    )
    project = shop.folder / "dbt_project.yml"
    assert ORDERS in project.read_text()
    project.write_text(project.read_text().replace(ORDERS, f"    {source}"))
    shop.green("deps")
    shop.green("run")
    rows = "{rows: \"(1, 'Ada'), (2, 'Grace')\"}"
    shop.green("run-operation", "add_customers", "--args", rows)
    sink = (
        "CREATE SINK groundswell.shop.out FROM groundswell.shop.best WITH (connector = 'postgres', "
        f"host = '127.0.0.1', user = 'shop', database = 'postgres', table = 'told', {of_server})"
    )
    say = ("run-operation", "say", "--args")
    said = [shop.green(*say, json.dumps({"statement": sink}))]
    said.append(shop.green("run"))
    with postgres.connect() as connection:
        assert connection.execute("SELECT * FROM told").fetchall() == [("Grace", 200.0)]
        connection.execute(f"ALTER ROLE shop PASSWORD '{WRONG}'")
        connection.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'shop'"
        )
    said.append(shop.red("run"))
    shop.close()
    said.append(shop.red("run"))
    shop.confs[VARIABLE] = WRONG
    shop.close()
    with postgres.connect() as connection:
        connection.execute("INSERT INTO orders VALUES (4, 1, 100)")
    said.append(shop.green("run"))
    postgres.kill()
    said.append(shop.red("run"))
    postgres.start()
    shop.close()
    said.append(shop.green("docs", "generate"))
    shop.close()
    places = {str(p): p.read_bytes() for p in tmp_path.rglob("*") if p.is_file()}
    places |= {f"output {n}": text.encode() for n, text in enumerate(said)}
    assert b" INFO " in places[str(log)]
    assert any(name.endswith("dbt.log") for name in places)
    assert any(name.endswith("manifest.json") for name in places)
    for secret in (b"s3cret-of-the-shop", WRONG.encode()):
        assert not [place for place, content in places.items() if secret in content], secret


def test_a_password_that_a_statement_has_is_refused_and_kept_nowhere(tmp_path: Path) -> None:
    """Only dbt's log of what it was asked has it."""
    shop = Project(tmp_path)
    log, environment = whole_log(tmp_path)
    shop.confs |= {"SPARK_SUBMIT_OPTS": environment["SPARK_SUBMIT_OPTS"]}
    shop.green("deps")
    shop.green("run")
    sink = (
        "CREATE SINK groundswell.shop.out FROM groundswell.shop.best WITH (connector = 'postgres', "
        f"host = '127.0.0.1', user = 'shop', table = 'told', password = '{WRONG}')"
    )
    said = shop.red("run-operation", "say", "--args", json.dumps({"statement": sink}))
    assert "password_env" in said
    assert WRONG not in said
    shop.close()
    kept = {str(p): p.read_bytes() for p in (tmp_path / "shop").rglob("*") if p.is_file()}
    kept[str(log)] = log.read_bytes()
    assert not [place for place, content in kept.items() if WRONG.encode() in content]
