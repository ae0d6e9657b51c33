"""What a column does that a table gets while it is read. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from groundswell.errors import ConfigurationError

ADD, IGNORE, STOP = "add", "ignore", "stop"
"""The next start has it; it is left out until then; the source cannot go on."""
OF_LAKES = (ADD, IGNORE, STOP)
OF_SERVERS = (STOP, ADD, IGNORE)
"""What a user may choose, the default first."""


def check_new_columns(given: str, choices: Sequence[str]) -> None:
    """Refuses what cannot be chosen.

    Raises:
        ConfigurationError: with the choices that there are.
    """
    if given not in choices:
        raise ConfigurationError(f"new_columns must be one of {', '.join(choices)}, got {given!r}")
