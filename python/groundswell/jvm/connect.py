"""Refuses sessions of Spark Connect where Python needs the session's own JVM."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any, ParamSpec, TypeVar

from groundswell import suggestions
from groundswell.errors import ConfigurationError

P = ParamSpec("P")
R = TypeVar("R")
_CONNECT = "pyspark.sql.connect."
SERVER = (
    "The server needs three settings: spark.jars with the path that `python -m groundswell jar` "
    "prints, spark.plugins=io.groundswell.GroundswellPlugin, and spark.pyspark.python with a "
    "Python that has groundswell"
)


def classic_only(what: str, instead: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Makes a function refuse sessions and DataFrames of Spark Connect, and names it has not.

    Args:
        what: what users call, for the message.
        instead: the SQL to write instead.
    """

    def guard(function: Callable[P, R]) -> Callable[P, R]:
        parameters = inspect.signature(function).parameters

        @wraps(function)
        def guarded(*args: P.args, **kwargs: P.kwargs) -> R:
            for value in (*args, *kwargs.values()):
                check_classic(value, what, instead)
            check_names(what, kwargs, parameters)
            return function(*args, **kwargs)

        return guarded

    return guard


def check_names(
    what: str, given: Mapping[str, Any], parameters: Mapping[str, inspect.Parameter]
) -> None:
    """Refuses arguments by names that a function does not have.

    Raises:
        ConfigurationError: with the name that was meant, and all that there are.
    """
    if any(each.kind == each.VAR_KEYWORD for each in parameters.values()):
        return
    known = [name for name in parameters if name != "self"]
    for name in given:
        if name not in parameters:
            meant = suggestions.meant(name, known)
            raise ConfigurationError(f"{what} takes no {name}{meant}It takes {', '.join(known)}")


def check_classic(value: object, what: str, instead: str) -> None:
    """Refuses a session or DataFrame of Spark Connect.

    Raises:
        ConfigurationError: with the SQL that does the same, and what the server needs.
    """
    if type(value).__module__.startswith(_CONNECT):
        raise ConfigurationError(
            f"{what} needs a classic Spark session, whose JVM this process can call; a session of "
            f"Spark Connect has none here. Use SQL: {instead}. {SERVER}"
        )
