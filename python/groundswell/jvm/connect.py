"""Refuses sessions of Spark Connect where Python needs the session's own JVM."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

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
    """Makes a function refuse sessions and DataFrames of Spark Connect.

    Args:
        what: what users call, for the message.
        instead: the SQL to write instead.
    """

    def guard(function: Callable[P, R]) -> Callable[P, R]:
        @wraps(function)
        def guarded(*args: P.args, **kwargs: P.kwargs) -> R:
            for value in (*args, *kwargs.values()):
                check_classic(value, what, instead)
            return function(*args, **kwargs)

        return guarded

    return guard


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
