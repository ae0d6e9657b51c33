"""What the first two characters of a SQLSTATE say of an error (SQL:2023, part 2, 24.1)."""

_PASSES = ("08", "40", "53", "57", "58")
"""Connection, conflict, resources, shutdown, system."""
_OF_A_VALUE = ("22", "23", "54")
"""A value is invalid, breaks a constraint, or is too large."""


def passes(state: str) -> bool:
    """Whether the same statement may succeed later.

    Args:
        state: five characters, or empty: it is unknown.
    """
    return state[:2] in _PASSES


def of_a_value(state: str) -> bool:
    """Whether a value of the statement is to blame.

    Args:
        state: five characters, or empty: it is unknown.
    """
    return state[:2] in _OF_A_VALUE
