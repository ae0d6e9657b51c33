"""Where the password of a source may be."""

from __future__ import annotations

import os
from pathlib import Path

from groundswell.errors import ConfigurationError, SourceError


def password_of(text: str | None, env: str | None, file: str | None) -> str | None:
    """The password, or what an environment variable or a file has; None: none is given.

    Raises:
        ConfigurationError: more than one is given.
        SourceError: the variable or the file is not there.
    """
    if sum(given is not None for given in (text, env, file)) > 1:
        raise ConfigurationError("give one of password, password_env and password_file")
    if env is not None:
        if env not in os.environ:
            raise SourceError(f"password_env names {env}, which is not set in the environment")
        return os.environ[env]
    if file is not None:
        try:
            return Path(file).read_text("utf-8").rstrip("\r\n")
        except OSError as e:
            raise SourceError(
                f"password_file names {file}, which cannot be read: {e.strerror}"
            ) from e
    return text
