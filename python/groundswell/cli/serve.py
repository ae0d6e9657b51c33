"""Serves the views of a location to PostgreSQL's clients, without Spark."""

from __future__ import annotations

import signal
import sys
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from groundswell.cli.sql import interrupt
from groundswell.errors import GroundswellError

PACKAGES = ("duckdb", "numpy", "pyarrow", "pygwire")
PORT, CONNECTIONS = 5433, 200


@dataclass(frozen=True)
class Asked:
    """What the command line says.

    Attributes:
        location: the pipeline's checkpointLocation.
        password_file: has the password in its first line.
        statement_timeout: seconds; None: no limit.
        memory_limit: as ``2GB``.
        threads: None: all cores.
        http_port: of server-sent events; None: none.
        cache: a folder for decoded rows; None: they go with the server.
    """

    location: str
    host: str
    port: int
    password_file: str | None
    connections: int
    statement_timeout: float | None
    memory_limit: str | None
    threads: int | None
    http_port: int | None
    cache: str | None


def run(asked: Asked) -> int:
    """Serves until it is interrupted.

    Returns:
        0; 1 if there is no pipeline, the port is taken or a package is missing, which is said on
        stderr.
    """
    if missing := [package for package in PACKAGES if find_spec(package) is None]:
        print(
            f"error: serve needs {' and '.join(missing)}: pip install 'groundswell[serve]'",
            file=sys.stderr,
        )
        return 1
    from groundswell.serve.server import Options, Server

    try:
        password = None if asked.password_file is None else password_in(asked.password_file)
        options = Options(
            asked.host,
            asked.port,
            password,
            asked.connections,
            asked.statement_timeout,
            asked.memory_limit,
            asked.threads,
            asked.http_port,
            None if asked.cache is None else Path(asked.cache),
        )
        server = Server(asked.location, options)
    except (GroundswellError, OSError, ValueError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    host = f"[{asked.host}]" if ":" in asked.host else asked.host
    print(f"postgresql://{host}:{server.port}/groundswell", flush=True)
    if server.events is not None:
        print(f"http://{host}:{server.events.port}/subscribe/VIEW", flush=True)
    if password is not None:
        print("Connections are not encrypted: put a proxy with TLS before it.", file=sys.stderr)
    signal.signal(signal.SIGTERM, interrupt)
    try:
        server.serve()
    except KeyboardInterrupt:
        print()
    finally:
        server.stop()
    return 0


def password_in(path: str) -> str:
    """The first line of a file.

    Raises:
        ValueError: it is empty.
        OSError: it cannot be read.
    """
    lines = Path(path).read_text("utf-8").splitlines()
    if not lines or not lines[0]:
        raise ValueError(f"{path} is empty: write the password into its first line")
    return lines[0]
