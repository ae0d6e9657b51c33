"""Names of the parts of a pipeline."""

from __future__ import annotations

import re

from groundswell.errors import SourceError

_NAME = re.compile(r"[A-Za-z0-9_]+")


def check_name(what: str, name: str) -> str:
    """Return the name if it can be part of a folder's name and of Spark's checkpoint.

    Raises:
        SourceError: it has other characters than ASCII letters, digits and underscores.
    """
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise SourceError(f"{what} name {name!r} must be ASCII letters, digits and underscores")
    return name
