"""The secrets of a pipeline of four servers are nowhere: no log, page, plan, error or file has one.

In a process of its own, whose log at INFO, event log, output and location are searched. The servers
fail, are killed and come back meanwhile, since messages about failures quote what they were given.
"""

from __future__ import annotations

import json
import subprocess
import sys
import threading
import time
from pathlib import Path

from crash.storage import S3Storage
from systems.bank import Bank
from systems.s3_proxy import Faults, Proxy
from systems.servers import MariaDb, Postgres
from systems.whole_log import whole_log

S3_KEY, S3_SECRET = "access-of-the-bucket", "s3cret-of-the-bucket"
WRONG = "an0ther-s3cret"


def options(**given: object) -> str:
    return "WITH (" + ", ".join(f"{k.replace('__', '.')} = '{v}'" for k, v in given.items()) + ")"


def test_the_secrets_of_four_servers_are_nowhere(
    postgres: Postgres, mariadb: MariaDb, jar: Path, tmp_path: Path
) -> None:
    bank = Bank(postgres)
    mariadb.run("CREATE TABLE places (id int PRIMARY KEY, city varchar(20))")
    mariadb.run("INSERT INTO places VALUES (1, 'Basel')")
    bank.run("CREATE TABLE told (id int PRIMARY KEY, city text, balance bigint)")
    password, wrong = tmp_path / "password", tmp_path / "wrong"
    password.write_text(postgres.PASSWORD + "\n")
    wrong.write_text(WRONG)
    ours = {"hostname": "127.0.0.1", "username": "owner"}
    of_postgres = {**ours, "port": postgres.port, "database__name": "postgres"}
    of_mariadb = {**ours, "port": mariadb.port, "database__name": "shop"}
    of_mariadb |= {"table__name": "places"}
    sink = {"connector": "postgres", "host": "127.0.0.1", "port": postgres.port}
    sink |= {"database": "postgres", "user": "owner", "table": "told"}
    accounts = {"connector": "postgres", "table__name": "accounts", **of_postgres}
    good_sink = options(**sink, password_file=password)
    with S3Storage.start() as storage:
        port = int(storage.confs["spark.hadoop.fs.s3a.endpoint"].rpartition(":")[2])
        with Proxy(port) as proxy:
            location = storage.location("secrets")
            statements = [
                f"CREATE PIPELINE bank LOCATION '{location}'",
                "USE groundswell.bank",
                f"CREATE TABLE accounts (*) {options(**accounts, password_env='OF_POSTGRES')}",
                "CREATE TABLE places (*) "
                + options(connector="mysql", **of_mariadb, password_env="OF_MARIADB"),
                "CREATE MATERIALIZED VIEW v AS SELECT a.id, p.city, a.balance "
                "FROM accounts a JOIN places p ON a.id = p.id",
                f"CREATE SINK s FROM v {good_sink}",
                "FLUSH",
                "SELECT * FROM v",
                *(f"SHOW CREATE {kind}" for kind in ("TABLE accounts", "TABLE places", "SINK s")),
                "EXPLAIN EXTENDED SELECT * FROM v",
                "DESCRIBE EXTENDED v",
                "SHOW PIPELINE bank",
                "SHOW JOBS",
                "SET -v",
            ]
            bad = [
                "CREATE TABLE b (*) "
                + options(**{**accounts, "slot__name": "other"}, password_file=wrong),
                "CREATE TABLE c (*) "
                + options(
                    connector="mysql", **of_mariadb, stream__name="other", password_file=wrong
                ),
                f"CREATE SINK t FROM v {options(**sink, password_file=wrong)}",
                f"CREATE SINK t FROM v {options(**sink, password=WRONG)}",
                "CREATE PIPELINE nowhere LOCATION 's3a://no-such-bucket/here'",
                f"CREATE PIPELINE keyed LOCATION 's3a://{S3_KEY}:{WRONG}@no-such-bucket/here'",
            ]
            (tmp_path / "events").mkdir()
            confs = {
                **storage.confs,
                "spark.master": "local[2]",
                "spark.driver.host": "127.0.0.1",
                "spark.driver.bindAddress": "127.0.0.1",
                "spark.ui.enabled": "false",
                "spark.eventLog.enabled": "true",
                "spark.eventLog.dir": (tmp_path / "events").as_uri(),
                "spark.sql.shuffle.partitions": "2",
                "spark.jars": f"{jar},{storage.confs['spark.jars']}",
                "spark.hadoop.fs.s3a.endpoint": f"http://127.0.0.1:{proxy.port}",
                "spark.hadoop.fs.s3a.access.key": S3_KEY,
                "spark.hadoop.fs.s3a.secret.key": S3_SECRET,
            }
            script = Path(__file__).with_name("secrets_flow.py")
            arguments = [json.dumps(each) for each in (confs, location, statements, bad)]
            log, environment = whole_log(tmp_path)
            environment |= {
                "OF_POSTGRES": postgres.PASSWORD,
                "OF_MARIADB": mariadb.PASSWORD,
                "AWS_ENDPOINT_URL": f"http://127.0.0.1:{proxy.port}",
                "AWS_DEFAULT_REGION": "us-east-1",
                "AWS_ACCESS_KEY_ID": S3_KEY,
                "AWS_SECRET_ACCESS_KEY": S3_SECRET,
            }
            proxy.faults = Faults(busy=0.05, lost=0.05)
            said = run([sys.executable, str(script), *arguments], environment, postgres, mariadb)
            proxy.faults = Faults()
            places = storage.contents(location)
    places |= {str(p): p.read_bytes() for p in (tmp_path / "events").rglob("*") if p.is_file()}
    places |= {"all.log": log.read_bytes(), "output": said.encode()}
    assert "it went on" in said, said[-4000:]
    assert said.count("refused: ") == len(bad)
    for needed in (b" INFO ", b"trying again"):
        assert needed in places["all.log"] + places["output"], needed
    for secret in (postgres.PASSWORD, mariadb.PASSWORD, S3_KEY, S3_SECRET, WRONG):
        assert not [place for place, text in places.items() if secret.encode() in text], secret


def run(
    command: list[str], environment: dict[str, str], postgres: Postgres, mariadb: MariaDb
) -> str:
    """All that the process says; both servers are killed and come back when it has served."""
    process = subprocess.Popen(
        command,
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    timer = threading.Timer(400, process.kill)
    timer.start()
    said: list[str] = []
    assert process.stdout is not None and process.stdin is not None
    for line in process.stdout:
        said.append(line)
        if line == "served\n":
            for server in (postgres, mariadb):
                server.kill()
            time.sleep(5)
            for server in (postgres, mariadb):
                server.start()
            process.stdin.write("go on\n")
            process.stdin.close()
    process.wait()
    timer.cancel()
    return "".join(said)
