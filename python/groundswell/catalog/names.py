"""Names of the parts of a pipeline."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable

from groundswell.errors import ConfigurationError, SourceError
from groundswell.plan.divert import SUFFIX

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


def check_new(what: str, name: str, there: Iterable[str], hint: str = "") -> str:
    """Return the name if nothing of its kind has it; SQL and some file systems know no case.

    Args:
        what: the kind, in the singular.
        name: the new name.
        there: the names of that kind.
        hint: how another name is given; "": everyone knows.

    Raises:
        SourceError: it is no name.
        ConfigurationError: one of them is this name, or differs by the case of letters alone.
    """
    check_name(what, name)
    plural = f"{what}es" if what.endswith("x") else f"{what}s"
    for other in there:
        if other == name:
            raise ConfigurationError(f"two {plural} are named {name!r}{hint}")
        if other.lower() == name.lower():
            raise ConfigurationError(
                f"{plural} {other!r} and {name!r} have one name, for SQL and some file systems do "
                "not tell upper case from lower: give one of them another name"
            )
    return name


def is_of_rows(name: str, view: str) -> bool:
    """Whether a name is that of the rows that a view sets aside."""
    return name.lower() == (view + SUFFIX).lower()


def named_like_rows(what: str, view: str, renamed: str) -> ConfigurationError:
    """What is wrong where something has the name of the rows that a view sets aside.

    Args:
        what: the thing, with its kind.
        view: the view.
        renamed: which of the two is new, and needs another name.
    """
    return ConfigurationError(
        f"{what} would have the name of the rows of view {view} that fail, or do not meet its "
        f"expectations: give {renamed} another name"
    )


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
