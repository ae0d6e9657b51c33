"""Django as a process of its own, and the two databases that it reads."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from systems.servers import Postgres, Server, free_port, listens, wait_for

MANAGE = Path(__file__).with_name("manage.py")


class Dashboard(Server):
    """The databases ``NAME_shop`` and ``NAME_views``, rebuilt, and the pages over them."""

    def __init__(self, postgres: Postgres, name: str) -> None:
        self.postgres = postgres
        self.shop, self.views = f"{name}_shop", f"{name}_views"
        with postgres.connect() as connection:
            for database in (self.shop, self.views):
                connection.execute(f"DROP DATABASE IF EXISTS {database} WITH (FORCE)")
                connection.execute(f"CREATE DATABASE {database}")
        self.port = free_port()
        self.log = Path(tempfile.mkstemp(prefix="dashboard-", suffix=".log")[1])

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def sink(self, table: str, key: str) -> dict[str, Any]:
        """Options of a sink whose table the dashboard reads."""
        dsn = f"postgresql://owner@127.0.0.1:{self.postgres.port}/{self.views}"
        return {
            "dsn": dsn, "password": self.postgres.PASSWORD, "table": table, "create_table": True,
            "key": key,
        }  # fmt: skip

    def environment(self) -> Mapping[str, str]:
        return {
            **os.environ,
            "PGHOST": "127.0.0.1",
            "PGPORT": str(self.postgres.port),
            "PGUSER": "owner",
            "PGPASSWORD": self.postgres.PASSWORD,
            "SHOP_DATABASE": self.shop,
            "VIEWS_DATABASE": self.views,
        }

    def manage(self, *words: str) -> str:
        """Runs a command of Django's; gives what it prints."""
        ran = subprocess.run(
            [sys.executable, str(MANAGE), *words],
            check=True, capture_output=True, text=True, env=self.environment(),
        )  # fmt: skip
        return ran.stdout

    def start(self) -> None:
        self.manage("migrate")
        command = [sys.executable, str(MANAGE), "runserver", f"127.0.0.1:{self.port}", "--noreload"]
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(command, stdout=log, stderr=log, env=self.environment())
        wait_for("Django", lambda: listens(self.port))

    def close(self) -> None:
        self.stop()
        self.log.unlink(missing_ok=True)
