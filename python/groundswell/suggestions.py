"""What a person may have meant by a name that is not there."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

_ALIKE = 0.5
"""How alike two names must be, as ``difflib`` measures it: from 0 to 1."""


def nearest(given: str, known: Iterable[str]) -> str | None:
    """The known name that is most like the given one, whatever their case; None: none is."""
    names = {name.lower(): name for name in known}
    found = get_close_matches(given.lower(), names, 1, _ALIKE)
    return names[found[0]] if found else None


def meant(given: str, known: Iterable[str]) -> str:
    """``; did you mean 'x'? `` between two sentences; ``. `` if no known name is like it."""
    name = nearest(given, known)
    return ". " if name is None else f"; did you mean {name!r}? "
