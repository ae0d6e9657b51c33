"""What options may reach, as the owner of a process says in its environment.

===============================  =================================================================
``GROUNDSWELL_REQUESTS``         ``off``: statements of other processes are refused
``GROUNDSWELL_ALLOW_VARIABLES``  environment variables that ``OPTION_env`` may name: ``SHOP_*``
``GROUNDSWELL_ALLOW_FILES``      files that ``OPTION_file`` may name: ``/run/secrets/*``
``GROUNDSWELL_ALLOW_ADDRESSES``  servers of sources and sinks: ``db.shop:5432,*.kafka.shop``
===============================  =================================================================

Lists have commas and patterns as a shell's. A variable that is not set allows everything, an empty
one nothing. No statement can change them, and nobody who only writes to a location can.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from groundswell.errors import ConfigurationError
from groundswell.sinks.dsn import parts_of

REQUESTS = "GROUNDSWELL_REQUESTS"
VARIABLES = "GROUNDSWELL_ALLOW_VARIABLES"
FILES = "GROUNDSWELL_ALLOW_FILES"
ADDRESSES = "GROUNDSWELL_ALLOW_ADDRESSES"

_FILES_OF_DSN = frozenset("passfile servicefile sslcert sslkey sslrootcert sslcrl".split())
_HOSTS = ("host", "hostname", "hostaddr")
LISTS = ("servers", "kafka.bootstrap.servers", "bootstrap.servers")
"""Options that are addresses, separated by commas."""


def takes_requests() -> bool:
    """Whether this process runs statements that others ask it to."""
    return os.environ.get(REQUESTS, "on").strip().lower() not in ("off", "false", "0")


def check_variable(what: str, name: str) -> None:
    """Refuses an environment variable that is not on the owner's list.

    Raises:
        ConfigurationError: with the list's name.
    """
    _check(what, f"the environment variable {name}", VARIABLES, [name])


def check_file(what: str, path: str) -> None:
    """Refuses a file that is not on the owner's list; links and ``..`` are followed first.

    Raises:
        ConfigurationError: with the list's name.
    """
    _check(what, f"the file {path}", FILES, [os.path.realpath(Path(path))])


def check_addresses(what: str, options: Mapping[str, Any]) -> None:
    """Refuses options that lead to a server, or within a dsn to a file, not on the owner's lists.

    Raises:
        ConfigurationError: with the list's name.
    """
    for name, value in options.items():
        parts = (parts_of(str(value)) or {}) if name.lower() == "dsn" and value else {}
        for keyword in _FILES_OF_DSN & parts.keys():
            check_file(what, parts[keyword])
    if ADDRESSES in os.environ:
        for host, port in addresses(options):
            shown = f"{host}:{port}" if port else host
            _check(what, f"the address {shown}", ADDRESSES, [host, shown])


def addresses(options: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Hosts and ports that options name; of paths as ``s3a://bucket/a`` the bucket."""
    lower = {name.lower(): str(value) for name, value in options.items() if value}
    for name, value in lower.items():
        if name == "dsn":
            parts = parts_of(value) or {}
            if "service" in parts:  # its file may name any server
                yield f"service={parts['service']}", ""
            hosts = (parts.get("hostaddr") or parts.get("host") or "localhost").split(",")
            ports = parts.get("port", "").split(",")
            yield from zip(hosts, ports * len(hosts), strict=False)
        elif name in _HOSTS:
            yield value, lower.get("port", "")
        elif name in LISTS:
            yield from (_place(each.strip()) for each in value.split(","))
        elif value.lower().startswith("jdbc:"):
            yield from _hosts_of_jdbc(value)
        elif "://" in value:
            for each in value.split(","):  # a schema registry may have several
                place = urlsplit(each.strip())
                if place.hostname:
                    yield place.hostname, str(place.port or "")


def _hosts_of_jdbc(url: str) -> Iterator[tuple[str, str]]:
    """All that may be a host in a URL of JDBC; drivers write theirs in ways of their own."""
    for hosts in re.findall(r"//([^/;?]*)", url):
        for each in hosts.split(","):
            yield _place(each.rpartition("@")[2])
    for host, port in re.findall(r"@(?!/)([^/:;?@,]+)(?::(\d+))?", url):
        yield host, port
    for host in re.findall(r"(?i)\b(?:host|servername|server)\s*=\s*([^)&;,?]+)", url):
        yield host, ""


def _place(text: str) -> tuple[str, str]:
    host, colon, port = text.rpartition(":")
    return (host, port) if colon else (text, "")


def _check(what: str, thing: str, variable: str, names: list[str]) -> None:
    allowed = os.environ.get(variable)
    if allowed is None:
        return
    patterns = [each.strip() for each in allowed.split(",") if each.strip()]
    if not any(fnmatchcase(name, pattern) for name in names for pattern in patterns):
        raise ConfigurationError(
            f"{what}: {thing} is not allowed here. Whoever runs this process adds it to {variable} "
            "in its environment, or leaves that out to allow all"
        )
