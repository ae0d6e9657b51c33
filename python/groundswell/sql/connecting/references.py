"""Secrets that options refer to: ``OPTION_env`` names a variable, ``OPTION_file`` a file."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path

from groundswell.errors import ConfigurationError
from groundswell.sinks.trust import check_addresses, check_file, check_variable

REFERENCE = re.compile(r"(.+)_(env|file)", re.IGNORECASE)


def resolved(what: str, options: Mapping[str, str]) -> dict[str, str]:
    """Options with the secrets that they refer to.

    Raises:
        ConfigurationError: an environment variable or a file is not there, or the owner of this
            process does not allow it, or the server that the options name.
    """
    found: dict[str, str] = {}
    for option, value in options.items():
        reference = REFERENCE.fullmatch(option)
        if reference is None:
            found[option] = value
        elif reference[2].lower() == "env":
            check_variable(f"{what}: {option}", value)
            if value not in os.environ:
                raise ConfigurationError(
                    f"{what}: {option} names the environment variable {value}, which is not set; "
                    "set it in the environment of the process that runs the pipeline"
                )
            found[reference[1]] = os.environ[value]
        else:
            check_file(f"{what}: {option}", value)
            try:
                found[reference[1]] = Path(value).read_text("utf-8").rstrip("\r\n")
            except OSError as e:
                raise ConfigurationError(
                    f"{what}: {option} names {value}, which cannot be read: {e.strerror}"
                ) from e
    check_addresses(what, found)
    return found
