"""Names of the parts of a pipeline."""

from __future__ import annotations

import re
from collections.abc import Collection

from groundswell.errors import SourceError

_NAME = re.compile(r"[A-Za-z0-9_]+")


def is_name(name: object) -> bool:
    """Whether a name has ASCII letters, digits and underscores alone."""
    return isinstance(name, str) and _NAME.fullmatch(name) is not None


def check_name(what: str, name: str) -> str:
    """Return the name if it can be part of a folder's name and of Spark's checkpoint.

    Raises:
        SourceError: it has other characters than ASCII letters, digits and underscores.
    """
    if not is_name(name):
        raise SourceError(f"{what} name {name!r} must be ASCII letters, digits and underscores")
    return name


def free_name(name: str, taken: Collection[str], new: Collection[str] = ()) -> str:
    """What something new is stored as: its name, or one made of it that nothing has.

    Args:
        name: what it is called.
        taken: names that are stored already, in lower case.
        new: names of all that come with it.
    """
    number, free = 1, name
    others = {*taken, *(other.lower() for other in new if other != name)}
    while free.lower() in others:
        number += 1
        free = f"{name}__{number}"
    return free
