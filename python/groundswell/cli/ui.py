"""Serves the page of a pipeline from the command line, without Spark."""

from __future__ import annotations

import sys

from groundswell.errors import GroundswellError
from groundswell.ui.documents import PipelineReader
from groundswell.ui.server import Server, is_loopback

PORT = 4400


def run(location: str, host: str, port: int, token: str | None) -> int:
    """Serves until it is interrupted.

    Args:
        location: the pipeline's checkpointLocation.
        host: the address to bind to.
        port: 0 takes a free one.
        token: see :class:`~groundswell.ui.server.Server`.

    Returns:
        0; 1 if there is no pipeline, or the port is taken, which is said on stderr.
    """
    try:
        PipelineReader(location).picture()
        server = Server(location, host, port, token)
    except (GroundswellError, OSError) as error:
        hint = "; give another --port" if isinstance(error, OSError) else ""
        print(f"error: {error}{hint}", file=sys.stderr)
        return 1
    print(server.link, flush=True)
    if not is_loopback(host):
        print("This page is served without TLS: put a proxy with TLS before it.", file=sys.stderr)
    try:
        server.serve()
    except KeyboardInterrupt:
        print()
    return 0
