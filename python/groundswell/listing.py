"""What ``dir()`` of an object shows to people: no private helpers."""

from __future__ import annotations

from typing import ClassVar


class Listed:
    """An object whose ``dir()`` has the names that people call, and Python's own ``__names__``.

    Attributes:
        INSIDE: public names of a class that other modules of the package call, and people do not.
    """

    INSIDE: ClassVar[frozenset[str]] = frozenset({"INSIDE"})

    def __dir__(self) -> list[str]:
        inside = {name for each in type(self).__mro__ for name in vars(each).get("INSIDE", ())}
        names = set(super().__dir__()) - inside
        return sorted(n for n in names if not n.startswith("_") or n.endswith("__"))
