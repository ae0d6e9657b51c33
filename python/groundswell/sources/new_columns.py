"""What a column does that a table of a lake gets while it is read. Pure."""

from __future__ import annotations

from groundswell.errors import ConfigurationError

NEW_COLUMNS = ADD, IGNORE, STOP = "add", "ignore", "stop"
"""The next start has it; it is left out until then; the source cannot go on."""


def check_new_columns(given: str) -> None:
    """Refuses what is not one of :data:`NEW_COLUMNS`.

    Raises:
        ConfigurationError: with those that there are.
    """
    if given not in NEW_COLUMNS:
        raise ConfigurationError(
            f"new_columns must be one of {', '.join(NEW_COLUMNS)}, got {given!r}"
        )
