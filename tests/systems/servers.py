"""Real servers for tests: started on 127.0.0.1, ended by their process id."""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


class MissingError(Exception):
    """A server that cannot be had; the message is one plain line."""


def missing(what: str) -> None:
    raise MissingError(f"{what} is not on this machine")


def wait_for(what: str, ready: Callable[[], bool], seconds: float = 90) -> None:
    until = time.monotonic() + seconds
    while not ready():
        if time.monotonic() > until:
            raise TimeoutError(f"{what} did not come up in {seconds} s")
        time.sleep(0.1)


def listens(port: int) -> bool:
    with socket.socket() as s:
        s.settimeout(1)
        return s.connect_ex(("127.0.0.1", port)) == 0


class Server:
    """A process that can be killed and started again."""

    process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        raise NotImplementedError

    def stop(self, how: signal.Signals = signal.SIGTERM) -> None:
        process, self.process = self.process, None
        if process is not None and process.poll() is None:
            process.send_signal(how)
            try:
                process.wait(30)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()

    def kill(self) -> None:
        self.stop(signal.SIGKILL)


class Postgres(Server):
    """Debian's server. It refuses to run as root: then it is the user ``postgres``."""

    PASSWORD = "s3cret-of-postgres"

    def __init__(self) -> None:
        found = sorted(Path("/usr/lib/postgresql").glob("*/bin"))
        elsewhere = shutil.which("initdb")
        if not found and elsewhere is None:
            missing("PostgreSQL (apt-get install postgresql)")
        self.binaries = found[-1] if found else Path(str(elsewhere)).parent
        self.port = free_port()
        self.folder = Path(tempfile.mkdtemp(prefix="groundswell-pg-"))
        self.user: str | None = None
        if os.geteuid() == 0:
            self.user = "postgres"
            uid = pwd.getpwnam("postgres")
            os.chown(self.folder, uid.pw_uid, uid.pw_gid)
        secret = self.folder / "password"
        secret.write_text(self.PASSWORD)
        secret.chmod(0o644)
        subprocess.run(
            [str(self.binaries / "initdb"), "-D", str(self.folder / "data"), "-U", "owner"]
            + ["--auth=scram-sha-256", f"--pwfile={secret}", "-E", "UTF8", "--no-sync"],
            check=True,
            capture_output=True,
            user=self.user,
            cwd="/",
        )
        self.start()

    def start(self) -> None:
        log = (self.folder / "log").open("ab")
        settings = {
            "listen_addresses": "127.0.0.1",
            "unix_socket_directories": str(self.folder),
            "wal_level": "logical",
            "shared_buffers": "32MB",
        }
        command = [str(self.binaries / "postgres"), "-D", str(self.folder / "data")]
        command += ["-p", str(self.port)]
        for key, value in settings.items():
            command += ["-c", f"{key}={value}"]
        self.process = subprocess.Popen(command, stdout=log, stderr=log, user=self.user, cwd="/")
        log.close()
        wait_for("PostgreSQL", self._answers)

    def _answers(self) -> bool:
        import psycopg

        try:
            self.connect().close()
        except psycopg.OperationalError:
            return False
        return True

    def connect(self, user: str = "owner", password: str | None = None):
        import psycopg

        return psycopg.connect(
            host="127.0.0.1",
            port=self.port,
            dbname="postgres",
            user=user,
            password=password or self.PASSWORD,
            autocommit=True,
            connect_timeout=5,
        )

    def close(self) -> None:
        self.stop(signal.SIGINT)
        shutil.rmtree(self.folder, ignore_errors=True)


class MariaDb(Server):
    """Debian's server, with a binlog that has whole rows and the names of columns."""

    PASSWORD = "s3cret-of-mariadb"

    def __init__(self) -> None:
        found = shutil.which("mariadbd", path=f"{os.environ.get('PATH', '')}:/usr/sbin")
        install = shutil.which("mariadb-install-db")
        asked_by_it = shutil.which("my_print_defaults")
        if found is None or install is None or asked_by_it is None:
            missing("MariaDB (apt-get install mariadb-server-core mariadb-client-core)")
        self.binary = str(found)
        self.port = free_port()
        self.folder = Path(tempfile.mkdtemp(prefix="groundswell-my-"))
        subprocess.run(
            [str(install), "--no-defaults", f"--datadir={self.folder}/data", "--skip-test-db"]
            + ["--auth-root-authentication-method=normal", f"--user={self._user()}"],
            check=True,
            capture_output=True,
        )
        self.settings: dict[str, str] = {}
        self.start()
        with self.connect("root", "") as connection, connection.cursor() as cursor:
            cursor.execute(f"CREATE USER owner@'%' IDENTIFIED BY '{self.PASSWORD}'")
            cursor.execute("GRANT ALL ON *.* TO owner@'%' WITH GRANT OPTION")
            cursor.execute("CREATE DATABASE shop CHARACTER SET utf8mb4")

    @staticmethod
    def _user() -> str:
        return pwd.getpwuid(os.geteuid()).pw_name

    def start(self) -> None:
        settings = {
            "datadir": f"{self.folder}/data",
            "socket": f"{self.folder}/socket",
            "pid-file": f"{self.folder}/pid",
            "port": str(self.port),
            "bind-address": "127.0.0.1",
            "log-bin": "binlog",
            "server-id": "1",
            "binlog-format": "ROW",
            "binlog-row-image": "FULL",
            "binlog-row-metadata": "FULL",
            "innodb-buffer-pool-size": "32M",
            "innodb-flush-log-at-trx-commit": "1",
            "user": self._user(),
            **self.settings,
        }
        command = [self.binary, "--no-defaults", *(f"--{k}={v}" for k, v in settings.items())]
        with (self.folder / "log").open("ab") as log:
            self.process = subprocess.Popen(command, stdout=log, stderr=log, cwd="/")
        wait_for("MariaDB", self._answers)

    def _answers(self) -> bool:
        return listens(self.port)

    def connect(self, user: str = "owner", password: str | None = None):
        import pymysql

        return pymysql.connect(
            host="127.0.0.1",
            port=self.port,
            user=user,
            password=self.PASSWORD if password is None else password,
            autocommit=True,
            connect_timeout=5,
            charset="utf8mb4",
        )

    def run(self, *statements: str) -> None:
        """Runs statements, each in a transaction of its own unless they begin one."""
        connection = self.connect()
        try:
            with connection.cursor() as cursor:
                cursor.execute("USE shop")
                for statement in statements:
                    cursor.execute(statement)
        finally:
            connection.close()

    def rows(self, query: str) -> list[tuple[object, ...]]:
        connection = self.connect()
        try:
            with connection.cursor() as cursor:
                cursor.execute("USE shop")
                cursor.execute(query)
                return list(cursor.fetchall())
        finally:
            connection.close()

    @property
    def url(self) -> str:
        return f"mysql://owner@127.0.0.1:{self.port}/shop"

    def close(self) -> None:
        self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)


class Kafka(Server):
    """One node of Kafka that is broker and controller."""

    VERSION = "org.apache.kafka:kafka_2.13:4.3.1"

    def __init__(self) -> None:
        from systems.jars import jars

        self.classes = jars(self.VERSION)
        self.port, self.controller = free_port(), free_port()
        self.folder = Path(tempfile.mkdtemp(prefix="groundswell-kafka-"))
        self.servers = f"127.0.0.1:{self.port}"
        settings = {
            "process.roles": "broker,controller",
            "node.id": 1,
            "controller.quorum.bootstrap.servers": f"127.0.0.1:{self.controller}",
            "listeners": f"PLAINTEXT://{self.servers},CONTROLLER://127.0.0.1:{self.controller}",
            "advertised.listeners": f"PLAINTEXT://{self.servers}",
            "controller.listener.names": "CONTROLLER",
            "log.dirs": self.folder / "logs",
            "offsets.topic.replication.factor": 1,
            "offsets.topic.num.partitions": 2,
            "transaction.state.log.replication.factor": 1,
            "transaction.state.log.min.isr": 1,
            "transaction.state.log.num.partitions": 2,
            "group.initial.rebalance.delay.ms": 0,
            "auto.create.topics.enable": "false",
        }
        self.properties = self.folder / "server.properties"
        self.properties.write_text("".join(f"{k}={v}\n" for k, v in settings.items()))
        self._run("kafka.tools.StorageTool", "format", "-t", "4L6g3nShT-eMCtK--X86sw", "-c")
        self.start()

    def _command(self, main: str, *words: str) -> list[str]:
        return ["java", "-Xmx384m", "-XX:TieredStopAtLevel=1", "-cp", self.classes, main, *words]

    def _run(self, main: str, *words: str) -> None:
        command = self._command(main, *words, str(self.properties), "--standalone")
        subprocess.run(command, check=True, capture_output=True, cwd=self.folder)

    def start(self) -> None:
        log = (self.folder / "log").open("ab")
        command = self._command("kafka.Kafka", str(self.properties))
        self.process = subprocess.Popen(command, stdout=log, stderr=log, cwd=self.folder)
        log.close()
        wait_for("Kafka", self._answers)

    def _answers(self) -> bool:
        from confluent_kafka import KafkaException
        from confluent_kafka.admin import AdminClient

        if not listens(self.port):
            return False
        try:
            admin = AdminClient({"bootstrap.servers": self.servers, "log_level": 0})
            return bool(admin.list_topics(timeout=5).brokers)
        except KafkaException:
            return False

    def close(self) -> None:
        self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)


class ClickHouse(Server):
    """Debian's server, 18.16."""

    CONFIG = """<yandex>
<logger><level>error</level><log>{folder}/log</log><errorlog>{folder}/errors</errorlog></logger>
<http_port>{port}</http_port><listen_host>127.0.0.1</listen_host>
<path>{folder}/data/</path><tmp_path>{folder}/tmp/</tmp_path>
<users_config>{folder}/users.xml</users_config>
<default_profile>default</default_profile><default_database>default</default_database>
<mark_cache_size>1000000</mark_cache_size><timezone>Europe/Berlin</timezone>
</yandex>"""
    USERS = """<yandex><profiles><default/></profiles><quotas><default/></quotas><users>
<default><password>{password}</password><networks><ip>127.0.0.1</ip></networks>
<profile>default</profile><quota>default</quota></default></users></yandex>"""
    PASSWORD = "s3cret-of-clickhouse"

    def __init__(self) -> None:
        if shutil.which("clickhouse-server") is None:
            missing("ClickHouse (apt-get install clickhouse-server)")
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.folder = Path(tempfile.mkdtemp(prefix="groundswell-ch-"))
        self.config = self.folder / "config.xml"
        self.config.write_text(self.CONFIG.format(folder=self.folder, port=self.port))
        (self.folder / "users.xml").write_text(self.USERS.format(password=self.PASSWORD))
        self.start()

    def start(self) -> None:
        command = ["clickhouse-server", f"--config-file={self.config}"]
        null = subprocess.DEVNULL
        self.process = subprocess.Popen(command, stdout=null, stderr=null, cwd=self.folder)
        wait_for("ClickHouse", lambda: listens(self.port))

    def close(self) -> None:
        self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)


class Chdb(ClickHouse):
    """Today's engine of ClickHouse, from the wheel ``chdb``, behind a small HTTP interface."""

    PASSWORD = ""

    def __init__(self) -> None:
        if find_spec("chdb") is None:
            missing("chdb (pip install '.[systems]')")
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.folder = Path(tempfile.mkdtemp(prefix="groundswell-chdb-"))
        self.start()

    def start(self) -> None:
        main = Path(__file__).with_name("chdb_http.py")
        command = [sys.executable, str(main), str(self.folder / "data"), str(self.port)]
        log = (self.folder / "log").open("ab")
        self.process = subprocess.Popen(command, stdout=log, stderr=log, cwd=self.folder)
        log.close()
        wait_for("chdb", lambda: listens(self.port))
