"""Options of ``CREATE PIPELINE``, ``ALTER PIPELINE`` and ``SHOW PIPELINE``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from groundswell import config
from groundswell.durations import UNITS, micros_of
from groundswell.errors import ConfigurationError
from groundswell.sql.connecting.connectors import check_options
from groundswell.sql.parsing import statements as s
from groundswell.suggestions import meant

TRIGGER = "trigger"
_SESSION = ("clock", "checkpointLocation", "onChange")
_ENDS = ("availablenow", "once")
_TICK = 86_400
"""A clock that never ticks by itself within a day, but does when it is asked: FLUSH asks."""


def check_options_of_pipeline(options: Mapping[str, str]) -> None:
    """Refuses options of ``CREATE PIPELINE`` that there are not, or whose values do not fit."""
    known = [o for o in config.OPTIONS if o not in _SESSION]
    check_options("a pipeline", options, [*known, TRIGGER, *config.GONE])
    config.check({k: v for k, v in options.items() if k != TRIGGER})


def check_altered(change: s.AlterPipeline) -> None:
    """Refuses what ``ALTER PIPELINE`` cannot change, and values that do not fit.

    Raises:
        ConfigurationError: with the nearest option, or what changes it.
    """
    names = {name.lower(): name for name in config.OPTIONS}
    free = [name for name, option in config.OPTIONS.items() if not option.fixed]
    for given in (*change.options, *change.reset):
        name = names.get(given.lower())
        if name is None and given.lower() != TRIGGER:
            raise ConfigurationError(
                f"a pipeline has no option {given!r}{meant(given, [*free, TRIGGER])}ALTER "
                f"PIPELINE changes {', '.join(free)} and {TRIGGER}"
            )
        if name is not None and config.OPTIONS[name].fixed:
            raise ConfigurationError(
                f"ALTER PIPELINE does not change option {name}: {config.OPTIONS[name].fixed}"
            )
    values = {name.lower(): value for name, value in change.options.items()}
    trigger = values.pop(TRIGGER, None)
    if trigger is not None and trigger_of({TRIGGER: trigger}).get("processingTime"):
        number = trigger.strip().split(" ")[0]
        if not micros_of(trigger) and number != "0":
            raise ConfigurationError(
                f"option trigger must be availableNow, or a number and one of {', '.join(UNITS)}, "
                f"as '1 second', got {trigger!r}"
            )
    config.check(values)


def trigger_of(options: Mapping[str, str]) -> dict[str, Any]:
    """The trigger that options say, as a start takes it; empty: Spark's own."""
    given = next((v for name, v in options.items() if name.lower() == TRIGGER), "")
    if given.replace(" ", "").lower() in _ENDS:
        return {"availableNow": True}
    return {"processingTime": given} if given else {}


def values_of(options: Mapping[str, str], lease: str | None) -> dict[str, Any]:
    """What :func:`groundswell.pipeline` is given for options of statements.

    Args:
        options: of the statements.
        lease: ``ownerLease`` of this process; it goes before the statements'.
    """
    names = {name.lower(): name for name in config.OPTIONS}
    given = {names.get(k.lower(), k): v for k, v in options.items() if k.lower() != TRIGGER}
    if lease is not None:
        given["ownerLease"] = lease
    return {"tickInterval": str(_TICK), **given}


def shown(
    created: Mapping[str, str], options: Mapping[str, str], here: Mapping[str, str]
) -> list[list[Any]]:
    """Each option with its value, who says so, and when another value counts.

    Args:
        created: options of ``CREATE PIPELINE``.
        options: those of now.
        here: what this process was started with; it goes before the statements'.
    """
    first = {name.lower(): value for name, value in created.items()}
    now = {name.lower(): value for name, value in options.items()}
    rows: list[list[Any]] = []
    for name in (TRIGGER, *config.OPTIONS):
        option = config.OPTIONS.get(name)
        if name in _SESSION:
            continue
        value, said = now.get(name.lower()), "CREATE PIPELINE"
        if value is not None and first.get(name.lower()) != value:
            said = "ALTER PIPELINE"
        elif value is None:
            said = "default" if name.lower() not in first else "RESET"
            default = option.default if option is not None else None
            value = None if default is None else str(default)
        if name in here:
            value, said = here[name], "this process"
        when = (option.fixed if option is not None else "") or "the next barrier"
        rows.append([name, value, said, when])
    return rows
